/* Adds up the products of a run in registers; `adds`: to the block, which it else overwrites.
 * Returns 0 if libxsmm has no code for them. */
static int EMIT_function_sum(const struct EMIT_function_shape *shape, int adds,
                             const int (*pair)[2], int count, const EMIT_element *const A[],
                             const EMIT_element *const B[], EMIT_element *c) {
    static _Atomic(libxsmm_EMIT_lettermmfunction_reducebatch_addr) made[EMIT_shape_count][2];
    const EMIT_element *first[EMIT_most_pairs], *second[EMIT_most_pairs];
    const unsigned long long products = (unsigned long long)count;
    libxsmm_EMIT_lettermmfunction_reducebatch_addr code =
        atomic_load_explicit(&made[shape - EMIT_function_shapes][adds], memory_order_acquire);
    if (!code) {
        const EMIT_element alpha = 1, beta = adds ? 1 : 0;
        const libxsmm_blasint lda = shape->lead[0], ldb = shape->lead[1], ldc = shape->lead[2];
        const int flags = shape->transposed[1] == CblasTrans ? LIBXSMM_GEMM_FLAG_TRANS_B
                                                             : LIBXSMM_GEMM_FLAG_NONE,
                  prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
        code = libxsmm_EMIT_lettermmdispatch_reducebatch_addr(
            shape->m, shape->n, shape->k, &lda, &ldb, &ldc, &alpha, &beta, &flags, &prefetch);
        if (!code) return 0;
        atomic_store_explicit(&made[shape - EMIT_function_shapes][adds], code,
                              memory_order_release);
    }
    for (int n = 0; n < count; n++) {
        first[n] = shape->exchanged ? B[pair[n][1]] : A[pair[n][0]];
        second[n] = shape->exchanged ? A[pair[n][0]] : B[pair[n][1]];
    }
    code(first, second, c, &products);
    kernel_leave();
    return 1;
}
