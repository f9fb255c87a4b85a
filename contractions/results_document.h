/**
 * Documents of results, as one kind of documents that grow.
 */
#ifndef CONTRACTIONS_RESULTS_DOCUMENT_H
#define CONTRACTIONS_RESULTS_DOCUMENT_H

#include "contractions/document_source.h"

extern const struct document_kind document_results;

#endif
