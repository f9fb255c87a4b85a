/* Transposes a square block; its vectors are `from_step` apart before, `to_step` apart after. */
EMIT_target __attribute__((always_inline)) static inline void EMIT_name_transpose(
    EMIT_number *to, ptrdiff_t to_step, const EMIT_number *from, ptrdiff_t from_step) {
    EMIT_transpose;
}

/* Products of elements. */
EMIT_target __attribute__((always_inline)) static inline EMIT_vector EMIT_name_times(
    EMIT_vector x, EMIT_vector y) {
    EMIT_times;
}

/* Returns a vector with one element repeated. */
EMIT_target __attribute__((always_inline)) static inline EMIT_vector EMIT_name_all(
    const EMIT_number *x) {
    EMIT_all;
}

/* Returns a vector of up to `count` elements from memory. */
EMIT_target __attribute__((always_inline)) static inline EMIT_vector EMIT_name_load(
    const EMIT_number *from, ptrdiff_t numbers) {
    EMIT_vector x = {0};
    if (numbers >= EMIT_vector_numbers) return *(const EMIT_vector *)from;
    for (ptrdiff_t n = 0; n < numbers; n++) x[n] = from[n];
    return x;
}

EMIT_target __attribute__((always_inline)) static inline void EMIT_name_store(EMIT_number *to,
                                                                              EMIT_vector x,
                                                                              ptrdiff_t numbers) {
    if (numbers >= EMIT_vector_numbers) {
        *(EMIT_vector *)to = x;
        return;
    }
    for (ptrdiff_t n = 0; n < numbers; n++) to[n] = x[n];
}

/* Rows of a factor for the kernel: address of the first one, and distance between rows. */
struct EMIT_name_rows {
    const EMIT_number *from;
    ptrdiff_t step;
};

/* Returns a block of a factor, `width` rows of `length` elements: in place, or copied row by row.
 */
EMIT_target static struct EMIT_name_rows EMIT_name_rows_of(EMIT_number *copy,
                                                           const struct kernel_loops *loops,
                                                           int part, const EMIT_number *from,
                                                           ptrdiff_t length, ptrdiff_t width) {
    enum { STEP = EMIT_length * EMIT_parts };
    const ptrdiff_t along = loops->stride[0][part], across = loops->stride[1][part];
    const enum kernel_way way = loops->way[part];
    ptrdiff_t j = 0;
    if (way == KERNEL_STRAIGHT || way == KERNEL_SAME)
        return (struct EMIT_name_rows){.from = from, .step = across};
    for (; way == KERNEL_TRANSPOSED && j + EMIT_elems <= width; j += EMIT_elems) {
        ptrdiff_t i = 0;
        for (; i + EMIT_elems <= length; i += EMIT_elems) {
            EMIT_name_transpose(copy + STEP * j + EMIT_parts * i, STEP,
                                from + along * i + EMIT_parts * j, along);
        }
        for (; i < length; i++) {
            for (ptrdiff_t e = 0; e < EMIT_elems; e++) {
                const EMIT_number *at = from + along * i + EMIT_parts * (j + e);
                EMIT_number *to = copy + STEP * (j + e) + EMIT_parts * i;
                EMIT_copy;
            }
        }
    }
    for (; j < width; j++) {
        for (ptrdiff_t i = 0; i < length; i++) {
            const EMIT_number *at = from + along * i + across * j;
            EMIT_number *to = copy + STEP * j + EMIT_parts * i;
            EMIT_copy;
        }
    }
    return (struct EMIT_name_rows){.from = copy, .step = STEP};
}

/* Values that all products of a call use. */
struct EMIT_name_factors {
    EMIT_vector alpha, beta, sign[2]; /* alpha and beta; signs of imaginary parts */
    int is_signed, is_scaled, reads, adds;
    int b_is_same; /* whether b has one element for a whole row */
    int streamed;
};

