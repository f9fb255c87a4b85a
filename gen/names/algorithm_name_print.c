#include <string.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/provider.h"
#include "ast/nest/refine.h"
#include "gen/names/algorithm_name.h"

/** State of printing a name. */
struct printer {
    struct strbuf *out;
    const struct tcplan_algorithm *algorithm;
    const struct tcplan_contraction *contraction;
    bool ruled; /* whether copies follow the rules, so that a bare apostrophe denotes them */
};

bool name_is_like_copies(const char *index_name) {
    return index_name[0] >= 'A' && index_name[0] <= 'C';
}

static bool copies_at(const struct tcplan_algorithm *algorithm, int depth) {
    const struct tcplan_operand_copy *copy = algorithm->copy;
    return copy[TCPLAN_A].depth == depth || copy[TCPLAN_B].depth == depth ||
           copy[TCPLAN_C].depth == depth;
}

/* [ "'" [ copies ] ] ; copies = { ( "A" | "B" ) layout } [ "C" layout [ "r" ] [ "s" ] ] ; layout =
 * [ "t" ] [ "p" ] [ "+" padding ] */
static void print_copies(const struct printer *printer, int depth) {
    if (!copies_at(printer->algorithm, depth)) return;
    strbuf_add(printer->out, "'");
    for (int t = 0; t < TCPLAN_OPERANDS && !printer->ruled; t++) {
        const struct tcplan_operand_copy copy = printer->algorithm->copy[t];
        if (copy.depth != depth) continue;
        strbuf_add(printer->out, "%c%s%s", "ABC"[t], copy.transposed ? "t" : "",
                   copy.panels ? "p" : "");
        if (copy.padding > 0) strbuf_add(printer->out, "+%d", copy.padding);
        strbuf_add(printer->out, "%s%s", copy.read ? "r" : "", copy.streamed ? "s" : "");
    }
}

static const char *name_of(const struct printer *printer, int number) {
    return printer->contraction
        ->index[algorithm_source_index(printer->algorithm, printer->contraction, number)]
        .name;
}

/* index [ ":" step ] */
static void print_number(const struct printer *printer, int number) {
    const int split = number - printer->contraction->index_count;
    strbuf_add(printer->out, "%s", name_of(printer, number));
    if (split >= 0) strbuf_add(printer->out, ":%d", (int)printer->algorithm->split[split].step);
}

/*
 * loop = index [ ":" step ] [ "=" ] [ "|" ] [ "'" [ copies ] ]
 *
 * `separator` is printed before the loop.
 */
static void print_loop(const struct printer *printer, const char *separator, int l) {
    const struct tcplan_algorithm *algorithm = printer->algorithm;
    strbuf_add(printer->out, "%s", separator);
    print_number(printer, algorithm->loop[l]);
    if (algorithm->starts && algorithm_contracted_loops(algorithm, printer->contraction, l, l + 1))
        strbuf_add(printer->out, "=");
    if (algorithm_shares_loop(algorithm, l)) strbuf_add(printer->out, "|");
    print_copies(printer, l + 1);
}

/* sum = index [ ":" step ] "+" ; prints the fused summed indices, outermost first */
static void print_sums(const struct printer *printer) {
    const struct tcplan_group group =
        algorithm_group(printer->algorithm, printer->contraction, TCPLAN_R);
    for (int i = group.count - 1; i >= 0; i--) {
        const bool is_first = i == group.count - 1 && printer->algorithm->loop_count == 0;
        strbuf_add(printer->out, "%s", is_first ? "" : ".");
        print_number(printer, group.index[i]);
        strbuf_add(printer->out, "+");
    }
}

/** Returns whether dots separate the loops: index names are long or resemble copies, or a loop has
 * more than a bare apostrophe. */
static bool has_dots(const struct printer *printer) {
    const struct tcplan_algorithm *algorithm = printer->algorithm;
    if (printer->contraction->long_names || algorithm->split_count > 0 || algorithm->starts ||
        algorithm->parallel >= 0)
        return true;
    if (algorithm->group[TCPLAN_R]) return true;
    for (int l = 0; l < algorithm->loop_count; l++) {
        if (name_is_like_copies(name_of(printer, algorithm->loop[l]))) return true;
    }
    for (int depth = 0; depth <= algorithm->loop_count && !printer->ruled; depth++) {
        if (copies_at(algorithm, depth)) return true;
    }
    return false;
}

/* way = [ vectors "x" columns ] [ "u" products ] [ "s" ] */
static void print_way(struct strbuf *out, const struct tcplan_algorithm *algorithm) {
    const bool streams =
        algorithm->copy[TCPLAN_C].streamed && !algorithm_copies(algorithm, TCPLAN_C);
    if (!streams && algorithm_tile_number(algorithm->tile) == 0) return;
    strbuf_add(out, "'");
    algorithm_print_tile(out, algorithm->tile);
    strbuf_add(out, streams ? "s" : "");
}

/* name = [ "'" [ copies ] [ "." ] ] loop { [ "." ] loop } "-" kernel [ "@" provider [ "'" way ] ]
 * ; either all dots or none */
void name_print(struct strbuf *out, const struct tcplan_algorithm *algorithm,
                const struct tcplan_contraction *contraction, enum tcplan_dtype dtype) {
    const bool ruled = algorithm_follows_rules(algorithm, contraction);
    const struct printer printer = {
        .out = out, .algorithm = algorithm, .contraction = contraction, .ruled = ruled};
    const bool dots = has_dots(&printer);
    const bool has_head = copies_at(algorithm, 0);
    const bool has_loops = algorithm->loop_count > 0 || algorithm->group[TCPLAN_R];
    print_copies(&printer, 0);
    if (has_head && has_loops &&
        (!ruled || name_is_like_copies(name_of(&printer, algorithm->loop[0]))))
        strbuf_add(out, ".");
    for (int l = 0; l < algorithm->loop_count; l++) {
        print_loop(&printer, l > 0 && dots ? "." : "", l);
    }
    print_sums(&printer);
    const char *hyphen = has_loops || (has_head && !ruled) ? "-" : "";
    if (provider_traits_of(algorithm->provider)->is_whole) {
        strbuf_add(out, "tapp@%s", tcplan_provider_name(algorithm->provider));
        return;
    }
    strbuf_add(out, "%s%c%s", hyphen, tcplan_dtype_letter(dtype),
               tcplan_kernel_name(algorithm->kernel, dtype));
    if (algorithm->provider != TCPLAN_PROVIDER_BLAS)
        strbuf_add(out, "@%s", tcplan_provider_name(algorithm->provider));
    print_way(out, algorithm);
}
