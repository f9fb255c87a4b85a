/*
 * Sums of tensors with the same indices in any order: to = sum of factor * from, with one pass over
 * memory. The text is written for one element type of TERMS_PARTS numbers, `terms_number` each;
 * steps count numbers. Include vectors.h and mixes.h first.
 *
 * The result is written by lines of 64 bytes along its contiguous dimension x. Terms that are
 * contiguous along another dimension y are transposed in registers, in blocks of a line of x and a
 * vector of y. They are added up in a buffer first if there are other terms as well, or if lines of
 * the result that non-temporal stores write begin elsewhere in each row: the buffer and the others
 * are then passed along x. Invariant: if the result itself is a term, each of its elements is
 * written once, after all terms are read. Otherwise blocks at edges overlap the blocks next to them
 * and write the same values again.
 */
enum {
    TERMS_MOST = 16,       /* terms of a sum */
    TERMS_DIMENSIONS = 64, /* dimensions of a sum */
    TERMS_VECTOR = (int)(sizeof(terms_vector) / sizeof(terms_number)) / TERMS_PARTS,
    TERMS_LINE = 2 * TERMS_VECTOR,
    TERMS_BYTES = (int)sizeof(terms_number) * TERMS_PARTS,
    TERMS_TILE = 2 * TERMS_LINE,     /* elements along x that are computed for each vector of y */
    TERMS_ROWS = 2048 / TERMS_BYTES, /* rows in a block of a plane: their pages fit in a TLB */
    TERMS_COLUMNS = 65536 / TERMS_BYTES, /* elements along x in a block of a plane */
    TERMS_WIDTH = 512 / TERMS_BYTES,     /* elements along x in the buffer */
    TERMS_BUFFER = 65536 / TERMS_BYTES,
    TERMS_AHEAD = 16 /* rows between a load and its prefetch */
};

/* A term: factor * from, or the factor times the conjugate. */
struct terms_term {
    const terms_number *from;
    terms_number factor[2]; /* real and imaginary part */
    int conjugated;
    ptrdiff_t step[TERMS_DIMENSIONS]; /* distance of neighbours along each dimension of the sum, in
                                         elements */
};

/* Dimension 0 is x, and dimension 1 is y. */
struct terms_sum {
    int rank; /* number of dimensions, at least 2; further ones have extent 1 */
    int count;
    int streamed; /* whether whole lines of the result are written by non-temporal stores */
    ptrdiff_t extent[TERMS_DIMENSIONS];
    ptrdiff_t step[TERMS_DIMENSIONS]; /* distance of neighbours in the result along each dimension,
                                         in elements */
    struct terms_term term[TERMS_MOST + 1]; /* the last one is the buffer */
    /* The following members are set by terms_compute(). */
    int turned; /* number of terms that are not contiguous along x, which come first */
    int apart;  /* whether the result is no term, so that elements may be written twice */
    int is_row; /* whether rows of the buffer, the result and the terms that are passed with it are
                   contiguous with each other, so that they are one row */
};

/* Terms [first, first + count) of a sum at one point of the dimensions other than x and y. */
struct terms_plane {
    const struct terms_sum *sum;
    int first, count;
    int apart;
    terms_number *to;
    ptrdiff_t row; /* step of y in `to` */
    const terms_number *from[TERMS_MOST + 1];
};

/* Computes elements one by one. */
static void terms_elements(const struct terms_plane *plane, ptrdiff_t x, ptrdiff_t x_end,
                           ptrdiff_t y, ptrdiff_t y_end) {
    const struct terms_sum *sum = plane->sum;
    for (; y < y_end; y++) {
        for (ptrdiff_t i = x; i < x_end; i++) {
            terms_number *const to = plane->to + i * sum->step[0] + y * plane->row;
            terms_number re = 0, im = 0;
            for (int t = plane->first; t < plane->first + plane->count; t++) {
                const struct terms_term *term = &sum->term[t];
                const terms_number *from = plane->from[t] + i * term->step[0] + y * term->step[1];
                const terms_number other = TERMS_PARTS == 1   ? 0
                                           : term->conjugated ? -from[TERMS_PARTS - 1]
                                                              : from[TERMS_PARTS - 1];
                re += term->factor[0] * *from - term->factor[1] * other;
                im += term->factor[0] * other + term->factor[1] * *from;
            }
            to[0] = re;
            if (TERMS_PARTS == 2) to[TERMS_PARTS - 1] = im;
        }
    }
}

