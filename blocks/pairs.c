#include "blocks/pairs.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "blocks/table.h"

enum { MOST_PAIRS = 1 << 30 };

/** State of a search for pairs. */
struct finding {
    struct tcplan_block_product *product;
    struct block_pairs *pairs;
    struct tcplan_error *error;
    int32_t *by_meet;    /* numbers of the blocks of B, sorted by meet id */
    int64_t *meet_first; /* for each meet id, its first position in `by_meet`; the last entry is the
                            end */
    struct id_table results; /* ids of the blocks of the result; the keys are their row and column
                                ids */
    struct id_table classes; /* ids of the classes; the keys are the `shape` ids of a block of A, of
                                B and of the result */
    int32_t *result_of;      /* for each id in `results`, the number of the block of the result */
    struct block_pair *found; /* pairs in the order of the blocks of A */
    int32_t *found_in;        /* for each pair in `found`, the number of its block of the result */
};

/* Ids of blocks. */

/** Assigns to each block an id of its section numbers along `indices`. Only the tensors in `has`
 * are considered; each has all of these indices. */
static enum tcplan_status find_ids(struct block_ids *out,
                                   const struct tcplan_block_product *product, uint64_t indices,
                                   const bool has[TCPLAN_OPERANDS], struct tcplan_error *error) {
    struct id_table table = {.width = __builtin_popcountll(indices)};
    enum tcplan_status status = TCPLAN_OK;
    out->indices = indices;
    for (int t = 0; t < TCPLAN_OPERANDS && status == TCPLAN_OK; t++) {
        if (!has[t]) continue;
        const struct tcplan_tensor *tensor = &product->contraction->tensor[t];
        int place[TCPLAN_MAX_INDICES], width = 0;
        int32_t key[TCPLAN_MAX_INDICES];
        for (int i = 0; i < TCPLAN_MAX_INDICES; i++) {
            for (int d = 0; d < tensor->rank && (indices >> i & 1U); d++)
                if (tensor->dims[d] == i) place[width++] = d;
        }
        out->of[t] = base_alloc(((size_t)product->tensor[t].count + 1) * sizeof *out->of[t]);
        if (!out->of[t]) status = error_no_memory(error);
        for (int64_t b = 0; b < product->tensor[t].count && status == TCPLAN_OK; b++) {
            const int32_t *at = structure_at(product, (enum tcplan_operand)t, b);
            for (int i = 0; i < width; i++) key[i] = at[place[i]];
            out->of[t][b] = id_table_find(&table, key, true);
            if (out->of[t][b] < 0) status = error_no_memory(error);
        }
    }
    out->count = table.count;
    id_table_free(&table);
    return status;
}

static enum tcplan_status find_all_ids(const struct finding *finding) {
    const struct tcplan_contraction *contraction = finding->product->contraction;
    const uint64_t batch = tcplan_contraction_indices(contraction, TCPLAN_BATCH);
    const enum tcplan_index_kind kind[PAIRS_IDS] = {TCPLAN_CONTRACTED, TCPLAN_FREE_A,
                                                    TCPLAN_FREE_B};
    static const bool has[PAIRS_IDS][TCPLAN_OPERANDS] = {
        {true, true, false}, {true, false, true}, {false, true, true}};
    enum tcplan_status status = TCPLAN_OK;
    for (int k = 0; k < PAIRS_IDS && status == TCPLAN_OK; k++)
        status = find_ids(&finding->pairs->ids[k], finding->product,
                          batch | tcplan_contraction_indices(contraction, kind[k]), has[k],
                          finding->error);
    return status;
}

