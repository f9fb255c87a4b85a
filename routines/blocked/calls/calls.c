#include "routines/blocked/calls/calls.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#include "ast/nest/blocks.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/hash.h"

struct walker {
    const struct tcplan_blocked *blocked;
    const struct tcplan_blocked_sizes *sizes;
    blocked_visit_fn *visit;
    void *context;
    struct tcplan_range_values values;
    struct blocked_extent extent[TCPLAN_MAX_MATRICES];
    int64_t number;
    int64_t step; /* number of the step of the outermost loop; for a recursion outside of loops, the
                     number of the block */
    int depth;
    const struct tcplan_steps *halving; /* the innermost enclosing recursion; NULL: there is none */
};

/** Returns the maximum length that a range has during the algorithm. */
static int64_t most_of(const struct tcplan_blocked *blocked,
                       const struct tcplan_blocked_sizes *sizes, int range) {
    const struct tcplan_range *of = &blocked->blocks.range[range];
    if (of->part == TCPLAN_RANGE_WHOLE) return of->of < 0 ? 1 : sizes->size[of->of];
    const int64_t most = most_of(blocked, sizes, of->of);
    const int64_t step = blocked->step[range] > 0 ? blocked->step[range] : sizes->block;
    return of->part == TCPLAN_RANGE_CURRENT && step < most ? step : most;
}

/** Enlarges the extent of a temporary to the largest size of a block. */
static void grow(struct blocked_extent *out, const struct tcplan_blocked *blocked,
                 const struct tcplan_blocked_sizes *sizes, struct tcplan_block block) {
    const int64_t rows =
        most_of(blocked, sizes, blocks_outermost_part(&blocked->blocks, block.rows));
    const int64_t columns =
        most_of(blocked, sizes, blocks_outermost_part(&blocked->blocks, block.columns));
    if (rows > out->rows) out->rows = rows;
    if (columns > out->columns) out->columns = columns;
}

struct blocked_extent blocked_extent_of(const struct tcplan_blocked *blocked,
                                        const struct tcplan_blocked_sizes *sizes, int matrix) {
    const struct tcplan_matrix *of = &blocked->blocks.matrix[matrix];
    struct blocked_extent out = {.rows = 0};
    if (of->role != TCPLAN_MATRIX_TEMPORARY) {
        out.rows = most_of(blocked, sizes, of->rows);
        out.columns = most_of(blocked, sizes, of->columns);
    }
    for (int s = 0; s < blocked->statement_count && of->role == TCPLAN_MATRIX_TEMPORARY; s++) {
        const struct blocked_statement *statement = &blocked->statement[s];
        for (int a = 0; a < statement->signature->count; a++) {
            if (statement->has_block[a] &&
                blocked->blocks.view[statement->block[a].view].matrix == matrix)
                grow(&out, blocked, sizes, statement->block[a]);
        }
    }
    out.leading = sizes->leading[matrix] > 0 ? sizes->leading[matrix] : out.rows > 1 ? out.rows : 1;
    return out;
}

enum tcplan_dtype blocked_element_type(const struct tcplan_blocked *blocked, int matrix) {
    static const enum tcplan_dtype real[TCPLAN_DTYPES] = {TCPLAN_FLOAT, TCPLAN_DOUBLE, TCPLAN_FLOAT,
                                                          TCPLAN_DOUBLE};
    return blocked->is_real[matrix] ? real[blocked->dtype] : blocked->dtype;
}

int64_t blocked_elements(const struct blocked_extent *extent) {
    if (extent->rows == 0 || extent->columns == 0) return 0;
    const int64_t before = saturated_mul_i64(extent->columns - 1, extent->leading);
    return before > INT64_MAX - extent->rows ? INT64_MAX : before + extent->rows;
}

