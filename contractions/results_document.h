/** The kind of the documents of results. */
#ifndef CONTRACTIONS_RESULTS_DOCUMENT_H
#define CONTRACTIONS_RESULTS_DOCUMENT_H

#include "contractions/document_source.h"

extern const struct document_kind document_results;

#endif