#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 12)
/* Transposes a block of TERMS_VECTOR rows, `row` numbers apart: vector j has element j of each. */
__attribute__((always_inline)) static inline void terms_turn(terms_vector *out,
                                                             const terms_number *from,
                                                             ptrdiff_t row) {
    if (TERMS_BYTES == 4) {
        kernel_s8 a[8], b[8];
        KERNEL_UNROLL(8)
        for (int r = 0; r < 8; r++) a[r] = *(const kernel_s8 *)(const void *)(from + r * row);
        KERNEL_UNROLL(4)
        for (int r = 0; r < 4; r++) {
            b[r] = KERNEL_MIX_s8(a[r], a[r + 4], 0, 1, 2, 3, 8, 9, 10, 11);
            b[r + 4] = KERNEL_MIX_s8(a[r], a[r + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        }
        KERNEL_UNROLL(4)
        for (int r = 0; r < 8; r += (r & 1) ? 3 : 1) {
            a[r] = KERNEL_MIX_s8(b[r], b[r + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            a[r + 2] = KERNEL_MIX_s8(b[r], b[r + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
        KERNEL_UNROLL(4)
        for (int r = 0; r < 8; r += 2) {
            out[r] = (terms_vector)KERNEL_MIX_s8(a[r], a[r + 1], 0, 8, 2, 10, 4, 12, 6, 14);
            out[r + 1] = (terms_vector)KERNEL_MIX_s8(a[r], a[r + 1], 1, 9, 3, 11, 5, 13, 7, 15);
        }
    } else if (TERMS_BYTES == 8) {
        kernel_d4 a[4], b[4];
        KERNEL_UNROLL(4)
        for (int r = 0; r < 4; r++) a[r] = *(const kernel_d4 *)(const void *)(from + r * row);
        KERNEL_UNROLL(2)
        for (int r = 0; r < 2; r++) {
            b[r] = KERNEL_MIX_d4(a[r], a[r + 2], 0, 1, 4, 5);
            b[r + 2] = KERNEL_MIX_d4(a[r], a[r + 2], 2, 3, 6, 7);
        }
        KERNEL_UNROLL(2)
        for (int r = 0; r < 4; r += 2) {
            out[r] = (terms_vector)KERNEL_MIX_d4(b[r], b[r + 1], 0, 4, 2, 6);
            out[r + 1] = (terms_vector)KERNEL_MIX_d4(b[r], b[r + 1], 1, 5, 3, 7);
        }
    } else {
        const kernel_d4 a = *(const kernel_d4 *)(const void *)from,
                        b = *(const kernel_d4 *)(const void *)(from + row);
        out[0] = (terms_vector)KERNEL_MIX_d4(a, b, 0, 1, 4, 5);
        out[1] = (terms_vector)KERNEL_MIX_d4(a, b, 2, 3, 6, 7);
    }
}

/* Loads a line of x in each of `rows` rows, or with `along` as many lines of one row. */
__attribute__((always_inline)) static inline void terms_load(terms_vector *out,
                                                             const terms_number *from,
                                                             const struct terms_term *term,
                                                             int rows, int along) {
    const ptrdiff_t x = term->step[0], y = along ? TERMS_LINE * TERMS_PARTS : term->step[1];
    if (x == TERMS_PARTS) {
        KERNEL_UNROLL(16)
        for (int r = 0; r < rows; r++) {
            const terms_number *line = from + r * y;
            out[2 * r] = *(const terms_vector *)(const void *)line;
            out[2 * r + 1] =
                *(const terms_vector *)(const void *)(line + TERMS_VECTOR * TERMS_PARTS);
        }
    } else if (y == TERMS_PARTS && rows == TERMS_VECTOR && !along) {
        terms_vector half[TERMS_VECTOR];
        KERNEL_UNROLL(16)
        for (int h = 0; h < 2; h++) {
            terms_turn(half, from + h * TERMS_VECTOR * x, x);
            KERNEL_UNROLL(16)
            for (int r = 0; r < rows; r++) out[2 * r + h] = half[r];
        }
    } else {
        for (int r = 0; r < rows; r++) {
            for (int e = 0; e < TERMS_LINE; e++) {
                for (int n = 0; n < TERMS_PARTS; n++)
                    out[2 * r + e / TERMS_VECTOR][e % TERMS_VECTOR * TERMS_PARTS + n] =
                        from[r * y + e * x + n];
            }
        }
    }
}

/* Computes a line of x in each of `rows` rows, or with `along` as many lines of one row. */
__attribute__((always_inline)) static inline void terms_block(const struct terms_plane *plane,
                                                              ptrdiff_t x, ptrdiff_t y, int rows,
                                                              int along, int streamed) {
    const struct terms_sum *sum = plane->sum;
    terms_vector total[2 * TERMS_VECTOR] = {{0}}, own[2 * TERMS_VECTOR];
    for (int t = plane->first; t < plane->first + plane->count; t++) {
        const struct terms_term *term = &sum->term[t];
        const terms_number re = term->factor[0], im = term->factor[1];
        const terms_number *from = plane->from[t] + x * term->step[0] + y * term->step[1];
        if (rows > 1 && term->step[1] == TERMS_PARTS) { /* the next rows are not predicted */
            const ptrdiff_t half = y / TERMS_VECTOR % 2 * TERMS_VECTOR;
            for (int r = 0; r < TERMS_VECTOR; r++)
                __builtin_prefetch(from + (TERMS_TILE + half + r) * term->step[0]);
        } else if (rows > 1 && !along && term->step[0] == TERMS_PARTS) {
            for (int r = 0; r < rows; r++)
                __builtin_prefetch(from + (TERMS_AHEAD + r) * term->step[1]);
        }
        terms_load(own, from, term, rows, along);
        KERNEL_UNROLL(16)
        for (int v = 0; v < 2 * rows; v++) {
            terms_vector value;
            if (TERMS_PARTS == 1) {
                value = own[v] * re;
            } else {
                const terms_number sign = term->conjugated ? -1 : 1;
                value = own[v] * TERMS_PAIR(re, sign * re);
                if (im != 0) value += TERMS_SWAP(own[v]) * TERMS_PAIR(-sign * im, im);
            }
            total[v] += value;
        }
    }
    KERNEL_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        terms_number *to = plane->to + x * TERMS_PARTS + y * plane->row +
                           r * (along ? TERMS_LINE * TERMS_PARTS : plane->row);
        if (streamed) {
            TERMS_STREAM(to, total[2 * r]);
            TERMS_STREAM(to + TERMS_VECTOR * TERMS_PARTS, total[2 * r + 1]);
        } else {
            *(terms_vector *)(void *)to = total[2 * r];
            *(terms_vector *)(void *)(to + TERMS_VECTOR * TERMS_PARTS) = total[2 * r + 1];
        }
    }
}

/* Computes lines at the edges of a plane, which may overlap others. */
__attribute__((target("avx2"))) static void terms_edge_avx2(const struct terms_plane *plane,
                                                            ptrdiff_t x, ptrdiff_t y) {
    terms_block(plane, x, y, TERMS_VECTOR, 0, 0);
}

__attribute__((target("avx2"))) static void terms_line_avx2(const struct terms_plane *plane,
                                                            ptrdiff_t x, ptrdiff_t y) {
    terms_block(plane, x, y, 1, 1, 0);
}

/* Computes elements [x, x_end) of rows [y, y_end) of a plane, by blocks of several rows. Lines at
 * the end of a row, and of the last rows, overlap others if they may. */
__attribute__((always_inline)) static inline void terms_turned(const struct terms_plane *plane,
                                                               ptrdiff_t x, ptrdiff_t x_end,
                                                               ptrdiff_t y, ptrdiff_t y_end,
                                                               int streamed) {
    const ptrdiff_t last = x + (x_end - x) / TERMS_LINE * TERMS_LINE,
                    whole = y + (y_end - y) / TERMS_VECTOR * TERMS_VECTOR;
    const int apart = !streamed && plane->apart && whole > y;
    for (ptrdiff_t tile = x; tile < last; tile += TERMS_TILE) {
        const ptrdiff_t end = last - tile > TERMS_TILE ? tile + TERMS_TILE : last;
        for (ptrdiff_t r = y; r < whole; r += TERMS_VECTOR) {
            for (ptrdiff_t i = tile; i < end; i += TERMS_LINE)
                terms_block(plane, i, r, TERMS_VECTOR, 0, streamed);
        }
        for (ptrdiff_t i = tile; apart && whole < y_end && i < end; i += TERMS_LINE)
            terms_edge_avx2(plane, i, y_end - TERMS_VECTOR);
    }
    if (!apart) terms_elements(plane, x, last, whole, y_end);
    if (!apart || last == x) {
        terms_elements(plane, last, x_end, y, y_end);
    } else if (last < x_end) {
        for (ptrdiff_t r = y; r < whole; r += TERMS_VECTOR)
            terms_edge_avx2(plane, x_end - TERMS_LINE, r);
        if (whole < y_end) terms_edge_avx2(plane, x_end - TERMS_LINE, y_end - TERMS_VECTOR);
    }
}

/* Computes elements [x, x_end) of row y of a plane, by blocks of several lines. */
__attribute__((always_inline)) static inline void terms_row(const struct terms_plane *plane,
                                                            ptrdiff_t x, ptrdiff_t x_end,
                                                            ptrdiff_t y, int streamed) {
    const int overlaps = !streamed && plane->apart && x_end - x >= TERMS_LINE;
    for (; x + 2 * TERMS_LINE <= x_end; x += 2 * TERMS_LINE)
        terms_block(plane, x, y, 2, 1, streamed);
    for (; x + TERMS_LINE <= x_end; x += TERMS_LINE) terms_block(plane, x, y, 1, 1, streamed);
    if (!overlaps) {
        terms_elements(plane, x, x_end, y, y + 1);
    } else if (x < x_end) {
        terms_line_avx2(plane, x_end - TERMS_LINE, y);
    }
}

__attribute__((target("avx2"))) static void terms_turned_avx2(const struct terms_plane *plane,
                                                              ptrdiff_t x, ptrdiff_t x_end,
                                                              ptrdiff_t y, ptrdiff_t y_end,
                                                              int streamed) {
    if (streamed) {
        terms_turned(plane, x, x_end, y, y_end, 1);
    } else {
        terms_turned(plane, x, x_end, y, y_end, 0);
    }
}

/* Computes rows whose terms are all contiguous along x. */
__attribute__((target("avx2"))) static void terms_straight_avx2(const struct terms_plane *plane,
                                                                ptrdiff_t x, ptrdiff_t x_end,
                                                                ptrdiff_t y, ptrdiff_t y_end) {
    const int streamed = plane->sum->streamed && (uintptr_t)plane->to % TERMS_BYTES == 0;
    for (; y < y_end; y++) {
        const uintptr_t line = (uintptr_t)(plane->to + x * TERMS_PARTS + y * plane->row);
        const ptrdiff_t lead = streamed ? (ptrdiff_t)(-line % 64 / TERMS_BYTES) : 0,
                        first = lead < x_end - x ? x + lead : x_end;
        terms_elements(plane, x, first, y, y + 1);
        if (streamed) {
            terms_row(plane, first, x_end, y, 1);
        } else {
            terms_row(plane, first, x_end, y, 0);
        }
    }
}

/* Makes the part of a plane that adds up the transposed terms, or all if there are none, in a
 * buffer, and the part that computes the result from the buffer and the other terms. */
static void terms_split(struct terms_plane *inner, struct terms_plane *outer,
                        const struct terms_plane *plane) {
    const struct terms_sum *sum = plane->sum;
    *inner = *outer = *plane;
    inner->count = sum->turned > 0 ? sum->turned : sum->count;
    inner->apart = 1;
    inner->row = sum->term[sum->count].step[1];
    outer->first = inner->count;
    outer->count = sum->count - inner->count + 1;
}

/* Computes a plane through a buffer in the nearest caches; its rows are contiguous with each other.
 */
static void terms_buffered(const struct terms_plane *plane, ptrdiff_t y, ptrdiff_t y_end) {
    _Alignas(64) terms_number buffer[TERMS_BUFFER * TERMS_PARTS];
    struct terms_plane inner, outer;
    terms_split(&inner, &outer, plane);
    const ptrdiff_t width = plane->sum->extent[0], height = TERMS_BUFFER / width;
    for (; y < y_end; y += height) {
        const ptrdiff_t end = y + height < y_end ? y + height : y_end;
        inner.to = buffer - y * inner.row;
        outer.from[plane->sum->count] = inner.to;
        terms_turned_avx2(&inner, 0, width, y, end, 0);
        terms_straight_avx2(&outer, y * width, end * width, 0, 1);
    }
}

/* Computes columns [x, x_end) of a plane through a buffer in the nearest caches. Each row passes
 * those elements of the buffer that are whole lines of the result, so that the buffer is one line
 * wider than what a row passes. */
static void terms_staggered(const struct terms_plane *plane, ptrdiff_t x, ptrdiff_t x_end,
                            ptrdiff_t y, ptrdiff_t y_end) {
    enum { ROW = TERMS_WIDTH + TERMS_LINE, HEIGHT = TERMS_BUFFER / ROW };
    _Alignas(64) terms_number buffer[TERMS_BUFFER * TERMS_PARTS];
    const int number = plane->sum->count;
    struct terms_plane inner, outer;
    terms_split(&inner, &outer, plane);
    inner.row = ROW * TERMS_PARTS;
    for (ptrdiff_t top = y; top < y_end; top += HEIGHT) {
        const ptrdiff_t end = top + HEIGHT < y_end ? top + HEIGHT : y_end;
        for (ptrdiff_t left = x; left < x_end; left += TERMS_WIDTH) {
            const ptrdiff_t from = left > x ? left - TERMS_LINE : x,
                            right = x_end - left > TERMS_WIDTH ? left + TERMS_WIDTH : x_end;
            inner.to = buffer - top * inner.row - from * TERMS_PARTS;
            terms_turned_avx2(&inner, from, right, top, end, 0);
            for (ptrdiff_t r = top; r < end; r++) {
                const uintptr_t line = (uintptr_t)(outer.to + left * TERMS_PARTS + r * outer.row);
                const ptrdiff_t before = (ptrdiff_t)(line % 64 / TERMS_BYTES);
                outer.from[number] = inner.to + r * (inner.row - outer.sum->term[number].step[1]);
                terms_straight_avx2(&outer, left > x ? left - before : x,
                                    right < x_end ? right - before : x_end, r, r + 1);
            }
        }
    }
}
#endif

/* Computes elements [x, x_end) of rows [y, y_end) of a plane. */
static void terms_rows(const struct terms_plane *plane, ptrdiff_t x, ptrdiff_t x_end, ptrdiff_t y,
                       ptrdiff_t y_end) {
#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 12)
    const struct terms_sum *sum = plane->sum;
    if (sum->step[0] == TERMS_PARTS && __builtin_cpu_supports("avx2")) {
        const uintptr_t line = (uintptr_t)(plane->to + x * TERMS_PARTS);
        const int lined = plane->row % (TERMS_LINE * TERMS_PARTS) == 0,
                  streamed = sum->streamed && line % TERMS_BYTES == 0 &&
                             (sum->is_row || lined || sum->extent[0] > TERMS_WIDTH);
        const ptrdiff_t before = streamed ? (ptrdiff_t)(-line % 64 / TERMS_BYTES) : 0,
                        lead = before < x_end - x ? x + before : x_end;
        if (streamed && sum->is_row &&
            (!lined || before > 0 || (sum->turned > 0 && sum->turned < sum->count))) {
            terms_buffered(plane, y, y_end);
        } else if (sum->turned == 0) {
            terms_straight_avx2(plane, x, x_end, y, y_end);
        } else if (!streamed || (lined && sum->turned == sum->count)) {
            terms_elements(plane, x, lead, y, y_end);
            terms_turned_avx2(plane, lead, x_end, y, y_end, streamed);
        } else {
            terms_staggered(plane, x, x_end, y, y_end);
        }
        return;
    }
#endif
    terms_elements(plane, x, x_end, y, y_end);
}

/* Puts the terms that are not contiguous along x first, adds the buffer as the last one, and sets
 * what depends on the order. */
static void terms_order(struct terms_sum *out, const struct terms_sum *sum,
                        const terms_number *to) {
    *out = *sum;
    out->turned = 0;
    out->apart = 1;
    for (int pass = 0, count = 0; pass < 2; pass++) {
        for (int t = 0; t < sum->count; t++) {
            out->apart = out->apart && sum->term[t].from != to;
            if ((sum->term[t].step[0] == TERMS_PARTS) != (pass == 1)) continue;
            out->term[count++] = sum->term[t];
            out->turned += pass == 0;
        }
    }
    /* Rows of the buffer that are transposed are so short that it holds many of them. */
    const ptrdiff_t most = TERMS_BUFFER / (out->turned > 0 ? 32 : 16), x = sum->extent[0],
                    width = x <= most ? x : TERMS_WIDTH + TERMS_LINE;
    out->term[sum->count] =
        (struct terms_term){.factor = {1, 0}, .step = {TERMS_PARTS, width * TERMS_PARTS}};
    out->is_row = width == x && sum->step[1] == x * TERMS_PARTS;
    for (int t = out->turned; out->turned > 0 && t < sum->count; t++)
        out->is_row = out->is_row && out->term[t].step[1] == x * TERMS_PARTS;
}

/* Moves a plane to the next one; `at` counts the dimensions other than x and y. */
static void terms_next(struct terms_plane *plane, ptrdiff_t at[TERMS_DIMENSIONS]) {
    const struct terms_sum *sum = plane->sum;
    for (int d = 2; d < sum->rank; d++) {
        const ptrdiff_t by = ++at[d] < sum->extent[d] ? 1 : 1 - sum->extent[d];
        plane->to += by * sum->step[d];
        for (int t = 0; t < sum->count; t++) plane->from[t] += by * sum->term[t].step[d];
        if (by == 1) return;
        at[d] = 0;
    }
}

/* Returns the number of blocks of a dimension. */
static ptrdiff_t terms_blocks(ptrdiff_t extent, ptrdiff_t block) {
    return (extent + block - 1) / block;
}

/* Returns the number of blocks of all planes of a sum. */
static ptrdiff_t terms_planes(const struct terms_sum *sum) {
    ptrdiff_t planes =
        terms_blocks(sum->extent[0], TERMS_COLUMNS) * terms_blocks(sum->extent[1], TERMS_ROWS);
    for (int d = 2; d < sum->rank; d++) planes *= sum->extent[d];
    return planes;
}

/* Computes blocks [begin, end) of the planes of a sum. */
static void terms_compute(const struct terms_sum *written, terms_number *to, ptrdiff_t begin,
                          ptrdiff_t end) {
    struct terms_sum sum;
    terms_order(&sum, written, to);
    const ptrdiff_t columns = terms_blocks(sum.extent[0], TERMS_COLUMNS),
                    blocks = columns * terms_blocks(sum.extent[1], TERMS_ROWS);
    struct terms_plane plane = {
        .sum = &sum, .count = sum.count, .apart = sum.apart, .to = to, .row = sum.step[1]};
    ptrdiff_t at[TERMS_DIMENSIONS] = {0}, number = begin % (blocks > 0 ? blocks : 1),
              rest = begin / (blocks > 0 ? blocks : 1);
    for (int t = 0; t < sum.count; t++) plane.from[t] = sum.term[t].from;
    for (int d = 2; d < sum.rank && begin < end; d++) {
        at[d] = rest % sum.extent[d];
        rest /= sum.extent[d];
        plane.to += at[d] * sum.step[d];
        for (int t = 0; t < sum.count; t++) plane.from[t] += at[d] * sum.term[t].step[d];
    }
    for (; begin < end; begin++) {
        const ptrdiff_t x = number % columns * TERMS_COLUMNS, x_left = sum.extent[0] - x,
                        y = number / columns * TERMS_ROWS, y_left = sum.extent[1] - y;
        terms_rows(&plane, x, x + (x_left < TERMS_COLUMNS ? x_left : TERMS_COLUMNS), y,
                   y + (y_left < TERMS_ROWS ? y_left : TERMS_ROWS));
        if (++number < blocks) continue;
        number = 0;
        terms_next(&plane, at);
    }
    KERNEL_FENCE();
}
