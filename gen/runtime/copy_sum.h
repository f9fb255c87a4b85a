/*
 * Copies that sum over dimensions of the source. Contiguous parts of the source, summed or not,
 * form rows. Rows are added to each other first, elements within the resulting row afterwards, in
 * several parts; both in vectors.
 */
enum { COPY_ROW = 32768 / sizeof(copy_element), COPY_DIMENSIONS = 64 };

/* A dimension within a row: its extent, and its stride in the row. */
struct copy_part {
    ptrdiff_t extent, inner;
    bool summed;
};

/* How each row of the result is computed. */
struct copy_sums {
    int parts, kept, over, places;
    ptrdiff_t length, step;                 /* elements of a row, and their stride in the source */
    struct copy_part part[COPY_DIMENSIONS]; /* dimensions within a row */
    struct copy_dimension keep[COPY_DIMENSIONS]; /* dimensions of the result within a row of sums */
    struct copy_dimension add[COPY_DIMENSIONS];  /* dimensions that count the rows to add */
    struct copy_dimension place[COPY_DIMENSIONS];
    bool accumulate, conjugate;
};

/* Computes row[k] = or += from[k * step]. */
static void copy_add_row(copy_element *restrict row, const copy_element *restrict from,
                         ptrdiff_t count, ptrdiff_t step, bool first) {
    ptrdiff_t k = 0;
    if (first) {
        for (; k < count; k++) row[k] = from[k * step];
        return;
    }
    for (; step == 1 && k + COPY_LINE <= count; k += COPY_LINE) {
        __builtin_prefetch(from + k + 16 * COPY_LINE); /* prefetches the next row, as rows are too
                                                          short for hardware prefetchers */
        for (int l = 0; l < COPY_LINE; l++) row[k + l] += from[k + l];
    }
    for (; k < count; k++) row[k] += from[k * step];
}

static copy_element copy_sum_of(const copy_element *from, ptrdiff_t count) {
    enum { PARTS = 4 * COPY_LINE };
    copy_element part[PARTS] = {0}, sum = 0;
    ptrdiff_t k = 0;
    for (; k + PARTS <= count; k += PARTS) {
        for (int l = 0; l < PARTS; l++) part[l] += from[k + l];
    }
    if (k > 0) {
        for (int l = 0; l < PARTS; l++) sum += part[l];
    }
    for (; k < count; k++) sum += from[k];
    return sum;
}

/*
 * Sums over one dimension of a row, possibly in place; `inner` is the product of the extents
 * before it, `outer` of those after it.
 */
static void copy_sum_over(copy_element *to, const copy_element *from, ptrdiff_t inner,
                          ptrdiff_t extent, ptrdiff_t outer) {
    for (ptrdiff_t o = 0; o < outer; o++, to += inner, from += inner * extent) {
        if (inner == 1) {
            *to = copy_sum_of(from, extent);
            continue;
        }
        memmove(to, from, (size_t)inner * sizeof *to);
        for (ptrdiff_t s = 1; s < extent; s++) copy_add_row(to, from + s * inner, inner, 1, false);
    }
}

/* Advances to the next row; after the last one, returns false and continues with the first one. */
static bool copy_next(copy_element **to, const copy_element **from, ptrdiff_t *done, int rank,
                      const struct copy_dimension *dimension) {
    for (int d = 0; d < rank; d++) {
        *to += dimension[d].to;
        *from += dimension[d].from;
        if (++done[d] < dimension[d].extent) return true;
        *to -= done[d] * dimension[d].to;
        *from -= done[d] * dimension[d].from;
        done[d] = 0;
    }
    return false;
}