EMIT_target static struct EMIT_name_factors EMIT_name_factors_of(const struct kernel_loops *loops) {
    const EMIT_number alpha[2] = {(EMIT_number)loops->alpha[0], (EMIT_number)loops->alpha[1]};
    const EMIT_number beta[2] = {(EMIT_number)loops->beta[0], (EMIT_number)loops->beta[1]};
    const EMIT_number sign[2][2] = {{1, (EMIT_number)loops->sign[0]},
                                    {1, (EMIT_number)loops->sign[1]}};
    const int reads = loops->beta[0] != 0 || loops->beta[1] != 0;
    return (struct EMIT_name_factors){.alpha = EMIT_name_all(alpha),
                                      .beta = EMIT_name_all(beta),
                                      .sign = {EMIT_name_all(sign[0]), EMIT_name_all(sign[1])},
                                      .is_signed = EMIT_parts == 2 &&
                                                   (loops->sign[0] < 0 || loops->sign[1] < 0),
                                      .is_scaled = loops->alpha[0] != 1 || loops->alpha[1] != 0,
                                      .reads = reads,
                                      .adds = loops->beta[0] == 1 && loops->beta[1] == 0,
                                      .b_is_same = loops->way[1] == KERNEL_SAME,
                                      .streamed = loops->streamed && !reads};
}

/* Loads elements of a factor, conjugated if the call says so. */
EMIT_target __attribute__((always_inline)) static inline EMIT_vector EMIT_name_factor(
    const EMIT_number *from, ptrdiff_t numbers, const struct EMIT_name_factors *factors, int part) {
    EMIT_vector x = EMIT_name_load(from, numbers);
    if (factors->is_signed) x *= factors->sign[part];
    return x;
}

/* Loads the single element of b for a row. */
EMIT_target __attribute__((always_inline)) static inline EMIT_vector EMIT_name_same(
    const EMIT_number *b, const struct EMIT_name_factors *factors) {
    EMIT_vector y = EMIT_name_all(b);
    if (factors->is_signed) y *= factors->sign[1];
    return y;
}

/* Returns x + beta c. */
EMIT_target __attribute__((always_inline)) static inline EMIT_vector EMIT_name_with_old(
    EMIT_vector x, const EMIT_number *c, ptrdiff_t numbers,
    const struct EMIT_name_factors *factors) {
    EMIT_vector old = EMIT_name_load(c, numbers);
    if (!factors->adds) old = EMIT_name_times(old, factors->beta);
    return x + old;
}

/* Returns up to a vector of products. */
EMIT_target __attribute__((always_inline)) static inline EMIT_vector EMIT_name_product(
    const EMIT_number *a, const EMIT_number *b, const EMIT_number *c, ptrdiff_t numbers,
    const struct EMIT_name_factors *factors, EMIT_vector same, int b_is_same, int is_plain) {
    EMIT_vector x =
        is_plain ? EMIT_name_load(a, numbers) : EMIT_name_factor(a, numbers, factors, 0);
    if (b_is_same) {
        x = EMIT_name_times(x, same);
    } else if (is_plain) {
        x = EMIT_name_times(x, EMIT_name_load(b, numbers));
    } else {
        x = EMIT_name_times(x, EMIT_name_factor(b, numbers, factors, 1));
        if (factors->is_scaled) x = EMIT_name_times(x, factors->alpha);
    }
    if (!is_plain && factors->reads) x = EMIT_name_with_old(x, c, numbers, factors);
    return x;
}