enum tcplan_status tcplan_blocked_check(const struct tcplan_blocked *blocked,
                                        const struct tcplan_blocked_sizes *sizes,
                                        struct tcplan_error *error) {
    const struct tcplan_blocks *blocks = &blocked->blocks;
    for (int s = 0; s < blocks->size_count; s++) {
        if (sizes->size[s] < 0 || sizes->size[s] > INT_MAX)
            return error_set(error, TCPLAN_INVALID, "%s is %lld, expected a size from 0 to %d",
                             blocks->size_name[s], (long long)sizes->size[s], INT_MAX);
    }
    if (sizes->block < 1 || sizes->block > INT_MAX)
        return error_set(error, TCPLAN_INVALID, "the block size is %lld, expected 1 to %d",
                         (long long)sizes->block, INT_MAX);
    for (int m = 0; m < blocks->matrix_count; m++) {
        const struct blocked_extent extent = blocked_extent_of(blocked, sizes, m);
        if (extent.leading < extent.rows || extent.leading > INT_MAX)
            return error_set(error, TCPLAN_INVALID,
                             "the leading dimension of %s is %lld, expected %lld (its rows) to %d",
                             blocks->matrix[m].name, (long long)extent.leading,
                             (long long)extent.rows, INT_MAX);
        if (blocked_elements(&extent) > INT64_MAX / 16)
            return error_set(error, TCPLAN_OVERFLOW, "%s has too many elements",
                             blocks->matrix[m].name);
    }
    return TCPLAN_OK;
}

/** Returns where a range begins, counted from the beginning of its matrix or, for a temporary, of
 * the part that the outermost loop divides. */
static int64_t begin_in(const struct walker *walker, int range, bool is_temporary) {
    const int64_t begin = walker->values.begin[range];
    return is_temporary
               ? begin -
                     walker->values.begin[blocks_outermost_part(&walker->blocked->blocks, range)]
               : begin;
}

static void set_data(struct blocked_call *call, const struct walker *walker, int argument) {
    const struct tcplan_blocks *blocks = &walker->blocked->blocks;
    const struct tcplan_block block = call->statement->block[argument];
    const int matrix = blocks->view[block.view].matrix,
              stride = call->signature->argument[argument].stride;
    const bool is_temporary = blocks->matrix[matrix].role == TCPLAN_MATRIX_TEMPORARY;
    const int64_t leading = walker->extent[matrix].leading;
    const int64_t column =
        blocks_is_vector(blocks, matrix) ? 0 : begin_in(walker, block.columns, is_temporary);
    assert(begin_in(walker, block.rows, is_temporary) >= 0 && column >= 0);
    call->data[argument] = (struct blocked_data){
        .matrix = matrix,
        .offset = begin_in(walker, block.rows, is_temporary) + column * leading,
        .rows = walker->values.length[block.rows],
        .columns = walker->values.length[block.columns]};
    if (stride < 0) return;
    const bool is_increment = call->signature->argument[stride].class == SIGNATURE_INC;
    call->value[stride] = !is_increment ? leading : call->statement->is_row[argument] ? leading : 1;
}

/** Returns whether a call has nothing to do. An assigned product writes its result even if its sum
 * is empty. */
static bool is_empty(const struct blocked_call *call, const struct walker *walker) {
    const struct blocked_statement *statement = call->statement;
    const struct tcplan_call *node = &statement->node->call;
    const int64_t *length = walker->values.length;
    if (statement->needs >= 0 && length[statement->needs] == 0) return true;
    if (node->factor_count == 2 && node->beta == 0)
        return length[node->result.rows] == 0 || length[node->result.columns] == 0;
    for (int s = 0; s < statement->size_count; s++) {
        if (length[statement->size[s].range] == 0) return true;
    }
    return false;
}

static bool visit_call(struct walker *walker, const struct blocked_statement *statement) {
    const struct signature *signature = statement->signature;
    bool given[SIGNATURE_MAX_ARGUMENTS];
    struct blocked_call call = {.statement = statement,
                                .signature = signature,
                                .number = walker->number++,
                                .step = walker->step,
                                .values = &walker->values};
    for (int a = 0; a < signature->count; a++) {
        const enum signature_class class = signature->argument[a].class;
        call.value[a] = statement->value[a];
        call.scalar[a] = statement->scalar[a];
        call.data[a].matrix = -1;
        given[a] = class != SIGNATURE_LWORK;
        if (class == SIGNATURE_INC || class == SIGNATURE_LD) call.value[a] = 1;
    }
    for (int s = 0; s < statement->size_count; s++)
        call.value[statement->size[s].argument] = walker->values.length[statement->size[s].range];
    for (int a = 0; a < signature->count; a++) {
        if (statement->has_block[a]) set_data(&call, walker, a);
    }
    signature_complete(signature, call.value, given);
    call.empty = is_empty(&call, walker);
    return walker->visit(walker->context, &call);
}

