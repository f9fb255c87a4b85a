#include <math.h>
#include <string.h>

#include "ast/scalar.h"
#include "ast/scan.h"
#include "network/text.h"

bool network_fits_letters(const struct tcplan_network *network) {
    for (int i = 0; i < network->index_count; i++) {
        if (!scan_is_letter(network->index[i][0]) || network->index[i][1] != '\0') return false;
    }
    for (int o = 0; o < network->operand_count; o++) {
        if (strchr(network->operand[o].name, '_')) return false;
    }
    for (int s = 0; s < network->sum_count; s++) {
        if (strchr(network->sum[s].name, '_')) return false;
    }
    return !strchr(network->result.name, '_');
}

void network_print_tensor(struct strbuf *out, const struct tcplan_network *network,
                          const struct network_named *tensor, bool letters) {
    strbuf_add(out, "%s%s%s", tensor->conjugated ? "conj(" : "", tensor->name,
               tensor->conjugated ? ")" : "");
    strbuf_add(out, "%s", !letters ? "[" : tensor->rank > 0 ? "_" : "");
    for (int d = 0; d < tensor->rank; d++)
        strbuf_add(out, "%s%s", d > 0 && !letters ? "," : "", network->index[tensor->dims[d]]);
    strbuf_add(out, "%s", letters ? "" : "]");
}

void network_print_factor(struct strbuf *out, struct tcplan_scalar factor, const char *plus) {
    const bool negative = factor.im == 0 && signbit(factor.re);
    const struct tcplan_scalar magnitude = {.re = negative ? -factor.re : factor.re,
                                            .im = factor.im};
    strbuf_add(out, "%s", negative ? "-" : plus);
    if (scalar_is(magnitude, 1)) return;
    scalar_print(out, magnitude);
    strbuf_add(out, "*");
}

static void print_operand(struct strbuf *out, const struct tcplan_network *network,
                          const struct tcplan_network_operand *operand, bool letters) {
    const struct network_named named = {.name = operand->name,
                                        .conjugated = operand->conjugated,
                                        .rank = operand->rank,
                                        .dims = operand->dims};
    network_print_tensor(out, network, &named, letters);
}

char *tcplan_network_text(const struct tcplan_network *network) {
    struct strbuf out = {0};
    const bool letters = network_fits_letters(network);
    const bool accumulates = scalar_is(network->beta, 1) && !network->conjugates_added;
    for (int t = 0; t < network->term_count; t++) {
        const struct tcplan_network_term *term = &network->term[t];
        const bool begins = tcplan_network_begins(network, t);
        if (begins) {
            strbuf_add(&out, "%s", t > 0 ? "; " : "");
            print_operand(&out, network, tcplan_network_target(network, t), letters);
            strbuf_add(&out, "%s", accumulates && term->into == network->sum_count ? "+=" : "=");
        }
        network_print_factor(&out, term->factor, begins ? "" : "+");
        for (int o = term->first; o < term->first + term->count; o++) {
            strbuf_add(&out, "%s", o > term->first ? "*" : "");
            print_operand(&out, network, &network->operand[o], letters);
        }
    }
    if (!accumulates && (network->beta.re != 0 || network->beta.im != 0)) {
        struct tcplan_network_operand added = network->result;
        added.conjugated = network->conjugates_added;
        network_print_factor(&out, network->beta, "+");
        print_operand(&out, network, &added, letters);
    }
    return strbuf_finish(&out);
}
