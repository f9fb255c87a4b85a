#include "microbench/session.h"

#include "microbench/blas.h"

struct session session_begin(int threads) {
    struct session session = {.threads_before = blas_set_threads(threads)};
    if (threads == 1) session.pin = pin_thread();
    blas_warm_up();
    return session;
}

void session_end(const struct session *session) {
    pin_release(&session->pin);
    blas_set_threads(session->threads_before);
}