/** Assigns to each block of a tensor an id of its extents and strides. */
static enum tcplan_status find_shapes(struct finding *finding, enum tcplan_operand operand) {
    const struct tcplan_block_product *product = finding->product;
    const struct tcplan_tensor *tensor = &product->contraction->tensor[operand];
    const struct block_list *list = &product->tensor[operand];
    struct block_pairs *pairs = finding->pairs;
    struct id_table table = {.width = tensor->rank * (list->stride ? 3 : 1)};
    int32_t key[3 * TCPLAN_MAX_RANK];
    enum tcplan_status status = TCPLAN_OK;
    pairs->shape[operand] = base_alloc(((size_t)list->count + 1) * sizeof(int32_t));
    if (!pairs->shape[operand]) return error_no_memory(finding->error);
    for (int64_t b = 0; b < list->count && status == TCPLAN_OK; b++) {
        const int32_t *at = structure_at(product, operand, b);
        for (int d = 0; d < tensor->rank; d++) {
            key[d] = (int32_t)product->index[tensor->dims[d]].extent[at[d]];
            if (!list->stride) continue;
            const uint64_t stride = (uint64_t)list->stride[b * tensor->rank + d];
            key[tensor->rank + 2 * d] = (int32_t)(uint32_t)stride;
            key[tensor->rank + 2 * d + 1] = (int32_t)(uint32_t)(stride >> 32U);
        }
        pairs->shape[operand][b] = id_table_find(&table, key, true);
        if (pairs->shape[operand][b] < 0) status = error_no_memory(finding->error);
    }
    pairs->shape_count[operand] = table.count;
    id_table_free(&table);
    return status;
}

/* Pairs. */

/** Sorts the blocks of B by their meet ids. */
static enum tcplan_status sort_by_meet(struct finding *finding) {
    const struct block_ids *meet = &finding->pairs->ids[PAIRS_MEET];
    const int64_t count = finding->product->tensor[TCPLAN_B].count;
    finding->by_meet = base_alloc(((size_t)count + 1) * sizeof *finding->by_meet);
    finding->meet_first = base_alloc_zero((size_t)meet->count + 2, sizeof *finding->meet_first);
    if (!finding->by_meet || !finding->meet_first) return error_no_memory(finding->error);
    int64_t *first = finding->meet_first;
    for (int64_t b = 0; b < count; b++) first[meet->of[TCPLAN_B][b] + 2]++;
    for (int32_t i = 0; i < meet->count; i++) first[i + 2] += first[i + 1];
    for (int64_t b = 0; b < count; b++)
        finding->by_meet[first[meet->of[TCPLAN_B][b] + 1]++] = (int32_t)b;
    return TCPLAN_OK;
}

/** Calls `use` for each pair of blocks with equal meet ids. */
static enum tcplan_status each_meeting(struct finding *finding,
                                       enum tcplan_status (*use)(struct finding *finding, int32_t a,
                                                                 int32_t b)) {
    const int32_t *meet = finding->pairs->ids[PAIRS_MEET].of[TCPLAN_A];
    enum tcplan_status status = TCPLAN_OK;
    for (int64_t a = 0; a < finding->product->tensor[TCPLAN_A].count; a++) {
        const int64_t end = finding->meet_first[meet[a] + 1];
        for (int64_t n = finding->meet_first[meet[a]]; n < end && status == TCPLAN_OK; n++)
            status = use(finding, (int32_t)a, finding->by_meet[n]);
    }
    return status;
}

/** Adds the block to which a pair contributes to the result's list, unless it is already listed. */
static enum tcplan_status reach(struct finding *finding, int32_t a, int32_t b) {
    struct tcplan_block_product *product = finding->product;
    const struct tcplan_tensor *tensor = product->contraction->tensor;
    struct block_list *list = &product->tensor[TCPLAN_C];
    const int32_t key[2] = {finding->pairs->ids[PAIRS_ROW].of[TCPLAN_A][a],
                            finding->pairs->ids[PAIRS_COLUMN].of[TCPLAN_B][b]};
    const int32_t id = id_table_find(&finding->results, key, true);
    if (id < 0) return error_no_memory(finding->error);
    if (id < list->count) return TCPLAN_OK;
    const size_t rank = (size_t)tensor[TCPLAN_C].rank;
    int32_t *larger =
        base_grow(list->at, (size_t)list->count, (rank > 0 ? rank : 1) * sizeof *larger);
    if (!larger) return error_no_memory(finding->error);
    list->at = larger;
    for (size_t d = 0; d < rank; d++) {
        const int i = tensor[TCPLAN_C].dims[d];
        const enum tcplan_operand from = tensor[TCPLAN_A].indices >> i & 1U ? TCPLAN_A : TCPLAN_B;
        const int32_t *at = structure_at(product, from, from == TCPLAN_A ? a : b);
        for (int e = 0; e < tensor[from].rank; e++)
            if (tensor[from].dims[e] == i) larger[(size_t)list->count * rank + d] = at[e];
    }
    list->count++;
    return TCPLAN_OK;
}

