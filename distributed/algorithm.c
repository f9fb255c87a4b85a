/*
 * An algorithm splits the iteration space: each axis of the grid splits one index. All ranks along
 * an axis need the same blocks of an operand that lacks this index; these blocks are gathered. If
 * the result lacks this index, its blocks are partial sums, which are added. How an operand moves
 * follows from its home, the layout in which the caller stores it:
 *
 *   home of an operand                                        the operand is
 *   its blocks, copies along the axes whose index it lacks    used in place
 *   its blocks, divided along some of these axes              gathered along them (Allgatherv)
 *   anything else, block-cyclic layouts included              exchanged (Alltoallv)
 *
 * The result is reduced and scattered, or reduced to copies, in the same way. Tensors whose layout
 * the caller does not prescribe get a home without copies: the axes whose index they lack divide
 * one of their indices.
 */
#include "distributed/algorithm.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/indexset.h"
#include "distributed/scalapack.h"

/* Names. */

static bool read_index(struct scan *scan, const struct tcplan_contraction *contraction, int *out,
                       struct word *name) {
    scan_peek(scan);
    *name = scan_run(scan, scan_is_name);
    if (name->length == 0) return scan_expected(scan, "an index");
    *out = distribution_index(contraction, *name);
    if (*out < 0)
        return scan_refuse(scan, *name, "the contraction has no index %s",
                           scan_excerpt(*name).text);
    return true;
}

static bool read_indices(struct algorithm *out, struct scan *scan,
                         const struct tcplan_contraction *contraction) {
    for (int k = 0; k < out->grid.axes; k++) {
        int index = -1;
        struct word name;
        if (k > 0 && !scan_accept(scan, ","))
            return scan_expected(scan, "',' and an index for each axis");
        if (!read_index(scan, contraction, &index, &name)) return false;
        if (!indexset_has(algorithm_indices(contraction), index))
            return scan_refuse(scan, name, "index %s is a diagonal and cannot be split",
                               scan_excerpt(name).text);
        for (int other = 0; other < k; other++) {
            if (out->index[other] == index)
                return scan_refuse(scan, name, "index %s is split twice", scan_excerpt(name).text);
        }
        out->index[k] = (uint8_t)index;
    }
    return true;
}

/** Reads a length of 1 or more. `what` names the quantity in the error message. */
static bool read_length(int64_t *out, struct scan *scan, const char *what) {
    char expected[64];
    scan_peek(scan);
    const struct word digits = scan_run(scan, scan_is_digit);
    *out = 0;
    for (size_t c = 0; c < digits.length && *out <= INT32_MAX; c++)
        *out = 10 * *out + (digits.text[c] - '0');
    snprintf(expected, sizeof expected, "the length of %s", what);
    if (digits.length == 0) return scan_expected(scan, expected);
    if (*out == 0 || *out > INT32_MAX)
        return scan_refuse(scan, digits, "%s has 1 to %d elements", what, INT32_MAX);
    return true;
}

/** Reads the panels in an algorithm's name, such as `/i:64`. */
static bool read_panel(struct algorithm *out, struct scan *scan,
                       const struct tcplan_contraction *contraction) {
    struct word name;
    if (!read_index(scan, contraction, &out->panel_index, &name)) return false;
    if (contraction->index[out->panel_index].kind != TCPLAN_CONTRACTED ||
        !indexset_has(algorithm_indices(contraction), out->panel_index))
        return scan_refuse(scan, name, "panels need a contracted index; %s is not contracted",
                           scan_excerpt(name).text);
    if (!scan_accept(scan, ":")) return scan_expected(scan, "':' and the length of a panel");
    return read_length(&out->panel, scan, "a panel");
}

static const char pdgemm_name[] = "pdgemm";

/** Returns whether the text continues with `pdgemm`, and skips this word. */
static bool accept_pdgemm(struct scan *scan) {
    const char *before = scan->at;
    scan_peek(scan);
    if (word_equal(scan_run(scan, scan_is_name), word_of(pdgemm_name))) return true;
    scan->at = before;
    return false;
}

/** Reads the rest of a name such as `pdgemm:2x2/128`. */
static bool read_pdgemm(struct algorithm *out, struct scan *scan) {
    out->is_pdgemm = true;
    if (!scan_accept(scan, ":")) return scan_expected(scan, "':' and a grid such as 2x2");
    scan_peek(scan);
    const struct word from = {scan->at, 0};
    if (!grid_scan(&out->grid, scan)) return false;
    if (out->grid.axes != 2)
        return scan_refuse(scan, scan_since(scan, from),
                           "pdgemm has a grid of two axes, such as 1x4");
    return !scan_accept(scan, "/") || read_length(&out->block, scan, "a block");
}

