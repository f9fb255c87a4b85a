struct EMIT_function_shared {
    const EMIT_element *const *A, *const *B;
    EMIT_element *const *C, *workspace;
    atomic_int status;
};

/* Computes the shares of the threads `first` to `end` - 1. */
static void EMIT_function_run_threads(void *context, int first, int end) {
    struct EMIT_function_shared *shared = context;
    for (int thread = first; thread < end; thread++) {
        const struct EMIT_function_share *share = &EMIT_function_shares[thread + 1];
        int status = 0;
        EMIT_run_thread;
        if (status) atomic_store(&shared->status, status);
    }
}

/* Computes the share of all threads together, then that of each thread. */
static int EMIT_function_run(const EMIT_element *const A[], const EMIT_element *const B[],
                             EMIT_element *const C[], EMIT_element *workspace) {
    struct EMIT_function_shared shared = {A, B, C, workspace, 0};
    int status = 0;
    EMIT_run_together;
    if (status) return status;
    EMIT_blas_begin;
    EMIT_function_divide(EMIT_function_run_threads, &shared, EMIT_threads, EMIT_threads);
    EMIT_blas_end;
    return atomic_load(&shared.status);
}