static bool visit_body(struct walker *walker, const struct tcplan_node *node);

/** State of a division: the rows divided so far, and the size of the next block. */
struct progress {
    int64_t total, done, block;
};

static int64_t least_total(const struct walker *walker, const struct tcplan_steps *steps) {
    int64_t least = INT64_MAX;
    for (int c = 0; c < steps->cut_count; c++) {
        const int64_t total = walker->values.length[steps->cut[c].range];
        if (total < least) least = total;
    }
    return least;
}

/** Returns the size of the next block. A smaller block is the last one. In upward loops it is the
 * first one, so that blocks begin at multiples of the step, unless `remainder_last` is set. */
static int64_t block_of(const struct walker *walker, const struct tcplan_cut *cut,
                        const struct progress *at, int64_t step) {
    const int64_t rest = at->total - at->done;
    if (cut->upward && at->done == 0 && !walker->sizes->remainder_last && rest % step > 0)
        return rest % step;
    return rest < step ? rest : step;
}

static bool visit_steps(struct walker *walker, const struct tcplan_steps *steps) {
    const int64_t step = steps->step > 0 ? steps->step : walker->sizes->block;
    struct progress progress[TCPLAN_MAX_CUTS];
    bool goes_on = true;
    assert(step > 0); /* ensured by tcplan_blocked_check() */
    for (int c = 0; c < steps->cut_count; c++) {
        const int64_t total = steps->coupled ? least_total(walker, steps)
                                             : walker->values.length[steps->cut[c].range];
        progress[c] = (struct progress){.total = total};
    }
    walker->depth++;
    while (goes_on) {
        bool is_done = true;
        for (int c = 0; c < steps->cut_count; c++) {
            const struct tcplan_cut *cut = &steps->cut[c];
            struct progress *at = &progress[c];
            is_done = is_done && at->done == at->total;
            at->block = block_of(walker, cut, at, step);
            const int64_t first = cut->upward ? at->total - at->done - at->block : at->done;
            blocks_set_cut(&walker->values, cut->range, cut->first, first, at->block);
            at->done += at->block;
            assert(at->done <= at->total);
        }
        if (is_done) break;
        goes_on = visit_body(walker, steps->body);
        if (walker->depth == 1) walker->step++;
    }
    walker->depth--;
    return goes_on;
}

/** Sets the halves of all ranges that a recursion cuts: half of the shortest range, and the rest.
 */
static void set_halves(struct walker *walker, const struct tcplan_steps *steps) {
    const int64_t half = blocks_half(least_total(walker, steps));
    for (int c = 0; c < steps->cut_count; c++)
        blocks_set_cut(&walker->values, steps->cut[c].range, steps->cut[c].first, 0, half);
}

/** Visits the calls for the current length of a halved range: the statements after `else:` if the
 * length is at most a block, otherwise the statements before it, for both halves. */
static bool visit_halves(struct walker *walker, const struct tcplan_steps *steps) {
    const struct tcplan_steps *around = walker->halving;
    const int64_t length = least_total(walker, steps);
    bool goes_on;
    walker->halving = steps;
    if (length <= (steps->step > 0 ? steps->step : walker->sizes->block)) {
        goes_on = length == 0 || visit_body(walker, steps->base);
        if (walker->depth == 0) walker->step++;
    } else {
        assert(blocks_half(length) > 0 && blocks_half(length) < length); /* both halves are shorter,
                                                                            so the recursion ends */
        set_halves(walker, steps);
        goes_on = visit_body(walker, steps->body);
    }
    walker->halving = around;
    return goes_on;
}

/** Visits the calls of a recursion for one half. The halves are the divided ranges during that
 * visit. */
