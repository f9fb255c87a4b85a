#include "tcplan/blocked_run.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/providers/providers.h"
#include "microbench/timing/clock.h"
#include "routines/blocked/run/binding.h"
#include "routines/blocked/run/ending.h"

/** Maximum number of calls in a batch. A batch is prepared before it is run, so that preparation is
 * not timed. */
enum { LOT = 1024 };

/** A prepared call of a batch, with pointers to its outputs. */
struct prepared {
    struct call call;
    const int *info;   /* the call's info; NULL: it has none */
    const char *scale; /* the call's scale; NULL: it has none */
    int64_t first_row;
    struct ending ending;
};

struct run {
    struct binding binding;
    struct prepared *lot;
    int count;
    bool is_alone; /* whether all calls use one thread */
    double ns;
    struct tcplan_blocked_outcome *out;
    enum tcplan_status status;
    struct tcplan_error *error;
};

void tcplan_blocked_extents(const struct tcplan_blocked *blocked,
                            const struct tcplan_blocked_sizes *sizes, int matrix, int64_t *rows,
                            int64_t *columns, int64_t *leading) {
    const struct blocked_extent extent = blocked_extent_of(blocked, sizes, matrix);
    *rows = extent.rows;
    *columns = extent.columns;
    *leading = extent.leading;
}

int64_t tcplan_blocked_bytes(const struct tcplan_blocked *blocked,
                             const struct tcplan_blocked_sizes *sizes, int matrix) {
    const struct blocked_extent extent = blocked_extent_of(blocked, sizes, matrix);
    return blocked_elements(&extent) * (int64_t)binding_element_bytes(blocked, matrix);
}

/* Conversions of elements between types. */

static bool is_single(enum tcplan_dtype dtype) {
    return dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
}

static double real_at(const char *at, enum tcplan_dtype dtype) {
    float s;
    double d;
    memcpy(&s, at, sizeof s);
    if (is_single(dtype)) return (double)s;
    memcpy(&d, at, sizeof d);
    return d;
}

/** Records the outcome of a call; returns false if the outcome ends the algorithm. */
static bool take(struct run *run, const struct prepared *prepared) {
    const struct signature *signature = prepared->call.routine.signature;
    struct tcplan_blocked_outcome *out = run->out;
    const bool is_scaled = prepared->scale && real_at(prepared->scale, signature->dtype) != 1;
    const int info = prepared->info ? *prepared->info : 0;
    if (info == 0 && !is_scaled) return true;
    if (out->end == TCPLAN_BLOCKED_COMPUTED) {
        out->end = prepared->ending.end;
        out->routine = signature->name;
        out->info = info == 0                             ? 1
                    : prepared->ending.is_row && info > 0 ? prepared->first_row + info
                                                          : info;
    }
    return prepared->ending.goes_on && info > 0;
}

/** Makes a call. Returns false if the call has an outcome that ends the algorithm. */
static bool make(struct run *run, const struct prepared *prepared) {
    if (prepared->call.pivots && !call_pivots_are_good(&prepared->call)) {
        run->status = error_set(
            run->error, TCPLAN_INVALID,
            "the pivots that %s reads are not rows of its matrix; does the matrix contain NaN?",
            prepared->call.routine.signature->name);
        return false;
    }
    call_make(&prepared->call);
    return !(prepared->info || prepared->scale) || take(run, prepared);
}

/** Makes the calls of a batch. Returns false if a call has an outcome that ends the algorithm. */
static bool make_lot(struct run *run) {
    bool more = true;
    int made = 0;
    const struct clock_start start = clock_start();
    while (made < run->count && more) more = make(run, &run->lot[made++]);
    const struct timing timing = clock_stop(&start, run->is_alone);
    run->ns += timing.ns;
    run->out->disturbed = run->out->disturbed || timing.disturbed;
    run->out->calls += made;
    run->count = 0;
    return more;
}

static void note_told(struct prepared *prepared) {
    const struct signature *signature = prepared->call.routine.signature;
    const int scale = ending_scale(signature), info = signature_argument(signature, "info");
    prepared->info = info >= 0 ? (const int *)prepared->call.argument[info] : NULL;
    prepared->scale = scale >= 0 ? prepared->call.argument[scale] : NULL;
    prepared->ending = ending_of(signature);
}

static bool prepare(void *context, const struct blocked_call *call) {
    struct run *run = context;
    struct prepared *prepared = &run->lot[run->count];
    if (call->empty) return true;
    run->status = binding_prepare(&prepared->call, &run->binding, call, run->error);
    if (run->status != TCPLAN_OK) return false;
    prepared->first_row = binding_first_row(call);
    note_told(prepared);
    run->count++;
    return run->count < LOT || make_lot(run);
}

/* Check of matrices that are inverted: unblocked routines do not report a 0 on the diagonal. */

static bool is_zero(const char *at, enum tcplan_dtype dtype) {
    const bool is_complex = tcplan_dtype_is_complex(dtype);
    return real_at(at, dtype) == 0 &&
           (!is_complex || real_at(at + tcplan_dtype_bytes(dtype) / 2, dtype) == 0);
}

static int64_t find_zero(const struct binding *binding, int matrix) {
    const struct blocked_extent extent =
        blocked_extent_of(binding->blocked, &binding->sizes, matrix);
    const int64_t step = (extent.leading + 1) * (int64_t)binding->element_bytes[matrix];
    for (int64_t i = 0; i < extent.rows && i < extent.columns; i++) {
        if (is_zero(binding->matrix[matrix] + i * step, binding->blocked->dtype)) return i + 1;
    }
    return 0;
}

/** Returns whether the matrix to be inverted is not singular. */
static bool check_diagonal(struct run *run) {
    const struct tcplan_blocked *blocked = run->binding.blocked;
    const int argument =
        blocked->whole ? ending_diagonal(blocked->whole, blocked->whole_value) : -1;
    const int matrix = argument >= 0 ? blocked->whole_matrix[argument] : -1;
    run->out->info = matrix >= 0 ? find_zero(&run->binding, matrix) : 0;
    if (run->out->info > 0) run->out->end = TCPLAN_BLOCKED_SINGULAR;
    return run->out->info == 0;
}

static bool calls_alone(enum tcplan_provider provider) {
    const struct provider *of = provider_of(provider);
    if (!of->threads) return true;
    const struct provider_threads threads = of->threads(provider);
    return threads.wanted == 1 || threads.own == 1;
}

static void run_all(struct run *run) {
    const struct tcplan_blocked *blocked = run->binding.blocked;
    if (!check_diagonal(run)) return;
    if (blocked_walk(blocked, &run->binding.sizes, prepare, run) && run->count > 0) make_lot(run);
    run->out->seconds = run->ns * 1e-9;
}

enum tcplan_status tcplan_blocked_run(struct tcplan_blocked_outcome *out,
                                      const struct tcplan_blocked *blocked,
                                      const struct tcplan_blocked_sizes *sizes,
                                      enum tcplan_provider provider, void *const matrix[],
                                      struct tcplan_error *error) {
    struct run run = {.out = out, .error = error, .is_alone = calls_alone(provider)};
    *out = (struct tcplan_blocked_outcome){.end = TCPLAN_BLOCKED_COMPUTED};
    run.status = binding_open(&run.binding, blocked, sizes, provider, matrix, error);
    if (run.status == TCPLAN_OK) {
        run.lot = base_aligned_alloc(64, LOT * sizeof *run.lot);
        if (run.lot) {
            run_all(&run);
        } else {
            run.status = error_no_memory(error);
        }
    }
    base_free(run.lot);
    binding_close(&run.binding);
    return run.status;
}
