#include <string.h>

#include "ast/refine.h"
#include "gen/name_parts.h"

/* copies = { ( "A" | "B" ) [ "t" ] } [ "C" [ "t" ] [ "s" ] ] */
static void print_copies(struct strbuf *out, const struct tcplan_algorithm *algorithm, int depth) {
    const struct tcplan_choices *choices = &algorithm->choices;
    const char *apostrophe = "'";
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (choices->copy_depth[t] != depth) continue;
        strbuf_add(out, "%s%c%s%s", apostrophe, "ABC"[t], choices -> turned[t] ? "t" : "", t == TCPLAN_C && choices->streamed ? "s" : "");
        apostrophe = "";
    }
}

static bool copies_at(const struct tcplan_algorithm *algorithm, int depth) {
    const int8_t *copy_depth = algorithm->choices.copy_depth;
    return copy_depth[TCPLAN_A] == depth || copy_depth[TCPLAN_B] == depth || copy_depth[TCPLAN_C] == depth;
}

/* loop = index [ ":" step ] [ "=" ] [ "|" ] [ "'" copies ] */
static void print_loop(struct strbuf *out, const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction, int l) {
    const int number = algorithm->loop[l];
    const struct tcplan_index index = contraction->index[algorithm_source_index(algorithm, contraction, number)];
    strbuf_add(out, "%s", index.name);
    if (number >= contraction->index_count) {
        strbuf_add(out, ":%d", (int)algorithm->choices.split[number - contraction->index_count].step);
    }
    strbuf_add(out, "%s%s", index.kind == TCPLAN_CONTRACTED ? "=" : "", algorithm->choices.parallel == l ? "|" : "");
    print_copies(out, algorithm, l + 1);
}

/** Whether letters of copies could be taken for an index, so that a name of the `blas` space reads the same. */
static bool needs_last_dot(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    bool copied = false;
    for (int depth = 0; depth <= algorithm->loop_count; depth++) copied = copied || copies_at(algorithm, depth);
    for (int i = 0; i < contraction->index_count && copied; i++) {
        if (strchr("ABC", contraction->index[i].name[0])) return true;
    }
    return false;
}

/* name = [ "'" copies ] loop { "." loop } [ "." ] "-" kernel [ "@" provider ] ; the dots between all that there is */
void name_print_choices(struct strbuf *out, const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                        enum tcplan_dtype dtype) {
    const bool copies_in_front = copies_at(algorithm, 0);
    print_copies(out, algorithm, 0);
    for (int l = 0; l < algorithm->loop_count; l++) {
        strbuf_add(out, "%s", l > 0 || copies_in_front ? "." : "");
        print_loop(out, algorithm, contraction, l);
    }
    strbuf_add(out, "%s%s", needs_last_dot(algorithm, contraction) ? "." : "", copies_in_front || algorithm->loop_count > 0 ? "-" : "");
    strbuf_add(out, "%c%s", tcplan_dtype_letter(dtype), tcplan_kernel_name(algorithm->kernel, dtype));
    if (algorithm->choices.provider != TCPLAN_PROVIDER_BLAS) strbuf_add(out, "@%s", tcplan_provider_name(algorithm->choices.provider));
}