static bool visit_again(struct walker *walker, const struct tcplan_again *again) {
    const struct tcplan_steps *steps = walker->halving;
    assert(steps); /* the text contains recursive calls only within a recursion */
    int64_t *const first = walker->values.begin, *const rows = walker->values.length;
    int64_t begin[TCPLAN_MAX_CUTS], length[TCPLAN_MAX_CUTS];
    for (int c = 0; c < steps->cut_count; c++) {
        const int range = steps->cut[c].range;
        begin[c] = first[range];
        length[c] = rows[range];
        const int half = blocks_passed_range(again, &steps->cut[c]);
        first[range] = first[half];
        rows[range] = rows[half];
    }
    const bool goes_on = visit_halves(walker, steps);
    for (int c = 0; c < steps->cut_count; c++) {
        first[steps->cut[c].range] = begin[c];
        rows[steps->cut[c].range] = length[c];
    }
    set_halves(walker, steps);
    return goes_on;
}

static bool visit_body(struct walker *walker, const struct tcplan_node *node) {
    bool goes_on = true;
    for (; node && goes_on; node = node->next) {
        if (node->kind == TCPLAN_NODE_STEPS) {
            goes_on = node->steps.base ? visit_halves(walker, &node->steps)
                                       : visit_steps(walker, &node->steps);
        } else if (node->kind == TCPLAN_NODE_AGAIN) {
            goes_on = visit_again(walker, &node->again);
        } else {
            goes_on = visit_call(walker, &walker->blocked->statement[node->call.number]);
        }
    }
    return goes_on;
}

bool blocked_walk(const struct tcplan_blocked *blocked, const struct tcplan_blocked_sizes *sizes,
                  blocked_visit_fn *visit, void *context) {
    struct walker walker = {.blocked = blocked, .sizes = sizes, .visit = visit, .context = context};
    const struct tcplan_blocks *blocks = &blocked->blocks;
    for (int s = 0; s < blocks->size_count; s++) walker.values.length[s] = sizes->size[s];
    walker.values.length[blocks_single_column(blocks)] = 1;
    for (int m = 0; m < blocks->matrix_count; m++)
        walker.extent[m] = blocked_extent_of(blocked, sizes, m);
    return visit_body(&walker, blocked->body);
}

static bool count(void *context, const struct blocked_call *call) {
    struct blocked_counts *counts = context;
    counts->all++;
    counts->made += !call->empty;
    counts->library += !call->empty && !call->signature->is_own;
    return true;
}

struct blocked_counts blocked_count(const struct tcplan_blocked *blocked,
                                    const struct tcplan_blocked_sizes *sizes) {
    struct blocked_counts counts = {.all = 0};
    blocked_walk(blocked, sizes, count, &counts);
    return counts;
}

static bool add_call(void *context, const struct blocked_call *call) {
    uint64_t *hash = context;
    if (call->empty) return true;
    *hash = hash_add(*hash, call->signature->name, strlen(call->signature->name) + 1);
    for (int a = 0; a < call->signature->count; a++) {
        const struct blocked_data *data = &call->data[a];
        *hash = hash_add(*hash, &call->value[a], sizeof call->value[a]);
        *hash = hash_add(*hash, &call->scalar[a], sizeof call->scalar[a]);
        *hash = hash_add(*hash, &data->matrix, sizeof data->matrix);
        *hash = hash_add(*hash, &data->offset, sizeof data->offset);
    }
    return true;
}

uint64_t tcplan_blocked_call_hash(const struct tcplan_blocked *blocked,
                                  const struct tcplan_blocked_sizes *sizes) {
    uint64_t hash = HASH_OF_NOTHING;
    blocked_walk(blocked, sizes, add_call, &hash);
    return hash;
}

static bool add_flops(void *context, const struct blocked_call *call) {
    double *flops = context;
    if (!call->empty) *flops += signature_flops(call->signature, call->value);
    return true;
}

double tcplan_blocked_flops(const struct tcplan_blocked *blocked,
                            const struct tcplan_blocked_sizes *sizes) {
    int64_t value[SIGNATURE_MAX_ARGUMENTS] = {0};
    double flops = 0;
    if (!blocked->whole) {
        blocked_walk(blocked, sizes, add_flops, &flops);
        return flops;
    }
    for (int a = 0; a < blocked->whole->count; a++) {
        const int size = blocked->whole_size[a];
        value[a] = size == WHOLE_BLOCK ? sizes->block
                   : size >= 0         ? sizes->size[size]
                                       : blocked->whole_value[a];
    }
    return signature_flops(blocked->whole, value);
}