/* Computes one row of results. */
static void copy_sum_row(copy_element *to, const copy_element *from, const struct copy_sums *sums) {
    _Alignas(64) copy_element row[COPY_ROW];
    const copy_element *at = from;
    ptrdiff_t outer = 1;
    if (sums->over > 0 || sums->step != 1) {
        ptrdiff_t done[COPY_DIMENSIONS];
        bool first = true;
        for (int d = 0; d < sums->over; d++) done[d] = 0;
        do {
            copy_add_row(row, at, sums->length, sums->step, first);
            first = false;
        } while (copy_next(&to, &at, done, sums->over, sums->add));
        at = row;
    }
    for (int p = sums->parts - 1; p >= 0; p--) {
        const struct copy_part *part = &sums->part[p];
        if (part->summed) {
            copy_sum_over(row, at, part->inner, part->extent, outer);
            at = row;
        } else {
            outer *= part->extent;
        }
    }
    if (sums->kept > 1) {
        copy_block(to, row, sums->kept, sums->keep,
                   (sums->accumulate ? COPY_ACCUMULATE : 0U) |
                       (sums->conjugate ? COPY_CONJUGATE : 0U),
                   1, NULL);
    } else {
        const struct copy_dimension *keep = sums->keep;
        for (ptrdiff_t k = 0; k < outer; k++) {
            const copy_element own = sums->conjugate ? copy_conjugate(row[k]) : row[k];
            to[k * keep->to] = sums->accumulate ? to[k * keep->to] + own : own;
        }
    }
}

static void copy_keep(struct copy_sums *sums, struct copy_dimension kept) {
    int place = sums->kept++;
    for (; place > 0 && sums->keep[place - 1].to > kept.to; place--)
        sums->keep[place] = sums->keep[place - 1];
    sums->keep[place] = kept;
}

/* Forms rows from dimensions that are contiguous in the source, innermost first, up to a maximum
 * length. */
static void copy_make_rows(struct copy_sums *sums, int rank, int summed,
                           const struct copy_dimension *dimension, ptrdiff_t step) {
    bool in_row[COPY_DIMENSIONS] = {false};
    ptrdiff_t length = 1, outer = 1;
    sums->parts = sums->kept = sums->over = sums->places = 0;
    sums->keep[0].to = 0;
    for (int d = 0; d < rank + summed;) {
        if (in_row[d] || dimension[d].from != step * length ||
            dimension[d].extent * length > COPY_ROW) {
            d++;
            continue;
        }
        in_row[d] = true;
        sums->part[sums->parts++] = (struct copy_part){dimension[d].extent, length, d >= rank};
        if (d < rank) {
            copy_keep(sums, (struct copy_dimension){dimension[d].extent, dimension[d].to, outer});
            outer *= dimension[d].extent;
        }
        length *= dimension[d].extent;
        d = 0;
    }
    for (int d = 0; d < rank + summed; d++) {
        if (!in_row[d] && d >= rank) sums->add[sums->over++] = dimension[d];
        if (!in_row[d] && d < rank) sums->place[sums->places++] = dimension[d];
    }
    sums->length = length;
    sums->step = step;
}

static ptrdiff_t copy_distance(ptrdiff_t step) {
    return step < 0 ? -step : step;
}

/* Computes to[...] = the sum of from[...], or with COPY_CONJUGATE of its conjugate, over the last
 * `summed` dimensions; the first `rank` dimensions are those of the result. */
static void copy_sum(copy_element *to, const copy_element *from, int rank, int summed,
                     const struct copy_dimension *dimension, unsigned flags) {
    struct copy_dimension cut[COPY_DIMENSIONS];
    struct copy_sums sums;
    ptrdiff_t done[COPY_DIMENSIONS];
    int closest = 0;
    sums.conjugate = (flags & COPY_CONJUGATE) != 0;
    for (int d = 0; d < rank + summed; d++) {
        cut[d] = dimension[d];
        done[d] = 0;
        if (copy_distance(dimension[d].from) < copy_distance(dimension[closest].from)) closest = d;
    }
    /* Divides a dimension that is longer than the maximum length of a row. */
    for (ptrdiff_t first = 0; first < dimension[closest].extent; first += COPY_ROW) {
        const ptrdiff_t rest = dimension[closest].extent - first;
        copy_element *at_to = to + first * dimension[closest].to;
        const copy_element *at_from = from + first * dimension[closest].from;
        cut[closest].extent = rest < COPY_ROW ? rest : COPY_ROW;
        sums.accumulate = closest >= rank && first > 0;
        copy_make_rows(&sums, rank, summed, cut, dimension[closest].from);
        do {
            copy_sum_row(at_to, at_from, &sums);
        } while (copy_next(&at_to, &at_from, done, sums.places, sums.place));
    }
}
