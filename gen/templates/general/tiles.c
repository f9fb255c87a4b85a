/* Products of complex numbers; the signs of `turn` conjugate those of y. */
#if EMIT_parts == 2
EMIT_target __attribute__((always_inline)) static inline EMIT_vector EMIT_name_times(
    EMIT_vector x, EMIT_vector y, EMIT_vector turn) {
    return x * EMIT_real_parts + EMIT_swap(x) * turn * EMIT_imaginary_parts;
}
#endif

/* Copies a block of a factor, transposed in registers if it is contiguous along the second loop. */
EMIT_target static void EMIT_name_copy_block(EMIT_number *to, const EMIT_number *from,
                                             const struct kernel_copy *copy) {
    const ptrdiff_t length = copy->extent[0], width = copy->extent[1];
    const ptrdiff_t along = copy->from[0], across = copy->from[1], step = copy->to[1];
    ptrdiff_t j = 0;
    for (; copy->turns && j + EMIT_elems <= width; j += EMIT_elems) {
        ptrdiff_t i = 0;
        for (; i + EMIT_elems <= length; i += EMIT_elems) {
            EMIT_loops_transpose(to + step * j + EMIT_parts * i, step,
                                 from + along * i + EMIT_parts * j, along);
        }
        for (; i < length; i++) {
            for (ptrdiff_t e = 0; e < EMIT_parts * EMIT_elems; e += EMIT_parts) {
                for (int n = 0; n < EMIT_parts; n++)
                    to[step * j + step / EMIT_parts * e + EMIT_parts * i + n] =
                        from[along * i + EMIT_parts * j + e + n];
            }
        }
    }
    for (; j < width; j++) {
        for (ptrdiff_t i = 0; i < length; i++) {
            for (int n = 0; n < EMIT_parts; n++)
                to[step * j + EMIT_parts * i + n] = from[along * i + across * j + n];
        }
    }
}

EMIT_target static void EMIT_name_copy(EMIT_number *to, const EMIT_number *from,
                                       const struct kernel_copy *copy) {
    ptrdiff_t at[KERNEL_LOOPS] = {0};
    for (int l = 0; l < copy->loops;) {
        EMIT_name_copy_block(to, from, copy);
        for (l = 2; l < copy->loops; l++) {
            const int is_over = ++at[l] == copy->extent[l];
            from += copy->from[l] * (is_over ? 1 - copy->extent[l] : 1);
            to += copy->to[l] * (is_over ? 1 - copy->extent[l] : 1);
            if (!is_over) break;
            at[l] = 0;
        }
    }
}

/* Adds up the vectors of each column: their elements are partial sums of one element of c. */
EMIT_target static void EMIT_name_reduce(const struct kernel_tiles *tiles,
                                         const struct kernel_group *group, const EMIT_number *sums,
                                         ptrdiff_t kept, ptrdiff_t columns, EMIT_number *c) {
    const EMIT_number alpha[2] = {(EMIT_number)tiles->alpha[0], (EMIT_number)tiles->alpha[1]};
    const EMIT_number beta[2] = {group->adds ? 1 : (EMIT_number)tiles->beta[0],
                                 group->adds ? 0 : (EMIT_number)tiles->beta[1]};
    const ptrdiff_t joined = tiles->column[2] == 0 ? columns : 1; /* columns of one element of c */
    for (ptrdiff_t j = 0; j < columns; j += joined, c += tiles->column[2]) {
        EMIT_vector all = *(const EMIT_vector *)(sums + kept * j);
        for (ptrdiff_t i = EMIT_vector_numbers; i < kept * joined; i += EMIT_vector_numbers)
            all += *(const EMIT_vector *)(sums + kept * j + i);
        EMIT_fold;
        EMIT_number sum[2] = {all[0], EMIT_parts == 2 ? all[1] : 0}, old[2] = {0};
        sum[1] *= (EMIT_number)tiles->sign[0];
        for (int n = 0; n < EMIT_parts && (beta[0] != 0 || beta[1] != 0); n++) old[n] = c[n];
        c[0] = sum[0] * alpha[0] + old[0] * beta[0];
        if (EMIT_parts == 2) c[1] = sum[1] * alpha[0] + old[1] * beta[0];
        if (EMIT_parts == 2 && (alpha[1] != 0 || beta[1] != 0)) {
            c[0] -= sum[1] * alpha[1] + old[1] * beta[1];
            c[1] += sum[0] * alpha[1] + old[0] * beta[1];
        }
    }
}

/* Writes a tile: conjugates the sums, multiplies them by alpha and adds beta c, as arguments say.
 * `numbers` are those of a column, of `kept` in the buffer. */