/* Computes a row of products. Non-temporal stores write whole lines if the result is streamed. */
EMIT_target __attribute__((always_inline)) static inline void EMIT_name_row(
    const struct EMIT_name_factors *all, const EMIT_number *a, const EMIT_number *b, EMIT_number *c,
    ptrdiff_t numbers, int b_is_same, int is_plain) {
    enum { VECTOR = EMIT_vector_numbers, LINE = 64 / sizeof(EMIT_number) };
    const struct EMIT_name_factors factors = *all;
    EMIT_vector same = {0};
    if (b_is_same) same = EMIT_name_times(EMIT_name_same(b, &factors), factors.alpha);
    ptrdiff_t i = 0;
    if (factors.streamed && numbers >= 4 * LINE &&
        (uintptr_t)c % (EMIT_parts * sizeof(EMIT_number)) == 0) {
        while ((uintptr_t)(c + i) % 64 != 0) {
            const ptrdiff_t left =
                LINE - (ptrdiff_t)((uintptr_t)(c + i) % 64 / sizeof(EMIT_number));
            const ptrdiff_t part = left < VECTOR ? left : VECTOR;
            EMIT_name_store(
                c + i,
                EMIT_name_product(a + i, b + i, c + i, part, &factors, same, b_is_same, is_plain),
                part);
            i += part;
        }
        for (; i + LINE <= numbers; i += LINE) {
            KERNEL_UNROLL(4)
            for (int v = 0; v < LINE; v += VECTOR)
                EMIT_stream(c + i + v, EMIT_name_product(a + i + v, b + i + v, c + i + v, VECTOR,
                                                         &factors, same, b_is_same, is_plain));
        }
    }
    for (; i + 4 * VECTOR <= numbers; i += 4 * VECTOR) {
        KERNEL_UNROLL(4)
        for (int v = 0; v < 4 * VECTOR; v += VECTOR)
            *(EMIT_vector *)(c + i + v) = EMIT_name_product(a + i + v, b + i + v, c + i + v, VECTOR,
                                                            &factors, same, b_is_same, is_plain);
    }
    for (; i + VECTOR <= numbers; i += VECTOR)
        *(EMIT_vector *)(c + i) =
            EMIT_name_product(a + i, b + i, c + i, VECTOR, &factors, same, b_is_same, is_plain);
    if (i < numbers && numbers >= VECTOR && !factors.reads) { /* a last, overlapping vector: some
                                                                 products are computed twice */
        i = numbers - VECTOR;
        *(EMIT_vector *)(c + i) =
            EMIT_name_product(a + i, b + i, c + i, VECTOR, &factors, same, b_is_same, is_plain);
    } else if (i < numbers) {
        EMIT_name_store(c + i,
                        EMIT_name_product(a + i, b + i, c + i, numbers - i, &factors, same,
                                          b_is_same, is_plain),
                        numbers - i);
    }
}

/* Computes several rows of products. */
EMIT_target static void EMIT_name_rows(const struct kernel_loops *loops,
                                       const struct EMIT_name_factors *factors,
                                       struct EMIT_name_rows a, struct EMIT_name_rows b,
                                       EMIT_number *c, ptrdiff_t numbers, ptrdiff_t width) {
    const int is_plain = !factors->reads && !factors->is_signed;
    for (ptrdiff_t j = 0; j < width; j++) {
        if (factors->b_is_same && is_plain) {
            EMIT_name_row(factors, a.from, b.from, c, numbers, 1, 1);
        } else if (factors->b_is_same) {
            EMIT_name_row(factors, a.from, b.from, c, numbers, 1, 0);
        } else if (is_plain && !factors->is_scaled) {
            EMIT_name_row(factors, a.from, b.from, c, numbers, 0, 1);
        } else {
            EMIT_name_row(factors, a.from, b.from, c, numbers, 0, 0);
        }
        a.from += a.step;
        b.from += b.step;
        c += loops->stride[1][2];
    }
}

