/*
 * Sums of tensors with the same indices in any order: to = sum of factor * from, with one pass over
 * memory. The text is written for one element type of TERMS_PARTS numbers, `terms_number` each;
 * steps count numbers. Include vectors.h and mixes.h first.
 *
 * The result is written by lines of 64 bytes along its contiguous dimension x. Terms that are
 * contiguous along another dimension y are transposed in registers, in blocks of a line of x and a
 * vector of y. If there are others as well, the transposed terms are added up in a buffer first, so
 * that the others and the result are passed along x. Invariant: an element of the result is
 * written once, after all its terms are read, so that the result itself may be a term.
 */
enum {
    TERMS_MOST = 16,       /* terms of a sum */
    TERMS_DIMENSIONS = 64, /* dimensions of a sum */
    TERMS_VECTOR = (int)(sizeof(terms_vector) / sizeof(terms_number)) / TERMS_PARTS,
    TERMS_LINE = 2 * TERMS_VECTOR,
    TERMS_BYTES = (int)sizeof(terms_number) * TERMS_PARTS,
    TERMS_TILE = 2 * TERMS_LINE,     /* elements along x that are computed for each vector of y */
    TERMS_ROWS = 2048 / TERMS_BYTES, /* rows in a block of a plane: their pages fit in a TLB */
    TERMS_WIDTH = 512 / TERMS_BYTES, /* elements along x in the buffer */
    TERMS_BUFFER = 32768 / TERMS_BYTES,
    TERMS_AHEAD = 16 /* rows between a load and its prefetch */
};

/* A term: factor * from, or the factor times the conjugate. */
struct terms_term {
    const terms_number *from;
    terms_number factor[2]; /* real and imaginary part */
    int conjugated;
    ptrdiff_t step[TERMS_DIMENSIONS]; /* of each dimension of the sum */
};

/* Dimension 0 is x, and dimension 1 is y. */
struct terms_sum {
    int rank; /* number of dimensions, at least 2; further ones have extent 1 */
    int count;
    int streamed; /* whether whole lines of the result are written by non-temporal stores */
    ptrdiff_t extent[TERMS_DIMENSIONS];
    ptrdiff_t step[TERMS_DIMENSIONS];       /* of the result */
    struct terms_term term[TERMS_MOST + 1]; /* the last one is the buffer */
    int turned; /* number of terms that are not contiguous along x, which come first; set by
                   terms_compute() */
};