EMIT_target static void EMIT_name_finish(const struct kernel_tiles *tiles,
                                         const struct kernel_group *group, const EMIT_number *sums,
                                         ptrdiff_t kept, ptrdiff_t numbers, ptrdiff_t columns,
                                         EMIT_number *c) {
    if (tiles->finish == KERNEL_FINISH_REDUCE) {
        EMIT_name_reduce(tiles, group, sums, kept, columns, c);
        return;
    }
    const EMIT_number alpha[2] = {(EMIT_number)tiles->alpha[0], (EMIT_number)tiles->alpha[1]};
    const EMIT_number beta[2] = {(EMIT_number)tiles->beta[0], (EMIT_number)tiles->beta[1]};
    const EMIT_number sign[2] = {1, (EMIT_number)tiles->sign[0]};
    for (ptrdiff_t j = 0; j < columns; j++) {
        for (ptrdiff_t i = 0; i < numbers; i += EMIT_vector_numbers) {
            EMIT_vector x = *(const EMIT_vector *)(sums + kept * j + i);
            EMIT_number *to = c + tiles->column[2] * j + i;
            if (EMIT_parts == 2 && sign[1] < 0) x *= EMIT_loops_all(sign);
            if (alpha[1] != 0) {
                x = EMIT_loops_times(x, EMIT_loops_all(alpha));
            } else {
                x *= alpha[0];
            }
            if (beta[0] != 0 || beta[1] != 0) {
                EMIT_vector old = EMIT_loops_load(to, numbers - i);
                if (beta[1] != 0) {
                    old = EMIT_loops_times(old, EMIT_loops_all(beta));
                } else {
                    old *= beta[0];
                }
                x += old;
            }
            EMIT_loops_store(to, x, numbers - i);
        }
    }
}

EMIT_tiles;
typedef void EMIT_name_fn(const struct kernel_tiles *tiles, const struct kernel_group *group,
                          const EMIT_number *a, const EMIT_number *b, EMIT_number *c);

EMIT_table;

/* Computes tiles with other loops around them. */
EMIT_target __attribute__((noinline)) static void EMIT_name_nest(const struct kernel_tiles *tiles,
                                                                 const EMIT_number *a,
                                                                 const EMIT_number *b,
                                                                 EMIT_number *c) {
    EMIT_number copies[KERNEL_COPIES / sizeof(EMIT_number)] __attribute__((aligned(64)));
    EMIT_number buffer[KERNEL_ROWS / sizeof(EMIT_number)] __attribute__((aligned(64)));
    EMIT_number *const copy[2] = {copies, copies + tiles->copied};
    const EMIT_number *const own[2] = {a, b}, *copied[2] = {NULL, NULL};
    for (int p = 0; p < tiles->phases; p++) {
        const struct kernel_phase *phase = &tiles->phase[p];
        ptrdiff_t at[KERNEL_LOOPS] = {0}, place[5] = {0};
        do {
            const EMIT_number *factor[2] = {a + place[0], b + place[1]};
            for (int f = 0; f < 2; f++) {
                if (!tiles->copy[f].is_made) continue;
                const EMIT_number *from = own[f] + tiles->offset[f] + place[3 + f];
                if (copied[f] != from) EMIT_name_copy(copy[f], from, &tiles->copy[f]);
                copied[f] = from;
                factor[f] = copy[f] + place[f];
            }
            EMIT_number *to = c + place[2];
            for (ptrdiff_t block = 0; block < phase->blocks; block++) {
                for (int g = phase->begin; g < phase->end; g++) {
                    const struct kernel_group *group = &tiles->group[g];
                    EMIT_name_tiles[group->tile](tiles, group, factor[0] + group->first[0],
                                                 factor[1] + group->first[1],
                                                 (tiles->streamed ? buffer : to) + group->first[2]);
                }
                for (ptrdiff_t j = 0; tiles->streamed && j < phase->width; j++)
                    EMIT_write(to + phase->first + tiles->row * j, buffer + tiles->column[2] * j,
                               tiles->length);
                factor[0] += phase->step[0];
                factor[1] += phase->step[1];
                to += phase->step[2];
            }
        } while (kernel_next_tiles(at, place, tiles, tiles->loops));
    }
    if (tiles->streamed) KERNEL_FENCE();
}

void EMIT_name(const struct kernel_tiles *tiles, const EMIT_number *a, const EMIT_number *b,
               EMIT_number *c);
EMIT_target void EMIT_name(const struct kernel_tiles *tiles, const EMIT_number *a,
                           const EMIT_number *b, EMIT_number *c) {
    if (!tiles->is_simple) {
        EMIT_name_nest(tiles, a, b, c);
        return;
    }
    const struct kernel_group *const end = tiles->group + tiles->phase[tiles->phases - 1].end;
    for (const struct kernel_group *group = tiles->group; group < end; group++)
        EMIT_name_tiles[group->tile](tiles, group, a + group->first[0], b + group->first[1],
                                     c + group->first[2]);
}
