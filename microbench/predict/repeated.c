#include "microbench/predict/repeated.h"

#include "ast/algorithm/provider.h"
#include "microbench/providers/blas.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/statistics.h"

enum { MAX_BATCH = 1 << 20 };

/* The shortest batch for a repetition. */
#define BATCH_NS 10000.0

static void run_batch(const struct window *window, const struct operation *operation,
                      int64_t count) {
    const struct tensor_pointers at = window_base(window);
    if (operation->kind == OPERATION_KERNEL) {
        program_repeat_kernel(window->program, at, count);
        return;
    }
    for (int64_t i = 0; i < count; i++) program_apply(window->program, operation, at);
}

static double time_batch(const struct window *window, const struct operation *operation,
                         int64_t count) {
    const bool alone = blas_threads() == 1;
    const struct clock_start start = clock_start();
    run_batch(window, operation, count);
    return clock_stop(&start, alone).ns;
}

/** Adds the time of all `times` executions of an operation to every sample. */
static enum tcplan_status add_operation(struct window *window, const struct operation *operation,
                                        double times, double sample_ns[REPEATED_REPETITIONS],
                                        struct tcplan_error *error) {
    enum tcplan_status status = window_back_first(window, operation, error);
    if (status != TCPLAN_OK) return status;
    run_batch(window, operation, 1);
    int64_t count = 1;
    while (count < MAX_BATCH && time_batch(window, operation, count) < BATCH_NS) count *= 2;
    double ns = 0;
    for (int r = 0; r < REPEATED_REPETITIONS; r++) {
        if (r == 0 || !deadline_is_over(window->settings.deadline))
            ns = time_batch(window, operation, count);
        sample_ns[r] += ns / (double)count * times;
    }
    return TCPLAN_OK;
}

enum tcplan_status repeated_kernel(struct window *window, double sample_ns[REPEATED_REPETITIONS],
                                   struct tcplan_error *error) {
    for (int r = 0; r < REPEATED_REPETITIONS; r++) sample_ns[r] = 0;
    struct cursor cursor;
    enum tcplan_status status = window_back_first(window, window->program->kernel, error);
    if (status != TCPLAN_OK) return status;
    program_seek(window->program, &cursor, 0, window_base(window)); /* fills the temporaries */
    return add_operation(window, window->program->kernel,
                         (double)window->program->calls * window->scale, sample_ns, error);
}

static enum tcplan_status add_body(struct window *window, const struct operation *operation,
                                   double sample_ns[REPEATED_REPETITIONS],
                                   struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (; operation && status == TCPLAN_OK; operation = operation->next) {
        const double times = program_occurrences(window->program, operation) *
                             window_operation_scale(window, operation);
        if (operation->kind == OPERATION_LOOP)
            status = add_body(window, operation->body, sample_ns, error);
        if (operation->kind == OPERATION_COPY || operation->kind == OPERATION_SCALE) {
            status = add_operation(window, operation, times, sample_ns, error);
        }
    }
    return status;
}

enum tcplan_status repeated_nest(struct window *window, double sample_ns[REPEATED_REPETITIONS],
                                 struct tcplan_error *error) {
    enum tcplan_status status = repeated_kernel(window, sample_ns, error);
    return status == TCPLAN_OK ? add_body(window, window->program->body, sample_ns, error) : status;
}

enum tcplan_status repeated_smallest(struct window *window, double sample_ns[REPEATED_REPETITIONS],
                                     struct tcplan_error *error) {
    struct operation *operation = window->program->kernel;
    const struct kernel kernel = operation->kernel;
    struct blas_call call = kernel.call;
    call.m = call.n = call.k = 1;
    if (call.length > 0) call.length = 1;
    for (int r = 0; r < REPEATED_REPETITIONS; r++) sample_ns[r] = 0;
    if (provider_traits_of(call.provider)->is_compiled)
        return TCPLAN_OK; /* a compiled kernel has only the overhead of a function call */
    const struct kernel smallest = kernel_bind(&call, window->problem.written.dtype, NULL);
    if (!smallest.burst) return TCPLAN_OK;
    operation->kernel = smallest;
    const enum tcplan_status status = add_operation(window, operation, 1, sample_ns, error);
    operation->kernel = kernel;
    return status;
}

enum tcplan_status repeated_operation(struct window *window, const struct operation *operation,
                                      double sample_ns[REPEATED_REPETITIONS],
                                      struct tcplan_error *error) {
    const double times =
        program_occurrences(window->program, operation) * window_operation_scale(window, operation);
    for (int r = 0; r < REPEATED_REPETITIONS; r++) sample_ns[r] = 0;
    return add_operation(window, operation, times, sample_ns, error);
}