/** Fills `results` and `result_of`. */
static enum tcplan_status index_results(struct finding *finding) {
    const int64_t count = finding->product->tensor[TCPLAN_C].count;
    id_table_free(&finding->results);
    finding->results.width = 2;
    finding->result_of = base_alloc(((size_t)count + 1) * sizeof *finding->result_of);
    if (!finding->result_of) return error_no_memory(finding->error);
    for (int64_t c = 0; c < count; c++) {
        const int32_t key[2] = {finding->pairs->ids[PAIRS_ROW].of[TCPLAN_C][c],
                                finding->pairs->ids[PAIRS_COLUMN].of[TCPLAN_C][c]};
        const int32_t id = id_table_find(&finding->results, key, true);
        if (id < 0) return error_no_memory(finding->error);
        finding->result_of[id] = (int32_t)c;
    }
    return TCPLAN_OK;
}

/** Returns the floating-point operations of a pair. */
static double flops_of(const struct tcplan_block_product *product, int32_t a, int32_t b) {
    const bool is_complex = tcplan_dtype_is_complex(product->dtype);
    const struct tcplan_tensor *tensor = product->contraction->tensor;
    return (is_complex ? 8 : 2) * structure_volume(product, TCPLAN_A, a, tensor[TCPLAN_A].indices) *
           structure_volume(product, TCPLAN_B, b,
                            tensor[TCPLAN_B].indices & ~tensor[TCPLAN_A].indices);
}

/** Returns the class of a pair; makes a new class if no earlier pair has these shapes. Returns -1
 * if memory runs out. */
static int32_t class_of(struct finding *finding, int32_t a, int32_t b, int32_t c) {
    struct block_pairs *pairs = finding->pairs;
    const int32_t key[3] = {pairs->shape[0][a], pairs->shape[1][b], pairs->shape[2][c]};
    const int32_t id = id_table_find(&finding->classes, key, true);
    if (id < 0) return -1;
    if (id == pairs->class_count) {
        struct block_class *larger = base_grow(pairs->class, (size_t)id, sizeof *larger);
        if (!larger) return -1;
        pairs->class = larger;
        larger[pairs->class_count++] =
            (struct block_class){.a = a, .b = b, .c = c, .flops = flops_of(finding->product, a, b)};
    }
    pairs->class[id].pairs++;
    return id;
}

static enum tcplan_status add_pair(struct finding *finding, int32_t a, int32_t b) {
    struct block_pairs *pairs = finding->pairs;
    const int32_t key[2] = {pairs->ids[PAIRS_ROW].of[TCPLAN_A][a],
                            pairs->ids[PAIRS_COLUMN].of[TCPLAN_B][b]};
    const int32_t id = id_table_find(&finding->results, key, false);
    /* The caller's list lacks this block of the result, so the pair is not needed. */
    if (id < 0) return TCPLAN_OK;
    if (pairs->count == MOST_PAIRS)
        return error_set(finding->error, TCPLAN_OVERFLOW, "more than %d pairs of blocks",
                         MOST_PAIRS);
    const int32_t c = finding->result_of[id];
    const int32_t class = class_of(finding, a, b, c);
    struct block_pair *larger = base_grow(finding->found, (size_t)pairs->count, sizeof *larger);
    if (larger) finding->found = larger;
    int32_t *in = base_grow(finding->found_in, (size_t)pairs->count, sizeof *in);
    if (in) finding->found_in = in;
    if (class < 0 || !larger || !in) return error_no_memory(finding->error);
    larger[pairs->count] = (struct block_pair){a, b, class};
    in[pairs->count++] = c;
    pairs->flops += pairs->class[class].flops;
    return TCPLAN_OK;
}

/** Lists the pairs by class, and within a class in the order of A's blocks. */
static bool sort_by_class(int32_t by_class[], const struct finding *finding) {
    const struct block_pairs *pairs = finding->pairs;
    int64_t *first = base_alloc_zero((size_t)pairs->class_count + 1, sizeof *first);
    if (!first) return false;
    for (int c = 0; c + 1 < pairs->class_count; c++)
        first[c + 1] = first[c] + pairs->class[c].pairs;
    for (int64_t p = 0; p < pairs->count; p++)
        by_class[first[finding->found[p].class]++] = (int32_t)p;
    base_free(first);
    return true;
}

