/**
 * Calls of the kernel of the type `mul_element`. Included once for each type, after the kernel.
 * Expects
 *
 *   MUL_BURST       the name of the burst
 *   MUL_CONJUGATED  if the type is complex
 */

void MUL_BURST(const struct kernel *kernel, struct kernel_operands at, struct kernel_steps steps,
               int64_t count) {
    const struct blas_call *call = &kernel->call;
    mul_element alpha;
    mul_element beta;
    const ptrdiff_t step[3] = {call->strides[0][0], call->strides[1][0], call->strides[2][0]};
#ifdef MUL_CONJUGATED
    const int conjugated = call->conjugated[0] + 2 * call->conjugated[1];
#endif
    memcpy(&alpha, &kernel->alpha, sizeof alpha);
    memcpy(&beta, &kernel->beta, sizeof beta);
    for (int64_t i = 0; i < count; i++) {
        const mul_element *const a = (const mul_element *)(const void *)at.first;
        const mul_element *const b = (const mul_element *)(const void *)at.second;
        mul_element *const c = (mul_element *)(void *)at.result;
#ifdef MUL_CONJUGATED
        if (conjugated) {
            mul_conjugated(call->length, alpha, a, b, beta, c, step, conjugated);
        } else {
            mul_vectors(call->length, alpha, a, b, beta, c, step);
        }
#else
        mul_vectors(call->length, alpha, a, b, beta, c, step);
#endif
        at.first += steps.first;
        at.second += steps.second;
        at.result += steps.result;
    }
}
