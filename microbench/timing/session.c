#include "microbench/timing/session.h"

struct session session_begin(int threads) {
    struct session session = {.threads_before = blas_take_threads(threads)};
    if (threads == 1) session.pin = pin_thread();
    blas_warm_up();
    return session;
}

void session_end(const struct session *session) {
    pin_release(&session->pin);
    blas_put_threads_back(&session->threads_before);
}