/* Terms [first, first + count) of a sum at one point of the dimensions other than x and y. */
struct terms_plane {
    const struct terms_sum *sum;
    int first, count;
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

/* Computes elements [x, x_end) of rows [y, y_end) of a plane, by blocks of several rows. */
__attribute__((always_inline)) static inline void terms_turned(const struct terms_plane *plane,
                                                               ptrdiff_t x, ptrdiff_t x_end,
                                                               ptrdiff_t y, ptrdiff_t y_end,
                                                               int streamed) {
    const ptrdiff_t last = x + (x_end - x) / TERMS_LINE * TERMS_LINE,
                    whole = y + (y_end - y) / TERMS_VECTOR * TERMS_VECTOR;
    for (ptrdiff_t tile = x; tile < last; tile += TERMS_TILE) {
        const ptrdiff_t end = last - tile > TERMS_TILE ? tile + TERMS_TILE : last;
        for (ptrdiff_t r = y; r < whole; r += TERMS_VECTOR) {
            for (ptrdiff_t i = tile; i < end; i += TERMS_LINE)
                terms_block(plane, i, r, TERMS_VECTOR, 0, streamed);
        }
    }
    terms_elements(plane, x, last, whole, y_end);
    terms_elements(plane, last, x_end, y, y_end);
}

/* Computes elements [x, x_end) of row y of a plane, by blocks of several lines. */
__attribute__((always_inline)) static inline void terms_row(const struct terms_plane *plane,
                                                            ptrdiff_t x, ptrdiff_t x_end,
                                                            ptrdiff_t y, int streamed) {
    for (; x + 2 * TERMS_LINE <= x_end; x += 2 * TERMS_LINE)
        terms_block(plane, x, y, 2, 1, streamed);
    for (; x + TERMS_LINE <= x_end; x += TERMS_LINE) terms_block(plane, x, y, 1, 1, streamed);
    terms_elements(plane, x, x_end, y, y + 1);
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

/* Returns whether the rows of the result and of the plane's terms are contiguous with each other,
 * so that they are one row. */
static int terms_is_row(const struct terms_plane *plane) {
    const struct terms_sum *sum = plane->sum;
    int is_row = plane->row == sum->extent[0] * TERMS_PARTS;
    for (int t = plane->first; t < plane->first + plane->count; t++)
        is_row = is_row && sum->term[t].step[1] == sum->extent[0] * TERMS_PARTS;
    return is_row;
}

/* Makes the part of a plane that adds up the transposed terms in a buffer, and the part that
 * computes the result from the buffer and the other terms. */
static void terms_split(struct terms_plane *inner, struct terms_plane *outer,
                        const struct terms_plane *plane) {
    const struct terms_sum *sum = plane->sum;
    *inner = *outer = *plane;
    inner->count = sum->turned;
    inner->row = sum->term[sum->count].step[1];
    outer->first = sum->turned;
    outer->count = sum->count - sum->turned + 1;
}

/* Computes a plane through a buffer in the L1 cache; its rows are contiguous with each other. */
static void terms_buffered(const struct terms_plane *plane, struct terms_plane inner,
                           struct terms_plane outer, ptrdiff_t y, ptrdiff_t y_end) {
    _Alignas(64) terms_number buffer[TERMS_BUFFER * TERMS_PARTS];
    const ptrdiff_t width = plane->sum->extent[0], height = TERMS_BUFFER / width;
    for (; y < y_end; y += height) {
        const ptrdiff_t end = y + height < y_end ? y + height : y_end;
        inner.to = buffer - y * inner.row;
        outer.from[plane->sum->count] = inner.to;
        terms_turned_avx2(&inner, 0, width, y, end, 0);
        terms_straight_avx2(&outer, y * width, end * width, 0, 1);
    }
}
#endif

/* Computes rows [y, y_end) of a plane. */
static void terms_rows(const struct terms_plane *plane, ptrdiff_t y, ptrdiff_t y_end) {
    const struct terms_sum *sum = plane->sum;
#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 12)
    if (sum->step[0] == TERMS_PARTS && __builtin_cpu_supports("avx2")) {
        const int streamed = sum->streamed && (uintptr_t)plane->to % TERMS_BYTES == 0 &&
                             plane->row % (TERMS_LINE * TERMS_PARTS) == 0;
        const ptrdiff_t line = (ptrdiff_t)(-(uintptr_t)plane->to % 64 / TERMS_BYTES),
                        lead = !streamed               ? 0
                               : line < sum->extent[0] ? line
                                                       : sum->extent[0];
        struct terms_plane inner, outer;
        terms_split(&inner, &outer, plane);
        if (sum->turned == 0) {
            terms_straight_avx2(plane, 0, sum->extent[0], y, y_end);
        } else if (sum->streamed && (!streamed || sum->turned < sum->count) &&
                   terms_is_row(&outer)) {
            terms_buffered(plane, inner, outer, y, y_end);
        } else {
            terms_elements(plane, 0, lead, y, y_end);
            terms_turned_avx2(plane, lead, sum->extent[0], y, y_end, streamed);
        }
        return;
    }
#endif
    terms_elements(plane, 0, sum->extent[0], y, y_end);
}

/* Puts the terms that are not contiguous along x first, and adds the buffer as the last one. */
static void terms_order(struct terms_sum *out, const struct terms_sum *sum) {
    const ptrdiff_t width = sum->extent[0] < TERMS_WIDTH ? sum->extent[0] : TERMS_WIDTH;
    *out = *sum;
    out->turned = 0;
    for (int pass = 0, count = 0; pass < 2; pass++) {
        for (int t = 0; t < sum->count; t++) {
            if ((sum->term[t].step[0] == TERMS_PARTS) != (pass == 1)) continue;
            out->term[count++] = sum->term[t];
            out->turned += pass == 0;
        }
    }
    out->term[sum->count] = (struct terms_term){
        .factor = {1, 0}, .step = {TERMS_PARTS, (width > 0 ? width : 1) * TERMS_PARTS}};
}

/* Returns the number of planes of a sum, in blocks of TERMS_ROWS rows. */
static ptrdiff_t terms_planes(const struct terms_sum *sum) {
    ptrdiff_t planes = (sum->extent[1] + TERMS_ROWS - 1) / TERMS_ROWS;
    for (int d = 2; d < sum->rank; d++) planes *= sum->extent[d];
    return sum->extent[0] > 0 ? planes : 0;
}

/* Computes planes [begin, end) of a sum. */
static void terms_compute(const struct terms_sum *written, terms_number *to, ptrdiff_t begin,
                          ptrdiff_t end) {
    struct terms_sum sum;
    terms_order(&sum, written);
    const ptrdiff_t blocks = (sum.extent[1] + TERMS_ROWS - 1) / TERMS_ROWS;
    for (ptrdiff_t number = begin; number < end; number++) {
        struct terms_plane plane = {.sum = &sum, .count = sum.count, .to = to, .row = sum.step[1]};
        const ptrdiff_t y = number % blocks * TERMS_ROWS, left = sum.extent[1] - y;
        ptrdiff_t rest = number / blocks;
        for (int t = 0; t < sum.count; t++) plane.from[t] = sum.term[t].from;
        for (int d = 2; d < sum.rank; d++) {
            const ptrdiff_t at = rest % sum.extent[d];
            rest /= sum.extent[d];
            plane.to += at * sum.step[d];
            for (int t = 0; t < sum.count; t++) plane.from[t] += at * sum.term[t].step[d];
        }
        terms_rows(&plane, y, y + (left < TERMS_ROWS ? left : TERMS_ROWS));
    }
    KERNEL_FENCE();
}
