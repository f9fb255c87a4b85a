/**
 * Fits the shape of a sum to the functions of a type. Included once for each type, after them.
 * Expects
 *
 *   TERMS_KERNEL  the name of the functions' table
 */

static void fit(struct terms_sum *out, const struct terms_shape *shape, const void *const from[]) {
    out->rank = shape->rank;
    out->count = shape->count;
    out->streamed = shape->streamed;
    for (int d = 0; d < shape->rank; d++) {
        out->extent[d] = (ptrdiff_t)shape->extent[d];
        out->step[d] = (ptrdiff_t)shape->step[d] * TERMS_PARTS;
    }
    for (int t = 0; t < shape->count; t++) {
        struct terms_term *term = &out->term[t];
        term->from = from ? from[t] : NULL;
        term->factor[0] = (terms_number)shape->term[t].factor.re;
        term->factor[1] = (terms_number)shape->term[t].factor.im;
        term->conjugated = shape->term[t].conjugated;
        for (int d = 0; d < shape->rank; d++)
            term->step[d] = (ptrdiff_t)shape->term[t].step[d] * TERMS_PARTS;
    }
}

static int64_t planes(const struct terms_shape *shape) {
    struct terms_sum sum;
    fit(&sum, shape, NULL);
    return terms_planes(&sum);
}

static void run(const struct terms_shape *shape, const void *const from[], void *to, int64_t begin,
                int64_t end) {
    struct terms_sum sum;
    fit(&sum, shape, from);
    terms_compute(&sum, to, (ptrdiff_t)begin, (ptrdiff_t)end);
}

const struct terms_kernel TERMS_KERNEL = {planes, run};