enum tcplan_status algorithm_parse(struct algorithm *out,
                                   const struct tcplan_contraction *contraction, const char *text,
                                   struct tcplan_error *error) {
    struct scan scan;
    struct algorithm read = {.panel_index = -1};
    if (!scan_init(&scan, text, error)) return scan.status;
    if (accept_pdgemm(&scan)) {
        if (!read_pdgemm(&read, &scan)) return scan.status;
    } else if (!grid_scan(&read.grid, &scan)) {
        return scan.status;
    }
    if (!read.is_pdgemm && read.grid.axes > 0) {
        if (!scan_accept(&scan, ":")) {
            scan_expected(&scan, "':' and the index that each axis splits");
            return scan.status;
        }
        if (!read_indices(&read, &scan, contraction)) return scan.status;
    }
    if (!read.is_pdgemm && scan_accept(&scan, "/") && !read_panel(&read, &scan, contraction))
        return scan.status;
    if (scan_peek(&scan) != '\0') {
        scan_expected(&scan, "'/' or the end of the name");
        return scan.status;
    }
    *out = read;
    return TCPLAN_OK;
}

void algorithm_add_name(struct strbuf *out, const struct tcplan_contraction *contraction,
                        const struct algorithm *algorithm) {
    if (algorithm->is_pdgemm) {
        strbuf_add(out, "%s:", pdgemm_name);
        grid_add_text(out, &algorithm->grid);
        if (algorithm->block > 0) strbuf_add(out, "/%" PRId64, algorithm->block);
        return;
    }
    if (algorithm->is_slice) strbuf_add(out, "slices:");
    grid_add_text(out, &algorithm->grid);
    for (int k = 0; k < algorithm->grid.axes; k++) {
        const int index = algorithm->index[k];
        strbuf_add(out, "%s%s", k > 0 ? "," : ":",
                   index == ALGORITHM_NO_INDEX ? "-" : contraction->index[index].name);
    }
    if (algorithm->panel_index >= 0)
        strbuf_add(out, "/%s:%" PRId64, contraction->index[algorithm->panel_index].name,
                   algorithm->panel);
}

/* The following functions turn an algorithm into a plan. */

uint64_t algorithm_indices(const struct tcplan_contraction *contraction) {
    uint64_t indices = indexset_below(contraction->index_count);
    for (int t = 0; t < DIST_TENSORS; t++) {
        indices &= ~(contraction->tensor[t].indices & ~distribution_single_indices(contraction, t));
    }
    return indices;
}

static bool is_same_grid(const struct dist_grid *a, const struct dist_grid *b) {
    bool same = a->axes == b->axes;
    for (int k = 0; k < a->axes && same; k++) same = a->size[k] == b->size[k];
    return same;
}

/** Returns the axes along which `home` divides the blocks of `work` further. `*nested` receives
 * whether `home` has all splits of `work`, on the same grid, and no block-cyclic split. If it is
 * false, ignore the returned axes. */
static unsigned nested_axes(bool *nested, const struct dist_layout *home,
                            const struct dist_layout *work) {
    unsigned extra = 0;
    *nested = is_same_grid(&home->grid, &work->grid);
    /* In `home`, the first axes that split each index must be those of `work`, in the same
     * order. */
    for (int w = 0; w < work->count && *nested; w++) {
        int h = 0;
        while (h < home->count && home->split[h].index != work->split[w].index) h++;
        *nested = h < home->count && home->split[h].axis == work->split[w].axis;
    }
    for (int h = 0; h < home->count; h++) *nested = *nested && home->split[h].cyclic == 0;
    for (int h = 0; h < home->count && *nested; h++) {
        bool is_work = false;
        for (int w = 0; w < work->count; w++)
            is_work = is_work || work->split[w].axis == home->split[h].axis;
        if (!is_work) extra |= 1U << home->split[h].axis;
    }
    return extra;
}

/**
 * Returns the index of a tensor that the axes of `group` divide in its home. Chooses the slowest
 * index that has an element for each part, because the pieces of the slowest index are contiguous;
 * if no index has that many elements, the longest index. Returns -1 if no index can be divided.
 */
