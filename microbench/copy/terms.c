#include "microbench/copy/terms.h"

#include "microbench/program/share.h"

/** A sum whose planes threads divide. */
struct work {
    const struct terms_kernel *kernel;
    const struct terms_shape *shape;
    const void *const *from;
    void *to;
    int threads;
};

static void do_part(void *context, int part) {
    const struct work *work = context;
    const int64_t planes = work->kernel->planes(work->shape);
    work->kernel->run(work->shape, work->from, work->to, planes * part / work->threads,
                      planes * (part + 1) / work->threads);
}

void terms_run(const struct terms_shape *shape, const void *const from[], void *to, int threads) {
    static const struct terms_kernel *const kernels[TCPLAN_DTYPES] = {&terms_s, &terms_d, &terms_c,
                                                                      &terms_z};
    struct work work = {kernels[shape->dtype], shape, from, to, threads};
    if (threads > 1) {
        share_run(threads, do_part, &work, NULL);
    } else {
        work.threads = 1;
        do_part(&work, 0);
    }
}
