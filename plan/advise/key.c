/* The key of a problem: equal problems have equal keys. It contains no names, and indices that are
 * adjacent in all tensors count as one. */
#include <inttypes.h>
#include <string.h>

#include "ast/scalar.h"
#include "base/strbuf.h"
#include "plan/advise/program.h"

/** A problem without names, with adjacent indices fused. */
struct unnamed {
    const struct tcplan_contraction *contraction;
    int rank[TCPLAN_TENSORS];
    int dim[TCPLAN_TENSORS][TCPLAN_MAX_RANK];
    uint64_t extent[TCPLAN_MAX_INDICES]; /* by index; a fused index has the product of the extents.
                                            The product wraps around on overflow: keys stay valid,
                                            but different problems may then have equal keys */
};

static struct unnamed unnamed_of(const struct tcplan_layout_program *program, int item,
                                 const struct layout layout[]) {
    struct unnamed unnamed = {.contraction = program->item[item].contraction};
    for (int i = 0; i < unnamed.contraction->index_count; i++)
        unnamed.extent[i] = (uint64_t)program->item[item].extent[i];
    for (int o = 0; o < TCPLAN_TENSORS; o++) {
        const int t = program->operands[item].tensor[o];
        if (t == LAYOUT_NO_TENSOR) continue;
        unnamed.rank[o] = unnamed.contraction->tensor[o].rank;
        for (int d = 0; d < unnamed.rank[o]; d++)
            unnamed.dim[o][d] = unnamed.contraction->tensor[o].dims[layout[t].dim[d]];
    }
    return unnamed;
}

/** Returns how often an index occurs in a tensor; *at receives its last position. */
static int find(const struct unnamed *unnamed, int tensor, int index, int *at) {
    int count = 0;
    for (int d = 0; d < unnamed->rank[tensor]; d++) {
        if (unnamed->dim[tensor][d] != index) continue;
        *at = d;
        count++;
    }
    return count;
}

/** Returns whether index `second` directly follows index `first` in every tensor that contains
 * either of them. Each such tensor must contain both indices exactly once, and be dense. */
static bool continues(const struct unnamed *unnamed, int first, int second) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        int a = 0, b = 0;
        const int firsts = find(unnamed, t, first, &a), seconds = find(unnamed, t, second, &b);
        if (firsts != seconds || firsts > 1) return false;
        if (firsts == 1 && (b != a + 1 || unnamed->contraction->tensor[t].strided)) return false;
    }
    return true;
}

static void remove_index(struct unnamed *unnamed, int index) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        int at = 0;
        if (find(unnamed, t, index, &at) == 0) continue;
        memmove(&unnamed->dim[t][at], &unnamed->dim[t][at + 1],
                (size_t)(unnamed->rank[t] - at - 1) * sizeof unnamed->dim[t][0]);
        unnamed->rank[t]--;
    }
}

static void fuse(struct unnamed *unnamed) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        for (int d = 0; d + 1 < unnamed->rank[t];) {
            const int first = unnamed->dim[t][d], second = unnamed->dim[t][d + 1];
            if (first != second && continues(unnamed, first, second)) {
                unnamed->extent[first] *= unnamed->extent[second];
                remove_index(unnamed, second);
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

static void print_tensor(struct strbuf *out, const struct unnamed *unnamed, int t,
                         struct numbering *numbering) {
    const struct tcplan_tensor *tensor = &unnamed->contraction->tensor[t];
    strbuf_add(out, tensor->conjugated ? " ~" : " ");
    for (int d = 0; d < unnamed->rank[t]; d++)
        strbuf_add(out, "%s%d", d > 0 ? "," : "", number_of(numbering, unnamed->dim[t][d]));
    for (int d = 0; d < tensor->rank && tensor->strided; d++)
        strbuf_add(out, "%s%" PRId64, d > 0 ? "," : "@", tensor->stride[d]);
}

char *program_key(const struct tcplan_layout_program *program, int item,
                  const struct layout layout[]) {
    const int *operand = program->operands[item].tensor;
    struct unnamed unnamed = unnamed_of(program, item, layout);
    struct numbering numbering = {0};
    struct strbuf out = {0};
    fuse(&unnamed);
    strbuf_add(&out, "%c%c", tcplan_dtype_letter(program->item[item].dtype),
               unnamed.contraction->order == TCPLAN_ROW_MAJOR ? 'r' : 'c');
    if (operand[TCPLAN_A] == operand[TCPLAN_B]) strbuf_add(&out, " AA");
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        static const int order[TCPLAN_TENSORS] = {TCPLAN_C, TCPLAN_A, TCPLAN_B, TCPLAN_ADDEND};
        if (operand[order[t]] != LAYOUT_NO_TENSOR)
            print_tensor(&out, &unnamed, order[t], &numbering);
    }
    strbuf_add(&out, " ");
    scalar_print(&out, unnamed.contraction->alpha);
    strbuf_add(&out, " ");
    scalar_print(&out, unnamed.contraction->beta);
    for (int n = 0; n < numbering.count; n++)
        strbuf_add(&out, " %" PRIu64, unnamed.extent[numbering.index[n]]);
    return strbuf_finish(&out);
}
