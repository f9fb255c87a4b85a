/*
 * Sectors: blocks that are packed into one matrix for each tensor, and multiplied as one product.
 */

/* A block, the shape of its copy, and the place of its first element in the matrix. */
static const struct {
    int block, shape;
    ptrdiff_t offset;
} EMIT_function_copies[] = {
    EMIT_copies,
};

/* The dimensions of copies: extent, and distances between elements at the destination and at the
 * source. */
static const struct EMIT_copy_dimension EMIT_function_dimensions[] = {
    EMIT_dimensions,
};

/* The shape of a copy: how many dimensions, and which is the first. */
static const struct {
    int rank, first;
} EMIT_function_copied[] = {
    EMIT_copied,
};

/* A tensor of a sector; `in_place`: a single block, used where it lies. */
struct EMIT_function_matrix {
    ptrdiff_t elements;
    int first, count; /* range of entries in EMIT_function_copies */
    unsigned char in_place, is_full;
};

static const struct {
    EMIT_function_product *product;
    struct EMIT_function_matrix matrix[3];
} EMIT_function_sectors[] = {
    EMIT_sectors,
};

/* Returns the matrix of a factor, and moves `*place` behind it. */
static const EMIT_element *EMIT_function_pack(const struct EMIT_function_matrix *matrix,
                                              const EMIT_element *const block[],
                                              EMIT_element **place) {
    EMIT_element *to = *place;
    if (matrix->in_place) return block[EMIT_function_copies[matrix->first].block];
    if (!matrix->is_full) memset(to, 0, (size_t)matrix->elements * sizeof *to);
    for (int n = matrix->first; n < matrix->first + matrix->count; n++) {
        const int shape = EMIT_function_copies[n].shape;
        EMIT_copy_block(to + EMIT_function_copies[n].offset, block[EMIT_function_copies[n].block],
                        EMIT_function_copied[shape].rank,
                        &EMIT_function_dimensions[EMIT_function_copied[shape].first], 0, 0, NULL);
    }
    *place += (matrix->elements + 15) / 16 * 16;
    return to;
}

static int EMIT_function_run_sectors(const EMIT_element *const A[], const EMIT_element *const B[],
                                     EMIT_element *const C[], EMIT_element *workspace) {
    int status = 0;
    for (size_t s = 0; s < sizeof EMIT_function_sectors / sizeof *EMIT_function_sectors && !status;
         s++) {
        EMIT_element *place = workspace;
        const struct EMIT_function_matrix *matrix = EMIT_function_sectors[s].matrix;
        const EMIT_element *a = EMIT_function_pack(&matrix[0], A, &place);
        const EMIT_element *b = EMIT_function_pack(&matrix[1], B, &place);
        EMIT_element *c =
            matrix[2].in_place ? C[EMIT_function_copies[matrix[2].first].block] : place;
        status = EMIT_function_sectors[s].product(a, b, c);
        for (int n = matrix[2].first;
             n < matrix[2].first + matrix[2].count && !status && !matrix[2].in_place; n++) {
            const int shape = EMIT_function_copies[n].shape;
            EMIT_copy_block(C[EMIT_function_copies[n].block], c + EMIT_function_copies[n].offset,
                            EMIT_function_copied[shape].rank,
                            &EMIT_function_dimensions[EMIT_function_copied[shape].first],
                            EMIT_unpacking, NULL);
        }
    }
    return status;
}