/** Sorts the pairs by their block of the result, and the pairs of each block by class. */
static enum tcplan_status sort_pairs(struct finding *finding) {
    struct block_pairs *pairs = finding->pairs;
    const int64_t results = finding->product->tensor[TCPLAN_C].count;
    int32_t *by_class = base_alloc(((size_t)pairs->count + 1) * sizeof *by_class);
    pairs->pair = base_alloc(((size_t)pairs->count + 1) * sizeof *pairs->pair);
    pairs->first = base_alloc_zero((size_t)results + 2, sizeof *pairs->first);
    if (!pairs->pair || !pairs->first || !by_class || !sort_by_class(by_class, finding)) {
        base_free(by_class);
        return error_no_memory(finding->error);
    }
    for (int64_t p = 0; p < pairs->count; p++) pairs->first[finding->found_in[p] + 2]++;
    for (int64_t c = 0; c < results; c++) {
        pairs->unreached += pairs->first[c + 2] == 0;
        pairs->first[c + 2] += pairs->first[c + 1];
    }
    for (int64_t n = 0; n < pairs->count; n++)
        pairs->pair[pairs->first[finding->found_in[by_class[n]] + 1]++] =
            finding->found[by_class[n]];
    base_free(by_class);
    return TCPLAN_OK;
}

/* The following functions find the parts of the product. */

static int32_t root_of(int32_t parent[], int32_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
}

static void join(int32_t parent[], int32_t a, int32_t b) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a < b ? a : b;
}

/** Joins the row, meet and column ids of each pair into one component (union-find). The nodes are
 * the row ids, then the meet ids, then the column ids. */
static void join_pairs(int32_t parent[], const struct finding *finding) {
    const struct block_pairs *pairs = finding->pairs;
    const int32_t rows = pairs->ids[PAIRS_ROW].count, meets = pairs->ids[PAIRS_MEET].count;
    for (int64_t p = 0; p < pairs->count; p++) {
        const int32_t meet = rows + pairs->ids[PAIRS_MEET].of[TCPLAN_A][pairs->pair[p].a];
        join(parent, pairs->ids[PAIRS_ROW].of[TCPLAN_A][pairs->pair[p].a], meet);
        join(parent, meet, rows + meets + pairs->ids[PAIRS_COLUMN].of[TCPLAN_B][pairs->pair[p].b]);
    }
}

/** Counts a block of the result in its part, and adds the part at its first block. `*part_of` is
 * the number of the part, from 1; 0: not numbered yet. */
static enum tcplan_status count_block(struct finding *finding, int32_t *part_of, int64_t c) {
    struct block_pairs *pairs = finding->pairs;
    if (*part_of == 0) {
        struct block_part *larger =
            base_grow(pairs->part, (size_t)pairs->part_count, sizeof *larger);
        if (!larger) return error_no_memory(finding->error);
        pairs->part = larger;
        larger[pairs->part_count++] = (struct block_part){0};
        *part_of = pairs->part_count;
    }
    struct block_part *part = &pairs->part[*part_of - 1];
    part->count++;
    part->pairs += pairs->first[c + 1] - pairs->first[c];
    for (int64_t p = pairs->first[c]; p < pairs->first[c + 1]; p++)
        part->flops += pairs->class[pairs->pair[p].class].flops;
    return TCPLAN_OK;
}

static enum tcplan_status fill_parts(struct finding *finding, int32_t parent[], int32_t part_of[]) {
    struct block_pairs *pairs = finding->pairs;
    const int64_t results = finding->product->tensor[TCPLAN_C].count;
    const int32_t *row = pairs->ids[PAIRS_ROW].of[TCPLAN_C];
    enum tcplan_status status = TCPLAN_OK;
    int64_t first = 0;
    for (int64_t c = 0; c < results && status == TCPLAN_OK; c++) {
        if (pairs->first[c + 1] > pairs->first[c])
            status = count_block(finding, &part_of[root_of(parent, row[c])], c);
    }
    for (int p = 0; p < pairs->part_count; p++) {
        pairs->part[p].first = first;
        first += pairs->part[p].count;
        pairs->part[p].count = 0;
    }
    for (int64_t c = 0; c < results && status == TCPLAN_OK; c++) {
        if (pairs->first[c + 1] == pairs->first[c]) continue;
        struct block_part *part = &pairs->part[part_of[root_of(parent, row[c])] - 1];
        pairs->order[part->first + part->count++] = (int32_t)c;
    }
    return status;
}

