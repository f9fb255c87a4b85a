/* Cache lines that tiles prefetch while they multiply: in each round, of `count` columns (or rows)
 * of the next panel of a, and of `second_count` columns of the next block of b. */
struct EMIT_name_ahead {
    const EMIT_number *from, *second;
    const ptrdiff_t *places, *second_places;
    ptrdiff_t apart, count, advance;
    ptrdiff_t second_apart, second_count, second_advance;
    const ptrdiff_t *second_last; /* the last of `second_places` from which to advance */
    ptrdiff_t rows; /* rows of the panel that are left if tiles prefetch some rows each; or 0 */
};

/* Some tiles of rows: address of each tile's rows of a, stride between columns of a, offsets in c.
 */
struct EMIT_name_strip {
    const EMIT_number *const *a;
    ptrdiff_t step;
    const ptrdiff_t *start; /* offset of each tile in c */
    const ptrdiff_t *row;   /* offset of each row in c, if rows are not contiguous */
    ptrdiff_t tiles;
    ptrdiff_t rows; /* number of rows of c to write; 0: all, which are contiguous */
    int lie;        /* whether rows of c are contiguous */
    int adds;       /* whether the products are added to c */
    ptrdiff_t k;
};

/* A part of the contracted indices of a factor: their places, and the distance of those that are
 * neighbours in memory (0: none are). `is_run` says for each vector along them whether it is
 * contiguous. */
struct EMIT_name_depth {
    ptrdiff_t k, apart;
    const ptrdiff_t *place;
    const unsigned char *is_run;
};

/* The functions for an instruction set: tiles by vectors of rows and columns, and those that pack
 * vectors of lanes, which are neighbours in memory or not. */
typedef void EMIT_name_tile_fn(const struct EMIT_name_strip *strip, const EMIT_number *b,
                               EMIT_number *c, const ptrdiff_t *column,
                               const struct EMIT_name_ahead *ahead);
struct EMIT_name_set {
    EMIT_name_tile_fn *const *tile;
    void (*copy)(EMIT_number *to, ptrdiff_t step, const EMIT_number *from, ptrdiff_t numbers,
                 const struct EMIT_name_depth *depth, EMIT_number sign);
    void (*transpose)(EMIT_number *to, ptrdiff_t step, const EMIT_number *from,
                      const ptrdiff_t *lane, const struct EMIT_name_depth *depth, EMIT_number sign);
    ptrdiff_t elems; /* in a vector */
    int columns;     /* most columns of a tile */
    int lines;       /* cache lines in the rows of a tile */
};

/* The arguments of a call, and memory for packed panels of a and small blocks of b. */
struct EMIT_name_call {
    const struct EMIT_name_set *set;
    const struct kernel_gemm *gemm;
    const EMIT_number *a, *b;
    EMIT_number *c, *panel, *near;
};

/* Columns of b for a part of k: packed elements, and offsets of the columns in c. */
struct EMIT_name_block {
    const EMIT_number *b;
    const ptrdiff_t *column_c;
    struct EMIT_name_depth depth; /* of a */
    ptrdiff_t columns;
    int is_packed; /* whether a is packed already */
    int adds;
};

/* The next block of b, of which tiles prefetch `count` units each. */
struct EMIT_name_next {
    const EMIT_number *b;
    const ptrdiff_t *column, *k_b;
    ptrdiff_t columns, k, unit, units, count;
};

/* Copies elements of some lanes for some contracted indices. */
KERNEL_PLAIN static void EMIT_name_pack_elements(EMIT_number *to, ptrdiff_t step,
                                                 const EMIT_number *from, const ptrdiff_t *lane,
                                                 ptrdiff_t lanes, const ptrdiff_t *place,
                                                 ptrdiff_t k, EMIT_number sign) {
    (void)sign;
    for (ptrdiff_t p = 0; p < k; p++) {
        for (ptrdiff_t i = 0; i < lanes; i++) {
            EMIT_number *at = to + step * p + EMIT_parts * i;
            EMIT_copy_element;
        }
    }
}

/* Prefetches the lines of a tile of c, unless there are few products. */
KERNEL_PLAIN KERNEL_TILE EMIT_name_fetch_result(const struct EMIT_name_strip *strip,
                                                const EMIT_number *c, const ptrdiff_t *column,
                                                ptrdiff_t columns, ptrdiff_t height) {
    for (ptrdiff_t j = 0; j < columns && strip->k >= 4 * EMIT_round; j++) {
        __builtin_prefetch(c + column[j], 1);
        for (ptrdiff_t n = EMIT_line; n < height && strip->rows == 0; n += EMIT_line)
            __builtin_prefetch(c + column[j] + n, 1);
        if (strip->rows == 0) __builtin_prefetch(c + column[j] + height - 1, 1);
        for (ptrdiff_t i = 1; i < strip->rows && !strip->lie; i++)
            __builtin_prefetch(c + (strip->row[i] - strip->row[0]) + column[j], 1);
    }
}
