#include "roofline/validation/subject.h"

#include "base/checked.h"

enum { PAGE_BYTES = 4096 };

/** alpha, so small that results stay bounded however often products are added to them */
static const double factor = 1e-9;

/** The operands of one replica; operands that a kernel lacks have no elements. */
struct operands {
    double *first;  /* the vector x of daxpy, the matrix A of dgemv and dgemm */
    double *second; /* the vector x of dgemv, the matrix B of dgemm */
    double *result;
    int64_t first_elems;
    int64_t second_elems;
    int64_t result_elems;
};

/** Rounds up to the block length of stream kernels. */
static int64_t whole_blocks(int64_t elems) {
    return (elems + STREAM_BLOCK_ELEMS - 1) / STREAM_BLOCK_ELEMS * STREAM_BLOCK_ELEMS;
}

static struct operands operands_at(enum tcplan_kernel kernel, int64_t n, double *memory) {
    struct operands out = {.first_elems = whole_blocks(kernel == TCPLAN_AXPY ? n : n * n),
                           .second_elems = kernel == TCPLAN_GEMM   ? whole_blocks(n * n)
                                           : kernel == TCPLAN_GEMV ? whole_blocks(n)
                                                                   : 0,
                           .result_elems = whole_blocks(kernel == TCPLAN_GEMM ? n * n : n)};
    if (!memory) return out;
    out.first = memory;
    out.second = out.first + out.first_elems;
    out.result = out.second + out.second_elems;
    return out;
}

size_t subject_replica_bytes(enum tcplan_kernel kernel, int64_t n) {
    const struct operands operands = operands_at(kernel, n, NULL);
    const size_t bytes =
        (size_t)(operands.first_elems + operands.second_elems + operands.result_elems) *
        sizeof(double);
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

void subject_scatter(struct subject *subject) {
    /* a step by the golden section, so that consecutive replicas are far apart */
    int64_t step = (int64_t)(0.618 * (double)subject->replicas);
    while (step > 1 && checked_common_divisor(subject->replicas, step) != 1) step--;
    if (step <= 1)
        step =
            subject->replicas - 1; /* no step above 1 fits: use the replicas in descending order */
    subject->step = step > 1 ? step : 1;
}

char *subject_next_memory(struct subject *subject) {
    char *memory = subject->memory + (size_t)subject->next * subject->replica_bytes;
    subject->next = (subject->next + (subject->step > 0 ? subject->step : 1)) % subject->replicas;
    return memory;
}

static struct operands next_replica(struct subject *subject) {
    return operands_at(subject->kernel, subject->n, (double *)subject_next_memory(subject));
}

double subject_flops(const struct subject *subject) {
    const double n = (double)subject->n;
    if (subject->kernel == TCPLAN_AXPY) return 2 * n;
    return subject->kernel == TCPLAN_GEMV ? 2 * n * n + 2 * n : 2 * n * n * n + 2 * n * n;
}

double subject_bytes(const struct subject *subject) {
    const double n = (double)subject->n;
    if (subject->kernel == TCPLAN_AXPY) return 24 * n;
    return subject->kernel == TCPLAN_GEMV ? 8 * n * n + 24 * n : 32 * n * n;
}

void subject_bind(struct subject *subject) {
    const int n = (int)subject->n;
    struct blas_call call = {.kernel = subject->kernel,
                             .m = n,
                             .n = 1,
                             .k = 1,
                             .ld = {1, 1, 1},
                             .alpha = {1, 0},
                             .beta = {1, 0}};
    if (subject->kernel != TCPLAN_AXPY) {
        call.n = call.ld[0] = n;
        call.alpha.re = factor;
    }
    if (subject->kernel == TCPLAN_GEMM) call.k = call.ld[1] = call.ld[2] = n;
    subject->call = kernel_bind(&call, TCPLAN_DOUBLE, NULL);
    subject->replica_bytes = subject_replica_bytes(subject->kernel, subject->n);
}

/** Calls a kernel on one replica after the other. The volatile pointer hides the kernel from the
 * compiler. */
static void call_kernel(struct subject *subject, kernel_burst_fn *burst) {
    kernel_burst_fn *volatile called = burst;
    for (int64_t r = 0; r < subject->runs; r++) {
        const struct operands at = next_replica(subject);
        const double *second = subject->kernel == TCPLAN_AXPY ? &factor : at.second;
        const struct kernel_operands operands = {.first = (const char *)at.first,
                                                 .second = (const char *)second,
                                                 .result = (char *)at.result};
        called(&subject->call, operands, (struct kernel_steps){0}, 1);
    }
}

bool subject_run(void *context, int thread, int64_t window) {
    struct subject *subject = context;
    (void)thread;
    (void)window;
    call_kernel(subject, subject->call.burst);
    return true;
}

static void do_nothing(const struct kernel *kernel, struct kernel_operands at,
                       struct kernel_steps steps, int64_t count) {
    (void)kernel;
    (void)at;
    (void)steps;
    (void)count;
}

bool subject_run_nothing(void *context, int thread, int64_t window) {
    (void)thread;
    (void)window;
    call_kernel(context, do_nothing);
    return true;
}

bool subject_run_bound(void *context, int thread, int64_t window) {
    struct subject *subject = context;
    (void)thread;
    (void)window;
    if (!subject->stream) return subject->fma->run(subject->bound_runs);
    for (int64_t r = 0; r < subject->bound_runs; r++) {
        const struct operands at = next_replica(subject);
        const bool adds = subject->kernel == TCPLAN_AXPY;
        const struct stream stream = {.a = adds ? at.result : at.first,
                                      .b = at.first,
                                      .s = factor,
                                      .elems = at.first_elems,
                                      .parts = subject->parts,
                                      .passes = 1};
        subject->stream->run(&stream);
    }
    return true;
}
