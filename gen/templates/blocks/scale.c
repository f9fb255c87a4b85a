/* Blocks of the result that are multiplied by beta before anything is added to them. */
static const struct {
    int block, rank;
    ptrdiff_t dimension[EMIT_scaled_rank][2]; /* extent, distance between elements */
} EMIT_function_scaled[] = {
    EMIT_scaled,
};

static void EMIT_function_scale(EMIT_element *c, int rank, const ptrdiff_t (*dimension)[2]) {
    for (ptrdiff_t n = 0; n < dimension[rank - 1][0]; n++, c += dimension[rank - 1][1]) {
        if (rank > 1)
            EMIT_function_scale(c, rank - 1, dimension);
        else
            *c = EMIT_scaled_element;
    }
}
