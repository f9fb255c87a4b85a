#include "microbench/timing/session.h"

enum tcplan_status session_begin_with(struct session *out, const struct session_options *options,
                                      struct tcplan_error *error) {
    const struct tcplan_binding none = {{0}, {0}};
    const struct tcplan_binding *binding = options->binding ? options->binding : &none;
    const int threads = options->threads;
    *out = (struct session){0};
    enum tcplan_status status =
        blas_check_memory(threads, error); /* each thread of the BLAS needs address space */
    if (status == TCPLAN_OK) status = binding_apply(&out->bound, binding, threads, error);
    if (status != TCPLAN_OK) return status;
    out->threads_before = blas_take_threads(threads);
    if (threads == 1 && !binding_is_unbound(binding)) out->pin = pin_thread();
    if (!options->no_warm_up) status = blas_warm_up(error);
    if (status == TCPLAN_OK) return TCPLAN_OK;
    session_end(out);
    *out = (struct session){0};
    return status;
}

enum tcplan_status session_begin(struct session *out, int threads, struct tcplan_error *error) {
    return session_begin_with(out, &(struct session_options){.threads = threads}, error);
}

void session_end(const struct session *session) {
    pin_release(&session->pin);
    blas_put_threads_back(&session->threads_before);
    binding_release(session->bound);
}
