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
    EMIT_matrix_threads;
};

static const struct {
    EMIT_function_product *product;
    struct EMIT_function_matrix matrix[3];
} EMIT_function_sectors[] = {
    EMIT_sectors,
};

struct EMIT_function_packing {
    const EMIT_element *const *from;
    EMIT_element *const *to; /* pointers to the blocks of C */
    EMIT_element *matrix;
    int copy; /* number of the part's first copy */
};

static void EMIT_function_pack_some(void *context, int first, int end) {
    const struct EMIT_function_packing *packing = context;
    for (int n = packing->copy + first; n < packing->copy + end; n++) {
        const int shape = EMIT_function_copies[n].shape;
        EMIT_copy_block(packing->matrix + EMIT_function_copies[n].offset,
                        packing->from[EMIT_function_copies[n].block],
                        EMIT_function_copied[shape].rank,
                        &EMIT_function_dimensions[EMIT_function_copied[shape].first], 0, 0, NULL);
    }
}

static void EMIT_function_unpack_some(void *context, int first, int end) {
    const struct EMIT_function_packing *packing = context;
    for (int n = packing->copy + first; n < packing->copy + end; n++) {
        const int shape = EMIT_function_copies[n].shape;
        EMIT_copy_block(
            packing->to[EMIT_function_copies[n].block],
            packing->matrix + EMIT_function_copies[n].offset, EMIT_function_copied[shape].rank,
            &EMIT_function_dimensions[EMIT_function_copied[shape].first], EMIT_unpacking, NULL);
    }
}

/* Returns the matrix of a factor, and moves `*place` behind it. */
static const EMIT_element *EMIT_function_pack(const struct EMIT_function_matrix *matrix,
                                              const EMIT_element *const block[],
                                              EMIT_element **place) {
    struct EMIT_function_packing packing = {block, NULL, *place, matrix->first};
    if (matrix->in_place) return block[EMIT_function_copies[matrix->first].block];
    if (!matrix->is_full) memset(*place, 0, (size_t)matrix->elements * sizeof **place);
    EMIT_pack_all;
    *place += (matrix->elements + 15) / 16 * 16;
    return packing.matrix;
}

static int EMIT_function_run_sectors(const EMIT_element *const A[], const EMIT_element *const B[],
                                     EMIT_element *const C[], EMIT_element *workspace,
                                     const struct EMIT_function_share *share) {
    int status = 0;
    for (ptrdiff_t s = share[0].sector; s < share[1].sector && !status; s++) {
        EMIT_element *place = workspace;
        const struct EMIT_function_matrix *matrix = EMIT_function_sectors[s].matrix;
        const EMIT_element *a = EMIT_function_pack(&matrix[0], A, &place);
        const EMIT_element *b = EMIT_function_pack(&matrix[1], B, &place);
        EMIT_element *c =
            matrix[2].in_place ? C[EMIT_function_copies[matrix[2].first].block] : place;
        struct EMIT_function_packing packing = {NULL, C, c, matrix[2].first};
        status = EMIT_function_sectors[s].product(a, b, c);
        if (status || matrix[2].in_place) continue;
        EMIT_unpack_all;
    }
    return status;
}