static int index_to_divide(const struct dist_plan *plan,
                           const struct tcplan_contraction *contraction, int tensor,
                           unsigned group) {
    const struct dist_layout *work = &plan->work[tensor];
    const struct dist_box box = dist_box_of(plan, work, 0);
    const uint64_t single = distribution_single_indices(contraction, tensor);
    const int parts = dist_group_size(&work->grid, group);
    int longest = -1;
    for (int d = plan->tensor[tensor].rank - 1; d >= 0; d--) {
        const int index = plan->tensor[tensor].dims[d];
        if (!indexset_has(single, index)) continue;
        if (longest < 0 || box.length[index] > box.length[longest]) longest = index;
        if (box.length[index] >= parts) return index;
    }
    return longest;
}

static void divide(struct dist_layout *layout, int index, unsigned group) {
    for (int k = 0; k < layout->grid.axes; k++) {
        if (!(group >> k & 1U)) continue;
        assert(layout->count < layout->grid.axes); /* There is room, because an axis splits at most
                                                      one index. */
        layout->split[layout->count++] = (struct dist_split){(uint8_t)index, (uint8_t)k, 0};
    }
}

static void plan_operand(struct dist_plan *plan, const struct tcplan_contraction *contraction,
                         const struct distribution *distribution, int tensor, unsigned lacking) {
    struct dist_layout *home = &plan->home[tensor];
    const struct dist_layout *work = &plan->work[tensor];
    if (!distribution->given[tensor]) {
        const int index = plan->panel_index >= 0
                              ? plan->panel_index
                              : index_to_divide(plan, contraction, tensor, lacking);
        *home = *work;
        if (index >= 0) divide(home, index, lacking);
    }
    bool nested;
    const unsigned extra = nested_axes(&nested, home, work);
    /* The axes outside of `lacking` already split an index of the tensor. */
    assert(!nested || (extra & ~lacking) == 0);
    const bool in_panels = plan->panel_index >= 0;
    plan->group[tensor] = nested ? extra : 0;
    plan->gathering[tensor] = !nested      ? DIST_EXCHANGED
                              : extra == 0 ? DIST_STAYS
                              : in_panels  ? DIST_BROADCAST
                                           : DIST_GATHERED;
}

static void plan_result(struct dist_plan *plan, const struct tcplan_contraction *contraction,
                        const struct algorithm *algorithm, const struct distribution *distribution,
                        unsigned lacking) {
    struct dist_layout *home = &plan->home[DIST_C];
    const struct dist_layout *work = &plan->work[DIST_C];
    if (algorithm->is_partial) {
        *home = plan->reduced = *work;
        plan->reduction = DIST_COMPLETE;
        plan->gathering[DIST_C] = DIST_STAYS;
        return;
    }
    struct dist_layout scattered = *work;
    const int index = index_to_divide(plan, contraction, DIST_C, lacking);
    if (index >= 0) divide(&scattered, index, lacking);
    if (!distribution->given[DIST_C]) *home = scattered;
    bool nested;
    const unsigned extra = nested_axes(&nested, home, work);
    assert(!nested || (extra & ~lacking) == 0);
    const bool in_place = nested && (extra == 0 || extra == lacking);
    plan->group[DIST_C] = lacking;
    plan->reduced = in_place ? *home : scattered;
    plan->reduction = lacking == 0                            ? DIST_COMPLETE
                      : index < 0 || (in_place && extra == 0) ? DIST_SUMMED
                                                              : DIST_SCATTERED;
    plan->gathering[DIST_C] = in_place ? DIST_STAYS : DIST_EXCHANGED;
}

static enum tcplan_status check_tensors(const struct tcplan_problem *problem,
                                        const struct distribution *distribution,
                                        struct tcplan_error *error) {
    const struct tcplan_contraction *contraction = problem->contraction;
    if (tcplan_contraction_has_addend(contraction))
        return error_set(error, TCPLAN_NOT_APPLICABLE,
                         "distributed contractions add to the result, not to another tensor %s",
                         contraction->tensor[TCPLAN_ADDEND].name);
    for (int t = 0; t < DIST_TENSORS; t++) {
        const struct tcplan_tensor *tensor = &contraction->tensor[t];
        if (tensor->strided)
            return error_set(error, TCPLAN_NOT_APPLICABLE,
                             "distributed tensors must be dense; %s has strides", tensor->name);
        const uint64_t single = distribution_single_indices(contraction, t);
        if (t == DIST_C && single != tensor->indices)
            return error_set(error, TCPLAN_NOT_APPLICABLE,
                             "the result %s has an index twice, so only its diagonal is written",
                             tensor->name);
        for (int s = 0; distribution->given[t] && s < distribution->layout[t].count; s++) {
            const int index = distribution->layout[t].split[s].index;
            if (!indexset_has(single, index))
                return error_set(error, TCPLAN_NOT_APPLICABLE,
                                 "index %s is a diagonal of %s and cannot be distributed",
                                 contraction->index[index].name, tensor->name);
        }
    }
    return TCPLAN_OK;
}

