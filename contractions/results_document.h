/** Describes the documents of results as a kind of document. */
#ifndef CONTRACTIONS_RESULTS_DOCUMENT_H
#define CONTRACTIONS_RESULTS_DOCUMENT_H

#include "contractions/document_source.h"

extern const struct document_kind document_results;

#endif