static enum tcplan_status find_parts(struct finding *finding) {
    struct block_pairs *pairs = finding->pairs;
    const int64_t nodes = (int64_t)pairs->ids[PAIRS_ROW].count + pairs->ids[PAIRS_MEET].count +
                          pairs->ids[PAIRS_COLUMN].count;
    int32_t *parent = base_alloc(((size_t)nodes + 1) * sizeof *parent);
    int32_t *part_of = base_alloc_zero((size_t)nodes + 1, sizeof *part_of);
    pairs->order =
        base_alloc(((size_t)finding->product->tensor[TCPLAN_C].count + 1) * sizeof *pairs->order);
    enum tcplan_status status =
        parent && part_of && pairs->order ? TCPLAN_OK : error_no_memory(finding->error);
    if (parent && part_of && status == TCPLAN_OK) {
        for (int64_t n = 0; n < nodes; n++) parent[n] = (int32_t)n;
        join_pairs(parent, finding);
        status = fill_parts(finding, parent, part_of);
    }
    base_free(parent);
    base_free(part_of);
    return status;
}

static enum tcplan_status find(struct finding *finding, bool reached) {
    enum tcplan_status status = find_all_ids(finding);
    if (status == TCPLAN_OK) status = sort_by_meet(finding);
    if (status == TCPLAN_OK && reached) {
        status = each_meeting(finding, reach);
        for (int k = PAIRS_ROW; k <= PAIRS_COLUMN; k++) {
            for (int t = 0; t < TCPLAN_OPERANDS; t++) base_free(finding->pairs->ids[k].of[t]);
            finding->pairs->ids[k] = (struct block_ids){0};
        }
        base_free(finding->pairs->ids[PAIRS_MEET].of[TCPLAN_A]);
        base_free(finding->pairs->ids[PAIRS_MEET].of[TCPLAN_B]);
        finding->pairs->ids[PAIRS_MEET] = (struct block_ids){0};
        /* The list of the result's blocks is now complete, so its blocks get ids as well. */
        if (status == TCPLAN_OK) status = find_all_ids(finding);
    }
    for (int t = 0; t < TCPLAN_OPERANDS && status == TCPLAN_OK; t++)
        status = find_shapes(finding, (enum tcplan_operand)t);
    if (status == TCPLAN_OK) status = index_results(finding);
    if (status == TCPLAN_OK) status = each_meeting(finding, add_pair);
    if (status == TCPLAN_OK) status = sort_pairs(finding);
    return status == TCPLAN_OK ? find_parts(finding) : status;
}

enum tcplan_status pairs_find(struct tcplan_block_product *product, bool reached,
                              struct tcplan_error *error) {
    struct finding finding = {
        .product = product, .error = error, .results = {.width = 2}, .classes = {.width = 3}};
    finding.pairs = product->pairs = base_alloc_zero(1, sizeof *product->pairs);
    const enum tcplan_status status =
        finding.pairs ? find(&finding, reached) : error_no_memory(error);
    base_free(finding.by_meet);
    base_free(finding.meet_first);
    id_table_free(&finding.results);
    id_table_free(&finding.classes);
    base_free(finding.result_of);
    base_free(finding.found);
    base_free(finding.found_in);
    return status;
}

void pairs_free(struct block_pairs *pairs) {
    if (!pairs) return;
    base_free(pairs->pair);
    base_free(pairs->first);
    base_free(pairs->class);
    for (int k = 0; k < PAIRS_IDS; k++) {
        for (int t = 0; t < TCPLAN_OPERANDS; t++) base_free(pairs->ids[k].of[t]);
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) base_free(pairs->shape[t]);
    base_free(pairs->part);
    base_free(pairs->order);
    base_free(pairs);
}