/** Rejects panels of an operand whose home is split along an index other than the panel index. */
static enum tcplan_status check_panels(const struct dist_plan *plan,
                                       const struct tcplan_contraction *contraction,
                                       struct tcplan_error *error) {
    for (int t = DIST_A; t <= DIST_B && plan->panel_index >= 0; t++) {
        bool fits = plan->gathering[t] != DIST_EXCHANGED;
        const struct dist_layout *home = &plan->home[t];
        for (int s = 0; s < home->count && fits; s++)
            fits = !(plan->group[t] >> home->split[s].axis & 1U) ||
                   home->split[s].index == plan->panel_index;
        if (!fits)
            return error_set(error, TCPLAN_NOT_APPLICABLE,
                             "panels of %s cannot be broadcast with the distribution of %s",
                             contraction->index[plan->panel_index].name,
                             contraction->tensor[t].name);
    }
    return TCPLAN_OK;
}

/** Completes a plan whose tensors and extents are set, for an algorithm whose axes split indices.
 */
static enum tcplan_status plan_splits(struct dist_plan *plan,
                                      const struct tcplan_contraction *contraction,
                                      const struct algorithm *algorithm,
                                      const struct distribution *distribution,
                                      struct tcplan_error *error) {
    unsigned lacking[DIST_TENSORS] = {0};
    for (int t = 0; t < DIST_TENSORS; t++) {
        struct dist_layout *work = &plan->work[t];
        plan->home[t] = distribution->layout[t];
        work->grid = algorithm->grid;
        for (int k = 0; k < algorithm->grid.axes; k++) {
            const struct dist_split split = {algorithm->index[k], (uint8_t)k, 0};
            if (split.index != ALGORITHM_NO_INDEX &&
                indexset_has(contraction->tensor[t].indices, split.index)) {
                work->split[work->count++] = split;
            } else {
                lacking[t] |= 1U << k;
            }
        }
    }
    plan_operand(plan, contraction, distribution, DIST_A, lacking[DIST_A]);
    plan_operand(plan, contraction, distribution, DIST_B, lacking[DIST_B]);
    plan_result(plan, contraction, algorithm, distribution, lacking[DIST_C]);
    return check_panels(plan, contraction, error);
}

enum tcplan_status algorithm_plan(struct dist_plan *out, const struct tcplan_problem *problem,
                                  const struct algorithm *algorithm,
                                  const struct distribution *distribution,
                                  struct tcplan_error *error) {
    const struct tcplan_contraction *contraction = problem->contraction;
    enum tcplan_status status = check_tensors(problem, distribution, error);
    if (status != TCPLAN_OK) return status;
    struct dist_plan plan = {.index_count = contraction->index_count,
                             .element_bytes = (int)problem->element_bytes,
                             .is_complex = tcplan_dtype_is_complex(problem->dtype),
                             .panel_index = algorithm->panel_index,
                             .panel = algorithm->panel,
                             .beta = {problem->beta.re, problem->beta.im},
                             .conjugated = contraction->tensor[TCPLAN_C].conjugated};
    memcpy(plan.extent, problem->extent, (size_t)plan.index_count * sizeof *plan.extent);
    for (int t = 0; t < DIST_TENSORS; t++) {
        const struct tcplan_tensor *tensor = &contraction->tensor[t];
        plan.tensor[t].rank = tensor->rank;
        for (int d = 0; d < tensor->rank; d++) {
            const bool reversed = contraction->order == TCPLAN_ROW_MAJOR;
            plan.tensor[t].dims[reversed ? tensor->rank - 1 - d : d] = tensor->dims[d];
        }
    }
    status = algorithm->is_pdgemm ? scalapack_plan(&plan, problem, algorithm, distribution, error)
                                  : plan_splits(&plan, contraction, algorithm, distribution, error);
    if (status == TCPLAN_OK) *out = plan;
    return status;
}
