#include "roofline/validation/runs.h"

#include <math.h>

#include "roofline/validation/fft.h"

enum { PAGE_BYTES = 4096 };

static const enum tcplan_kernel blas_kernel[TCPLAN_POINT_KERNELS] = {
    [TCPLAN_POINT_DAXPY] = TCPLAN_AXPY,
    [TCPLAN_POINT_DGEMV] = TCPLAN_GEMV,
    [TCPLAN_POINT_DGEMM] = TCPLAN_GEMM,
    [TCPLAN_POINT_FFT] = TCPLAN_AXPY /* placeholder: an FFT is no BLAS kernel */};

size_t validation_bytes(enum tcplan_point_kernel kernel, int64_t n) {
    if (kernel != TCPLAN_POINT_FFT) return subject_replica_bytes(blas_kernel[kernel], n);
    const size_t bytes = 4 * sizeof(double) * (size_t)n; /* bytes of the complex input and output */
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

struct validation_bounds validation_bounds(enum tcplan_point_kernel kernel, int64_t n) {
    const double m = (double)n;
    if (kernel == TCPLAN_POINT_FFT) {
        return (struct validation_bounds){
            .pseudo_flops = 5 * m * log2(m), .read_bytes = 16 * m, .written_bytes = 16 * m};
    }
    const struct subject subject = {.kernel = blas_kernel[kernel], .n = n};
    const double written = kernel == TCPLAN_POINT_DGEMM ? 8 * m * m : 8 * m,
                 flops = subject_flops(&subject);
    return (struct validation_bounds){.flops = flops,
                                      .pseudo_flops = flops,
                                      .read_bytes = subject_bytes(&subject) - written,
                                      .written_bytes = written};
}

struct validation_run validation_run_make(enum tcplan_point_kernel kernel, int64_t n, char *memory,
                                          int64_t replicas) {
    struct validation_run run = {
        .kernel = kernel, .n = n, .subject = {.kernel = blas_kernel[kernel], .n = n}};
    if (kernel != TCPLAN_POINT_FFT) subject_bind(&run.subject);
    run.subject.memory = memory;
    run.subject.replica_bytes = validation_bytes(kernel, n);
    run.subject.replicas = replicas;
    subject_scatter(&run.subject);
    return run;
}

void validation_run(void *context, int64_t runs) {
    struct validation_run *run = context;
    run->subject.runs = runs;
    if (!run->fft) {
        subject_run(&run->subject, 0, 0);
        return;
    }
    for (int64_t r = 0; r < runs; r++) fft_execute(run->fft, subject_next_memory(&run->subject));
}

void validation_run_empty(void *context, int64_t runs) {
    struct validation_run *run = context;
    run->subject.runs = runs;
    if (!run->fft) {
        subject_run_nothing(&run->subject, 0, 0);
        return;
    }
    for (int64_t r = 0; r < runs; r++)
        fft_execute_nothing(run->fft, subject_next_memory(&run->subject));
}
