/**
 * Where results come from that are made now.
 */
#ifndef CLI_PROVENANCE_H
#define CLI_PROVENANCE_H

#include "cli/request.h"

/** Texts of a provenance that are not constants. */
struct provenance {
    struct tcplan_provenance provenance;
    char settings[512];
    char host[256];
};

/** Describes this program, its settings and its machine. Borrows from the request; `measured` algorithms of each contraction are run. */
void provenance_make(struct provenance *out, const struct request *request, size_t measured);

#endif
