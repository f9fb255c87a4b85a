#include "network/search/subject.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

/** Numbers the indices of a term: `local` receives, for each index of the network, its number in
 * the term, or -1. Returns how many indices the term has. */
static int number_indices(int local[], const struct tcplan_network *network,
                          const struct tcplan_network_term *term) {
    int count = 0;
    for (int i = 0; i < network->index_count; i++) local[i] = -1;
    for (int o = term->first; o < term->first + term->count; o++) {
        for (int d = 0; d < network->operand[o].rank; d++) {
            int *number = &local[network->operand[o].dims[d]];
            if (*number < 0) *number = count++;
        }
    }
    return count;
}

static bool allocate(struct subject *subject, size_t indices) {
    const size_t words = (size_t)subject->words, leaves = (size_t)subject->leaves;
    subject->index = base_alloc(indices * sizeof *subject->index);
    subject->extent = base_alloc(indices * sizeof *subject->extent);
    subject->logarithm = base_alloc(indices * sizeof *subject->logarithm);
    subject->leaf = base_alloc_zero(leaves * words, sizeof *subject->leaf);
    subject->out = base_alloc_zero(words, sizeof *subject->out);
    subject->elements = base_alloc(leaves * sizeof *subject->elements);
    return subject->index && subject->extent && subject->logarithm && subject->leaf &&
           subject->out && subject->elements;
}

/** Removes indices that only one leaf has, and that the result lacks, from the set of that leaf. */
static void drop_lonely(struct subject *subject, int *uses) {
    for (int l = 0; l < subject->leaves; l++) {
        for (int i = 0; i < subject->indices; i++) uses[i] += set_has(subject_leaf(subject, l), i);
    }
    for (int l = 0; l < subject->leaves; l++) {
        uint64_t *set = subject->leaf + (size_t)l * (size_t)subject->words;
        for (int i = 0; i < subject->indices; i++) {
            if (set_has(set, i) && uses[i] == 1 && !set_has(subject->out, i))
                set[i / 64] &= ~((uint64_t)1 << (i % 64));
        }
    }
}

bool subject_init(struct subject *out, const struct tcplan_network *network, int term,
                  const int64_t extent[], const bool *sliced) {
    const struct tcplan_network_term *from = &network->term[term];
    int *local = base_alloc(((size_t)network->index_count + 1) * 2 * sizeof *local);
    if (!local) return false;
    out->leaves = from->count;
    out->indices = number_indices(local, network, from);
    out->words = out->indices > 0 ? (out->indices + 63) / 64 : 1;
    const bool allocated = allocate(out, (size_t)out->indices + 1);
    for (int i = 0; allocated && i < network->index_count; i++) {
        if (local[i] < 0) continue;
        out->index[local[i]] = (uint16_t)i;
        out->extent[local[i]] = sliced[i] ? 1 : (double)extent[i];
        out->logarithm[local[i]] = log(fmax(out->extent[local[i]], 1));
    }
    for (int l = 0; allocated && l < from->count; l++) {
        const struct tcplan_network_operand *operand = &network->operand[from->first + l];
        uint64_t *set = out->leaf + (size_t)l * (size_t)out->words;
        out->elements[l] = 1;
        for (int d = 0; d < operand->rank; d++) {
            out->elements[l] *= out->extent[local[operand->dims[d]]];
            set_add(set, local[operand->dims[d]]);
        }
    }
    const struct tcplan_network_operand *target = tcplan_network_target(network, term);
    for (int d = 0; allocated && d < target->rank; d++) set_add(out->out, local[target->dims[d]]);
    memset(local, 0, ((size_t)out->indices + 1) * sizeof *local);
    if (allocated) drop_lonely(out, local);
    base_free(local);
    return allocated;
}

bool subject_merge(struct subject *out, const struct subject *subject, int left, int right) {
    const size_t words = (size_t)subject->words, indices = (size_t)subject->indices;
    *out = *subject;
    if (!allocate(out, indices + 1)) return false;
    memcpy(out->index, subject->index, indices * sizeof *out->index);
    memcpy(out->extent, subject->extent, indices * sizeof *out->extent);
    memcpy(out->logarithm, subject->logarithm, indices * sizeof *out->logarithm);
    memcpy(out->out, subject->out, words * sizeof *out->out);
    out->leaves = subject->leaves - 1;
    for (int l = 0; l < out->leaves; l++) {
        const int from = l < right ? l : l + 1;
        memcpy(out->leaf + (size_t)l * words, subject_leaf(subject, from),
               words * sizeof *out->leaf);
        out->elements[l] = subject->elements[from];
    }
    uint64_t *made = out->leaf + (size_t)left * words;
    for (size_t w = 0; w < words; w++) {
        uint64_t needed = subject->out[w];
        for (int l = 0; l < subject->leaves; l++) {
            if (l != left && l != right) needed |= subject_leaf(subject, l)[w];
        }
        made[w] = (made[w] | subject_leaf(subject, right)[w]) & needed;
    }
    out->elements[left] = subject_elements(out, made);
    return true;
}

void subject_free(struct subject *subject) {
    base_free(subject->index);
    base_free(subject->extent);
    base_free(subject->logarithm);
    base_free(subject->leaf);
    base_free(subject->out);
    base_free(subject->elements);
}

double subject_elements(const struct subject *subject, const uint64_t *set) {
    double elements = 1;
    for (int w = 0; w < subject->words; w++) {
        for (uint64_t rest = set[w]; rest; rest &= rest - 1)
            elements *= subject->extent[w * 64 + __builtin_ctzll(rest)];
    }
    return elements;
}

struct step_cost subject_step(const struct subject *subject, const uint64_t *left,
                              const uint64_t *right, const uint64_t *made, double left_elements,
                              double right_elements, double made_elements) {
    double batch = 1, m = 1, n = 1, k = 1;
    for (int w = 0; w < subject->words; w++) {
        const double *extent = subject->extent + (size_t)w * 64;
        const uint64_t l = left[w], r = right[w], z = made[w];
        for (uint64_t rest = l & r & z; rest; rest &= rest - 1)
            batch *= extent[__builtin_ctzll(rest)];
        for (uint64_t rest = l & r & ~z; rest; rest &= rest - 1) k *= extent[__builtin_ctzll(rest)];
        for (uint64_t rest = l & ~r; rest; rest &= rest - 1) m *= extent[__builtin_ctzll(rest)];
        for (uint64_t rest = r & ~l; rest; rest &= rest - 1) n *= extent[__builtin_ctzll(rest)];
    }
    struct step_cost cost = {.flops = (subject->is_complex ? 8 : 2) * batch * m * n * k};
    if (subject->objective == TCPLAN_OBJECTIVE_TIME) {
        const double bytes =
            (left_elements + right_elements + made_elements) * (double)subject->element_bytes;
        cost.seconds = speeds_step(subject->speeds, batch, m, n, k, bytes);
    }
    return cost;
}
