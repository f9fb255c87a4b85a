/** Prints tensors and factors of networks, and of the steps of their trees. */
#ifndef NETWORK_TEXT_H
#define NETWORK_TEXT_H

#include "base/strbuf.h"
#include "tcplan/network.h"

/** A tensor with the names of its indices. */
struct network_named {
    const char *name;
    bool conjugated;
    int rank;
    const uint16_t *dims;
};

/** Returns whether the notation with letters after an underscore suffices: the names of all indices
 * are single letters, and no name of a tensor contains an underscore. */
bool network_fits_letters(const struct tcplan_network *network);

/** Appends a tensor, such as `A_ab` or `A[a,b]`. */
void network_print_tensor(struct strbuf *out, const struct tcplan_network *network,
                          const struct network_named *tensor, bool letters);

/** Appends the sign and the scalar factor before a term; `plus` is appended instead of a positive
 * sign. */
void network_print_factor(struct strbuf *out, struct tcplan_scalar factor, const char *plus);

#endif
