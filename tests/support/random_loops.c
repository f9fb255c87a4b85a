#include "support/random_loops.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/reals.h"
#include "support/rng.h"

enum { GUARD = 16, MOST_PRODUCTS = 20000, PARTS = 3 };
enum {
    WHOLE = 8
}; /* many extents are multiples of whole vectors: kernels transpose these in
      registers */
enum {
    FAR = 5000,
    MOST_FAR_PRODUCTS = 60
}; /* FAR: stride of more than a page; MOST_FAR_PRODUCTS: limit on products with such strides */

static struct tcplan_scalar draw_factor(bool is_complex, bool may_be_zero, uint64_t *random) {
    switch (rng_below(random, 3)) {
    case 0: return (struct tcplan_scalar){may_be_zero ? 0 : 1, 0};
    case 1: return (struct tcplan_scalar){1, 0};
    default: return (struct tcplan_scalar){-2, is_complex ? (double)rng_below(random, 3) : 0};
    }
}

/** Draws strides for the loops of a tensor, in a random order, some with gaps, some negative. */
static void draw_strides(struct emitted_loops *loops, int part, unsigned in, int64_t products,
                         uint64_t *random) {
    int64_t step = rng_below(random, 8) == 0 ? 2 + (int64_t)rng_below(random, 2) : 1;
    int64_t far = products <= MOST_FAR_PRODUCTS && rng_below(random, 4) == 0 ? FAR : 0;
    unsigned left = in;
    while (left) {
        const int l = (int)rng_below(random, loops->count);
        if (!(left >> l & 1U)) continue;
        left &= ~(1U << l);
        loops->loop[l].stride[part] = rng_below(random, 8) == 0 ? -step : step;
        if (part < 2 && rng_below(random, 24) == 0) loops->loop[l].stride[part] = 0;
        step = step * loops->loop[l].extent +
               (rng_below(random, 4) == 0 ? (int64_t)rng_below(random, 5) : 0) + far;
        far = 0;
    }
}

static struct emitted_loops draw(uint64_t *random) {
    /* Bit sets of the tensors that have an index: rows, columns, batch, contracted, only in A,
     * only in B. */
    static const unsigned kinds[] = {5, 6, 7, 3, 1, 2};
    struct emitted_loops loops = {.dtype = (enum tcplan_dtype)rng_below(random, TCPLAN_DTYPES),
                                  .count = (int)rng_below(random, 6)};
    const bool is_complex = tcplan_dtype_is_complex(loops.dtype);
    unsigned in[PARTS] = {0};
    int64_t products = 1;
    for (int l = 0; l < loops.count; l++) {
        const unsigned kind = kinds[rng_below(random, rng_below(random, 3) == 0 ? 6 : 4)];
        const int left = MOST_PRODUCTS / (int)products, most = left < 1                    ? 1
                                                               : left < 40                 ? left
                                                               : rng_below(random, 8) == 0 ? 400
                                                                                           : 40;
        loops.loop[l].extent =
            1 + (int64_t)rng_below(random, rng_below(random, 2) == 0 && most > 9 ? 9 : most);
        if (loops.loop[l].extent >= WHOLE && rng_below(random, 3) == 0)
            loops.loop[l].extent -= loops.loop[l].extent % WHOLE;
        products *= loops.loop[l].extent;
        for (int part = 0; part < PARTS; part++) in[part] |= (kind >> part & 1U) << l;
    }
    for (int part = 0; part < PARTS; part++) draw_strides(&loops, part, in[part], products, random);
    for (int f = 0; f < 2; f++) loops.conjugated[f] = is_complex && rng_below(random, 2) == 0;
    loops.alpha = draw_factor(is_complex, false, random);
    loops.beta = draw_factor(is_complex, true, random);
    loops.streamed = rng_below(random, 2) == 0;
    return loops;
}

/* Tensors in memory. */

struct tensor {
    void *memory; /**< with guards */
    char *begin;
    void *first; /**< address of the element for which all loops are at 0 */
    size_t bytes;
};

static struct tensor tensor_of(const struct emitted_loops *loops, int part, int misaligned,
                               uint64_t *random) {
    const size_t element = tcplan_dtype_bytes(loops->dtype),
                 real = is_single(loops->dtype) ? sizeof(float) : sizeof(double);
    int64_t lowest = 0, highest = 0;
    for (int l = 0; l < loops->count; l++) {
        const int64_t far = loops->loop[l].stride[part] * (loops->loop[l].extent - 1);
        *(far < 0 ? &lowest : &highest) += far;
    }
    struct tensor tensor = {.bytes = (size_t)(highest - lowest + 1 + 2 * GUARD) * element};
    assert_int_equal(posix_memalign(&tensor.memory, 64, tensor.bytes + 64), 0);
    tensor.begin = (char *)tensor.memory + (size_t)misaligned * real % 64;
    for (size_t i = 0; i < tensor.bytes / real; i++)
        set_number(tensor.begin, loops->dtype, (int64_t)i, (double)rng_below(random, 9) - 4);
    tensor.first = tensor.begin + (size_t)(GUARD - lowest) * element;
    return tensor;
}

/* The expected result. */

struct number {
    double re, im;
};

