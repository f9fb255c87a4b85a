/* The key of a problem: equal problems have equal keys. It contains no names, and indices that are
 * adjacent in all tensors count as one. */
#include <inttypes.h>
#include <string.h>

#include "ast/scalar.h"
#include "base/strbuf.h"
#include "plan/advise/program.h"

/** A problem without names, with adjacent indices fused. */
struct sight {
    const struct tcplan_contraction *contraction;
    int rank[TCPLAN_TENSORS];
    int dim[TCPLAN_TENSORS][TCPLAN_MAX_RANK];
    uint64_t extent[TCPLAN_MAX_INDICES]; /* if this product overflows, the key stays valid, but some
                                            different problems have equal keys */
};

static struct sight sight_of(const struct tcplan_layout_program *program, int item,
                             const struct layout layout[]) {
    struct sight sight = {.contraction = program->item[item].contraction};
    for (int i = 0; i < sight.contraction->index_count; i++)
        sight.extent[i] = (uint64_t)program->item[item].extent[i];
    for (int o = 0; o < TCPLAN_TENSORS; o++) {
        const int t = program->operands[item].tensor[o];
        if (t == LAYOUT_NO_TENSOR) continue;
        sight.rank[o] = sight.contraction->tensor[o].rank;
        for (int d = 0; d < sight.rank[o]; d++)
            sight.dim[o][d] = sight.contraction->tensor[o].dims[layout[t].dim[d]];
    }
    return sight;
}

/** Returns how often an index occurs in a tensor; *at receives its last position. */
static int find(const struct sight *sight, int tensor, int index, int *at) {
    int count = 0;
    for (int d = 0; d < sight->rank[tensor]; d++) {
        if (sight->dim[tensor][d] != index) continue;
        *at = d;
        count++;
    }
    return count;
}

/** Returns whether `second` directly follows `first` in every tensor that has one of them. Both
 * must occur once there, and the tensor must be dense. */
static bool continues(const struct sight *sight, int first, int second) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        int a = 0, b = 0;
        const int firsts = find(sight, t, first, &a), seconds = find(sight, t, second, &b);
        if (firsts != seconds || firsts > 1) return false;
        if (firsts == 1 && (b != a + 1 || sight->contraction->tensor[t].strided)) return false;
    }
    return true;
}

static void remove_index(struct sight *sight, int index) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        int at = 0;
        if (find(sight, t, index, &at) == 0) continue;
        memmove(&sight->dim[t][at], &sight->dim[t][at + 1],
                (size_t)(sight->rank[t] - at - 1) * sizeof sight->dim[t][0]);
        sight->rank[t]--;
    }
}

static void fuse(struct sight *sight) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        for (int d = 0; d + 1 < sight->rank[t];) {
            const int first = sight->dim[t][d], second = sight->dim[t][d + 1];
            if (first != second && continues(sight, first, second)) {
                sight->extent[first] *= sight->extent[second];
                remove_index(sight, second);
            } else {
                d++;
            }
        }
    }
}

/** New numbers of indices, in the order of their first occurrence. */
struct numbering {
    int count;
    int index[TCPLAN_MAX_INDICES];
};

static int number_of(struct numbering *numbering, int index) {
    for (int n = 0; n < numbering->count; n++) {
        if (numbering->index[n] == index) return n;
    }
    numbering->index[numbering->count] = index;
    return numbering->count++;
}

static void print_tensor(struct strbuf *out, const struct sight *sight, int t,
                         struct numbering *numbering) {
    const struct tcplan_tensor *tensor = &sight->contraction->tensor[t];
    strbuf_add(out, tensor->conjugated ? " ~" : " ");
    for (int d = 0; d < sight->rank[t]; d++)
        strbuf_add(out, "%s%d", d > 0 ? "," : "", number_of(numbering, sight->dim[t][d]));
    for (int d = 0; d < tensor->rank && tensor->strided; d++)
        strbuf_add(out, "%s%" PRId64, d > 0 ? "," : "@", tensor->stride[d]);
}

char *program_key(const struct tcplan_layout_program *program, int item,
                  const struct layout layout[]) {
    const int *operand = program->operands[item].tensor;
    struct sight sight = sight_of(program, item, layout);
    struct numbering numbering = {0};
    struct strbuf out = {0};
    fuse(&sight);
    strbuf_add(&out, "%c%c", tcplan_dtype_letter(program->item[item].dtype),
               sight.contraction->order == TCPLAN_ROW_MAJOR ? 'r' : 'c');
    if (operand[TCPLAN_A] == operand[TCPLAN_B]) strbuf_add(&out, " AA");
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        static const int order[TCPLAN_TENSORS] = {TCPLAN_C, TCPLAN_A, TCPLAN_B, TCPLAN_ADDEND};
        if (operand[order[t]] != LAYOUT_NO_TENSOR) print_tensor(&out, &sight, order[t], &numbering);
    }
    strbuf_add(&out, " ");
    scalar_print(&out, sight.contraction->alpha);
    strbuf_add(&out, " ");
    scalar_print(&out, sight.contraction->beta);
    for (int n = 0; n < numbering.count; n++)
        strbuf_add(&out, " %" PRIu64, sight.extent[numbering.index[n]]);
    return strbuf_finish(&out);
}
