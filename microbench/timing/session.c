#include "microbench/timing/session.h"

enum tcplan_status session_begin(struct session *out, int threads, struct tcplan_error *error) {
    *out = (struct session){0};
    enum tcplan_status status =
        blas_check_memory(threads, error); /* each thread of the BLAS needs address space */
    if (status != TCPLAN_OK) return status;
    out->threads_before = blas_take_threads(threads);
    if (threads == 1) out->pin = pin_thread();
    status = blas_warm_up(error);
    if (status == TCPLAN_OK) return TCPLAN_OK;
    session_end(out);
    *out = (struct session){0};
    return status;
}

void session_end(const struct session *session) {
    pin_release(&session->pin);
    blas_put_threads_back(&session->threads_before);
}