static struct number times(struct number a, struct number b) {
    return (struct number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/** Advances the loops of the result, or the summed loops; returns false after their last values. */
static bool next(int64_t at[], const struct emitted_loops *loops, bool summed) {
    for (int l = 0; l < loops->count; l++) {
        if ((loops->loop[l].stride[2] == 0) != summed) continue;
        if (++at[l] < loops->loop[l].extent) return true;
        at[l] = 0;
    }
    return false;
}

static int64_t place_of(const struct emitted_loops *loops, int part, const int64_t at[]) {
    int64_t place = 0;
    for (int l = 0; l < loops->count; l++) place += loops->loop[l].stride[part] * at[l];
    return place;
}

static struct number read_at(const struct emitted_loops *loops, const struct tensor *tensor,
                             int part, const int64_t at[]) {
    const int parts = tcplan_dtype_is_complex(loops->dtype) ? 2 : 1;
    const int64_t place = parts * place_of(loops, part, at);
    struct number out = {number_of(tensor->first, loops->dtype, place),
                         parts == 2 ? number_of(tensor->first, loops->dtype, place + 1) : 0};
    if (part < 2 && loops->conjugated[part]) out.im = -out.im;
    return out;
}

static void multiply(const struct emitted_loops *loops, const struct tensor tensor[PARTS]) {
    const int parts = tcplan_dtype_is_complex(loops->dtype) ? 2 : 1;
    const struct number alpha = {loops->alpha.re, loops->alpha.im},
                        beta = {loops->beta.re, loops->beta.im};
    int64_t at[EMITTED_LOOPS] = {0};
    do {
        struct number sum = {0, 0};
        do {
            const struct number product =
                times(read_at(loops, &tensor[0], 0, at), read_at(loops, &tensor[1], 1, at));
            sum.re += product.re;
            sum.im += product.im;
        } while (next(at, loops, true));
        const struct number new = times(alpha, sum),
                            old = times(beta, read_at(loops, &tensor[2], 2, at));
        const int64_t place = parts * place_of(loops, 2, at);
        set_number(tensor[2].first, loops->dtype, place, new.re + old.re);
        if (parts == 2) set_number(tensor[2].first, loops->dtype, place + 1, new.im + old.im);
    } while (next(at, loops, false));
}

/** Sets the elements of a result that a call must not read to NaN. */
static void hide_result(const struct emitted_loops *loops, const struct tensor *tensor) {
    const int parts = tcplan_dtype_is_complex(loops->dtype) ? 2 : 1;
    int64_t at[EMITTED_LOOPS] = {0};
    if (loops->beta.re != 0 || loops->beta.im != 0) return;
    do {
        for (int part = 0; part < parts; part++)
            set_number(tensor->first, loops->dtype, parts * place_of(loops, 2, at) + part, NAN);
    } while (next(at, loops, false));
}

/* Removes loops of extent 1: their stride 0 in the result would look like a summed loop. */
static struct emitted_loops without_ones(struct emitted_loops loops) {
    int count = 0;
    for (int l = 0; l < loops.count; l++) {
        if (loops.loop[l].extent > 1) loops.loop[count++] = loops.loop[l];
    }
    loops.count = count;
    return loops;
}

struct emitted_loops random_loops(uint64_t *random) {
    return without_ones(draw(random));
}

static void say(const struct emitted_loops *loops, int number) {
    print_message("kernel %d: %c%s%s, alpha %g %g, beta %g %g, %s\n", number,
                  tcplan_dtype_letter(loops->dtype), loops->conjugated[0] ? ", conj(A)" : "",
                  loops->conjugated[1] ? ", conj(B)" : "", loops->alpha.re, loops->alpha.im,
                  loops->beta.re, loops->beta.im, loops->streamed ? "streamed" : "stored");
    for (int l = 0; l < loops->count; l++) {
        print_message("  %lld: %lld %lld %lld\n", (long long)loops->loop[l].extent,
                      (long long)loops->loop[l].stride[0], (long long)loops->loop[l].stride[1],
                      (long long)loops->loop[l].stride[2]);
    }
}

void random_loops_check(const struct emitted_loops *loops, random_loops_call *call,
                        const void *context, int number, uint64_t *random) {
    const size_t real = is_single(loops->dtype) ? sizeof(float) : sizeof(double);
    const bool is_aligned = rng_below(random, 2) == 0;
    struct tensor got[PARTS], expected[PARTS];
    const uint64_t again = *random;
    for (int side = 0; side < 2; side++) {
        struct tensor *tensor = side == 0 ? got : expected;
        *random = again;
        for (int part = 0; part < PARTS; part++) {
            tensor[part] = tensor_of(
                loops, part, part == 2 && is_aligned ? 0 : (int)rng_below(random, 16), random);
        }
    }
    multiply(loops, expected);
    hide_result(loops, &got[2]);
    call(context, got[0].first, got[1].first, got[2].first);
    bool are_equal = true; /* bit for bit, but 0 equals -0 */
    for (size_t i = 0; i < got[2].bytes / real; i++) {
        const double one = number_of(got[2].begin, loops->dtype, (int64_t)i),
                     other = number_of(expected[2].begin, loops->dtype, (int64_t)i);
        are_equal = are_equal && one == other;
    }
    if (!are_equal) say(loops, number);
    assert_true(are_equal);
    for (int part = 0; part < PARTS; part++) {
        free(got[part].memory);
        free(expected[part].memory);
    }
}