/* Adds the products of some rows to `vectors` sums. */
EMIT_target __attribute__((always_inline)) static inline void EMIT_name_add_rows(
    EMIT_number *sums, const struct EMIT_name_factors *all, struct EMIT_name_rows a,
    struct EMIT_name_rows b, ptrdiff_t numbers, ptrdiff_t width, int vectors, int b_is_same) {
    const struct EMIT_name_factors factors = *all;
    EMIT_vector sum[4], same = {0};
    for (int v = 0; v < vectors; v++)
        sum[v] = *(const EMIT_vector *)(sums + v * EMIT_vector_numbers);
    for (ptrdiff_t j = 0; j < width; j++) {
        if (b_is_same) same = EMIT_name_same(b.from, &factors);
        KERNEL_UNROLL(4)
        for (int v = 0; v < vectors; v++) {
            const ptrdiff_t at = v * EMIT_vector_numbers;
            const ptrdiff_t left = vectors == 1 ? numbers : EMIT_vector_numbers;
            EMIT_vector y = same;
            if (!b_is_same) y = EMIT_name_factor(b.from + at, left, &factors, 1);
            sum[v] += EMIT_name_times(EMIT_name_factor(a.from + at, left, &factors, 0), y);
        }
        a.from += a.step;
        b.from += b.step;
    }
    for (int v = 0; v < vectors; v++) *(EMIT_vector *)(sums + v * EMIT_vector_numbers) = sum[v];
}

EMIT_target static void EMIT_name_sum(EMIT_number *sums, const struct EMIT_name_factors *factors,
                                      struct EMIT_name_rows a, struct EMIT_name_rows b,
                                      ptrdiff_t numbers, ptrdiff_t width) {
    while (numbers > 0) {
        const int vectors = numbers >= 4 * EMIT_vector_numbers ? 4 : 1;
        const ptrdiff_t step = vectors * EMIT_vector_numbers;
        if (vectors == 4 && factors->b_is_same) {
            EMIT_name_add_rows(sums, factors, a, b, numbers, width, 4, 1);
        } else if (vectors == 4) {
            EMIT_name_add_rows(sums, factors, a, b, numbers, width, 4, 0);
        } else if (factors->b_is_same) {
            EMIT_name_add_rows(sums, factors, a, b, numbers, width, 1, 1);
        } else {
            EMIT_name_add_rows(sums, factors, a, b, numbers, width, 1, 0);
        }
        sums += step;
        numbers -= step;
        a.from += step;
        if (!factors->b_is_same) b.from += step;
    }
}

/* Addresses of the operands, and copies of blocks. */
struct EMIT_name_operands {
    const EMIT_number *a, *b;
    EMIT_number *c;
    EMIT_number *copy[2];
    EMIT_number *sums;
};

/* Computes a block of products, `length` x `width`, without sums, or with sums over the second
 * loop. */
EMIT_target static void EMIT_name_block(const struct kernel_loops *loops,
                                        const struct EMIT_name_factors *factors,
                                        const struct EMIT_name_operands *at,
                                        const ptrdiff_t place[3], EMIT_number *sums,
                                        ptrdiff_t length, ptrdiff_t width) {
    const struct EMIT_name_rows a =
        EMIT_name_rows_of(at->copy[0], loops, 0, at->a + place[0], length, width);
    const struct EMIT_name_rows b =
        EMIT_name_rows_of(at->copy[1], loops, 1, at->b + place[1], length, width);
    if (!sums) {
        EMIT_name_rows(loops, factors, a, b, at->c + place[2], EMIT_parts * length, width);
    } else if (loops->sums_second) {
        EMIT_name_sum(sums, factors, a, b, EMIT_parts * length, width);
    } else {
        for (ptrdiff_t j = 0; j < width; j++) {
            EMIT_name_sum(sums + EMIT_sums_step * j, factors,
                          (struct EMIT_name_rows){.from = a.from + a.step * j, .step = a.step},
                          (struct EMIT_name_rows){.from = b.from + b.step * j, .step = b.step},
                          EMIT_parts * length, 1);
        }
    }
}

/* Returns whether blocks of a factor are copied. */
static int EMIT_name_copies(const struct kernel_loops *loops) {
    return loops->way[0] >= KERNEL_TRANSPOSED || loops->way[1] >= KERNEL_TRANSPOSED;
}

/* Computes a part of the result: `length` elements along the first loop, all or some along the
 * second. */
