/**
 * Passes a bound block to the kernels of the type `copy_element`. Included once for each type,
 * after the kernels. Expects COPY_KERNEL, the name of the table of kernels.
 */

static void run(const struct strided *block, const int64_t extent[], char *to, const char *from,
                char *ends) {
    struct copy_dimension dimension[TCPLAN_MAX_INDICES];
    copy_element factor;
    const unsigned conjugate = block->conjugates ? COPY_CONJUGATE : 0U;
    memcpy(&factor, &block->factor, sizeof factor);
    for (int d = 0; d < block->rank + block->summed; d++) {
        dimension[d].extent = (ptrdiff_t)extent[d];
        dimension[d].to = block->to_bytes[d] / (ptrdiff_t)sizeof factor;
        dimension[d].from = block->from_bytes[d] / (ptrdiff_t)sizeof factor;
    }
    if (block->summed > 0) {
        copy_sum((copy_element *)(void *)to, (const copy_element *)(const void *)from, block->rank,
                 block->summed, dimension, conjugate);
        return;
    }
    if (block->multiplies) {
        copy_scaled((copy_element *)(void *)to, (const copy_element *)(const void *)from,
                    block->rank, dimension, conjugate, factor);
        return;
    }
    copy_block((copy_element *)(void *)to, (const copy_element *)(const void *)from, block->rank,
               dimension,
               (block->streamed ? COPY_STREAM : 0U) | (block->accumulates ? COPY_ACCUMULATE : 0U) |
                   conjugate,
               factor, (struct copy_end *)(void *)ends);
}

static void write_ends(char *ends, int64_t count) {
    copy_ends_write((struct copy_end *)(void *)ends, (ptrdiff_t)count);
}

_Static_assert(sizeof(struct copy_end) == STRIDED_END_BYTES, "ends of all types are equal");

const struct copy_kernel COPY_KERNEL = {run, write_ends, copy_fence};