EMIT_target static void EMIT_name_strip(const struct kernel_loops *loops,
                                        const struct EMIT_name_factors *factors,
                                        const struct EMIT_name_operands *at,
                                        const ptrdiff_t place[3], ptrdiff_t length,
                                        ptrdiff_t width) {
    const ptrdiff_t extent = loops->sums_second ? loops->extent[1] : width;
    const ptrdiff_t rows = loops->sums_second ? 1 : width;
    const ptrdiff_t most = EMIT_name_copies(loops) ? EMIT_width : EMIT_few;
    ptrdiff_t value[KERNEL_LOOPS] = {0}, own[3] = {place[0], place[1], place[2]};
    for (ptrdiff_t n = 0; n < (rows > 1 ? rows * EMIT_sums_step : EMIT_parts * length); n++)
        at->sums[n] = 0;
    do {
        for (ptrdiff_t j = 0; j < extent; j += most) {
            const ptrdiff_t from[3] = {own[0] + loops->stride[1][0] * j,
                                       own[1] + loops->stride[1][1] * j, own[2]};
            EMIT_name_block(loops, factors, at, from, at->sums, length,
                            extent - j < most ? extent - j : most);
        }
    } while (kernel_next(value, own, loops, loops->results, loops->count));
    for (ptrdiff_t j = 0; j < rows; j++) {
        const EMIT_number *sum = at->sums + EMIT_sums_step * j;
        EMIT_number *to = at->c + place[2] + loops->stride[1][2] * j;
        for (ptrdiff_t i = 0; i < EMIT_parts * length; i += EMIT_vector_numbers) {
            const ptrdiff_t numbers = EMIT_parts * length - i;
            EMIT_vector x = *(const EMIT_vector *)(sum + i);
            if (factors->is_scaled) x = EMIT_name_times(x, factors->alpha);
            if (factors->reads) x = EMIT_name_with_old(x, to + i, numbers, factors);
            EMIT_name_store(to + i, x, numbers);
        }
    }
}

void EMIT_name(const struct kernel_loops *loops, const EMIT_number *a, const EMIT_number *b,
               EMIT_number *c);
EMIT_target void EMIT_name(const struct kernel_loops *loops, const EMIT_number *a,
                           const EMIT_number *b, EMIT_number *c) {
    EMIT_number copy[2][EMIT_length * EMIT_width * EMIT_parts] __attribute__((aligned(64)));
    EMIT_number sums[EMIT_width * EMIT_sums_step] __attribute__((aligned(64)));
    const struct EMIT_name_factors factors = EMIT_name_factors_of(loops);
    const struct EMIT_name_operands at = {
        .a = a, .b = b, .c = c, .copy = {copy[0], copy[1]}, .sums = sums};
    const int copies = EMIT_name_copies(loops), has_rows = loops->sums && !loops->sums_second;
    const ptrdiff_t most = copies || has_rows ? EMIT_length
                           : loops->sums      ? EMIT_width * EMIT_length
                                              : loops->extent[0];
    const ptrdiff_t extent = loops->sums_second ? 1 : loops->extent[1];
    const ptrdiff_t block = copies || has_rows ? EMIT_width : extent;
    ptrdiff_t value[KERNEL_LOOPS] = {0};
    ptrdiff_t place[3] = {loops->offset[0], loops->offset[1], loops->offset[2]};
    do {
        for (ptrdiff_t i = 0; i < loops->extent[0]; i += most) {
            const ptrdiff_t length = loops->extent[0] - i < most ? loops->extent[0] - i : most;
            for (ptrdiff_t j = 0; j < extent; j += block) {
                const ptrdiff_t width = extent - j < block ? extent - j : block;
                ptrdiff_t from[3];
                for (int p = 0; p < 3; p++)
                    from[p] = place[p] + loops->stride[0][p] * i + loops->stride[1][p] * j;
                if (loops->sums) {
                    EMIT_name_strip(loops, &factors, &at, from, length, width);
                } else {
                    EMIT_name_block(loops, &factors, &at, from, NULL, length, width);
                }
            }
        }
    } while (kernel_next(value, place, loops, 2, loops->results));
    if (factors.streamed) KERNEL_FENCE();
}
