/*
 * contraction: C_abc=A_ai*B_ibc
 * sizes: a=50,b=9,c=13,i=120
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: 'B.c|'A.b|-dgemv
 *
 * B~[:,:,:] := B[:,:,:]
 * for c = 1:c in parallel
 *   A~[:,:] := A[:,:]
 *   for b = 1:b in parallel
 *     dgemv_N: C[:,b,c] := A~[:,:] B~[:,b,c]
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[a,i]: 50 x 120, strides 1, 50
 *   B = B[i,b,c]: 120 x 9 x 13, strides 1, 120, 1080
 *   C = C[a,b,c]: 50 x 9 x 13, strides 1, 50, 450
 *
 * Up to 2 threads share the parallel loop; the calling thread runs the iterations that no other takes in time. The BLAS should run on one thread
 * meanwhile: for OpenBLAS the function sets this for the whole process until it returns.
 *
 * Returns 0, or ENOMEM when a temporary cannot be allocated; C is then untouched.
 * The memory of large temporaries is reused by the next call; tcplan_release_memory() frees it.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas -pthread
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <cblas.h>

/* Functions of OpenBLAS; NULL if another BLAS is linked. */
int openblas_get_num_threads(void);
void openblas_set_num_threads(int);
#pragma weak openblas_get_num_threads
#pragma weak openblas_set_num_threads

#ifndef COPY_D_KERNELS /* emitted files may be concatenated */
#define COPY_D_KERNELS

typedef double copy_d_element;

/*
 * Copies of blocks with any strides, first part: the types of arguments. The text is written for
 * one element type, `copy_d_element`.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    COPY_D_LINE = 64 / sizeof(copy_d_element),
    COPY_D_HALF = COPY_D_LINE / 2,
    COPY_D_SHORT = 16,
    COPY_D_STREAM = 1,
    COPY_D_ACCUMULATE = 2,
    COPY_D_CONJUGATE = 4
};

/* A dimension of a block: its extent, and its strides in the destination and in the source. */
struct copy_d_dimension {
    ptrdiff_t extent, to, from;
};

/*
 * Copies of blocks with any strides: a real number is its own conjugate.
 */
static inline copy_d_element copy_d_conjugate(copy_d_element x) {
    return x;
}

#if defined(__x86_64__)
/* Returns vectors with elements of both rows alternately. */
__attribute__((target("avx2"), always_inline)) static inline __m256i copy_d_pairs(
    const copy_d_element *a, const copy_d_element *b) {
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)a),
                  high = _mm_loadu_si128((const __m128i *)(const void *)b);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/* Transposes a 4 x 4 block of elements of 8 bytes: vector j receives element j of each of the 4
 * rows. */
__attribute__((target("avx2"), always_inline)) static inline void copy_d_transpose(
    __m256i out[4], const copy_d_element *from, ptrdiff_t row) {
    const __m256i a = copy_d_pairs(from, from + 2 * row), b = copy_d_pairs(from + row, from + 3 * row);
    const __m256i c = copy_d_pairs(from + 2, from + 2 * row + 2),
                  d = copy_d_pairs(from + row + 2, from + 3 * row + 2);
    out[0] = _mm256_unpacklo_epi64(a, b);
    out[1] = _mm256_unpackhi_epi64(a, b);
    out[2] = _mm256_unpacklo_epi64(c, d);
    out[3] = _mm256_unpackhi_epi64(c, d);
}
#endif

/*
 * Copies of blocks with any strides, last part: the kernels.
 *
 * A line is 64 bytes, the unit that caches transfer. The result is written by whole lines wherever
 * possible; non-temporal stores require whole lines. Parts of a line wait in buffers, struct
 * copy_d_end, until the line is complete.
 */

/* A line of which some elements are computed, but not yet written to memory; all zeros: unused. */
struct copy_d_end {
    copy_d_element *line;           /* address of the line in the result */
    unsigned waiting;             /* bit k: element k is computed */
    copy_d_element made[COPY_D_LINE]; /* the computed elements */
};

/* Options of a copy. */
struct copy_d_mode {
    bool stream, accumulate; /* COPY_D_STREAM, COPY_D_ACCUMULATE */
    bool conjugate; /* with COPY_D_CONJUGATE: whether conjugates are copied; not with COPY_D_STREAM */
    bool avx2;      /* whether the processor has AVX2 */
    copy_d_element factor;           /* COPY_D_ACCUMULATE: to = from + factor * to */
    struct copy_d_end *end;          /* two buffers for each row for parts of lines; NULL: none */
    ptrdiff_t rows, row, row_step; /* number of rows; first row of the current plane; distance to
                                      the row that this one continues with (0: itself) */
    ptrdiff_t next_row;            /* distance to the row that follows this one in memory */
};

/* Writes `count` whole lines by non-temporal stores; `to` is the beginning of a line. */
static inline void copy_d_stream_lines(copy_d_element *to, const copy_d_element *from, ptrdiff_t lines) {
#if defined(__x86_64__)
    __m128i *out = (__m128i *)(void *)to;
    const __m128i *in = (const __m128i *)(const void *)from;
    for (; lines > 0; lines--, out += 4, in += 4) {
        const __m128i a = _mm_loadu_si128(in), b = _mm_loadu_si128(in + 1),
                      c = _mm_loadu_si128(in + 2), d = _mm_loadu_si128(in + 3);
        _mm_stream_si128(out, a);
        _mm_stream_si128(out + 1, b);
        _mm_stream_si128(out + 2, c);
        _mm_stream_si128(out + 3, d);
    }
#else
    memcpy(to, from, (size_t)lines * 64);
#endif
}

/* Writes the elements that wait in `count` buffers, by ordinary stores. */
static void copy_d_ends_write(struct copy_d_end *end, ptrdiff_t count) {
    for (; count > 0; count--, end++) {
        for (int k = 0; end->waiting >> k; k++) {
            if (end->waiting >> k & 1U) end->line[k] = end->made[k];
        }
        end->waiting = 0;
    }
}

/* Returns the row `step` rows after the current one, modulo the number of rows. */
static inline ptrdiff_t copy_d_row_at(const struct copy_d_mode *mode, ptrdiff_t row, ptrdiff_t step) {
    return row + step < mode->rows ? row + step : row + step - mode->rows;
}

static inline bool copy_d_end_has(const struct copy_d_end *end, const copy_d_element *line) {
    return end->waiting != 0 && end->line == line;
}

/*
 * Returns the buffer for elements of a line of row `y`: the second one of the row for elements at
 * its beginning, the first one for all others. If other elements of the line already wait in a
 * neighbouring buffer, returns that one.
 */
static inline struct copy_d_end *copy_d_end_of(const struct copy_d_mode *mode, ptrdiff_t y,
                                           copy_d_element *line, bool is_beginning) {
    const ptrdiff_t row = mode->row + y * mode->row_step;
    struct copy_d_end *own = mode->end + 2 * row;
    struct copy_d_end *other =
        mode->end +
        2 * copy_d_row_at(mode, row, is_beginning ? mode->rows - mode->next_row : mode->next_row);
    if (is_beginning && copy_d_end_has(own, line)) return own;
    own += is_beginning;
    other += !is_beginning;
    if (copy_d_end_has(other, line)) return other;
    if (own->waiting != 0 && own->line != line) copy_d_ends_write(own, 1);
    own->line = line;
    return own;
}

/* Marks elements of a line as computed. Returns whether all are, and empties the buffer then. */
static inline bool copy_d_end_completes(struct copy_d_end *end, ptrdiff_t begin, ptrdiff_t count) {
    const unsigned all = (1U << COPY_D_LINE) - 1, waiting = end->waiting | ((1U << count) - 1)
                                                                             << begin;
    end->waiting = waiting == all ? 0 : waiting;
    return waiting == all;
}

/* Stores `count` elements of a line of row `y`, from its element `begin` on. Writes the line by
 * non-temporal stores once it is complete. */
static void copy_d_end_put(const struct copy_d_mode *mode, ptrdiff_t y, copy_d_element *line,
                         const copy_d_element *from, ptrdiff_t begin, ptrdiff_t count) {
    struct copy_d_end *end = copy_d_end_of(mode, y, line, begin > 0);
    memcpy(end->made + begin, from, (size_t)count * sizeof *line);
    if (copy_d_end_completes(end, begin, count)) copy_d_stream_lines(line, end->made, 1);
}

static void copy_d_accumulate(copy_d_element *restrict to, const copy_d_element *restrict from,
                            ptrdiff_t count, copy_d_element factor) {
    ptrdiff_t k = 0;
    for (; k + COPY_D_LINE <= count; k += COPY_D_LINE) {
        for (int l = 0; l < COPY_D_LINE; l++) to[k + l] = from[k + l] + factor * to[k + l];
    }
    for (; k < count; k++) to[k] = from[k] + factor * to[k];
}

/* Copies the conjugates of elements, with any strides. */
static void copy_d_conjugates(copy_d_element *to, ptrdiff_t to_step, const copy_d_element *from,
                            ptrdiff_t from_step, ptrdiff_t count, const struct copy_d_mode *mode) {
    for (ptrdiff_t k = 0; k < count; k++) {
        const copy_d_element own = copy_d_conjugate(from[k * from_step]);
        to[k * to_step] = mode->accumulate ? own + mode->factor * to[k * to_step] : own;
    }
}

/* Stores contiguous elements within one line of row `y`. */
static inline void copy_d_part(copy_d_element *to, const copy_d_element *from, ptrdiff_t count,
                             ptrdiff_t y, const struct copy_d_mode *mode) {
    const ptrdiff_t begin = (ptrdiff_t)((uintptr_t)to % 64 / sizeof *to);
    if (!mode->end) {
        for (ptrdiff_t k = 0; k < count; k++) to[k] = from[k];
    } else if (count > 0) {
        copy_d_end_put(mode, y, to - begin, from, begin, count);
    }
}

/* Writes contiguous elements of row `y` by non-temporal stores. */
static inline void copy_d_stream_row(copy_d_element *to, const copy_d_element *from, ptrdiff_t count,
                                   ptrdiff_t y, const struct copy_d_mode *mode) {
    const ptrdiff_t to_line = (ptrdiff_t)(-(uintptr_t)to % 64 / sizeof *to);
    const ptrdiff_t head = to_line < count ? to_line : count, lines = (count - head) / COPY_D_LINE;
    const ptrdiff_t tail = head + lines * COPY_D_LINE;
    copy_d_part(to, from, head, y, mode);
    copy_d_stream_lines(to + head, from + head, lines);
    copy_d_part(to + tail, from + tail, count - tail, y, mode);
}

#if defined(__x86_64__)
__attribute__((target("avx2"), always_inline)) static inline void copy_d_halves(copy_d_element *to,
                                                                              __m256i a, __m256i b,
                                                                              bool stream) {
    __m256i *out = (__m256i *)(void *)to;
    if (stream) {
        _mm256_stream_si256(out, a);
        _mm256_stream_si256(out + 1, b);
    } else {
        _mm256_storeu_si256(out, a);
        _mm256_storeu_si256(out + 1, b);
    }
}

/* Combines the first `begin` elements of a line, which wait in a buffer, with those in `from`. */
__attribute__((target("avx2"), always_inline)) static inline void copy_d_end_join(
    struct copy_d_end *end, const copy_d_element *from, ptrdiff_t begin) {
    static const uint64_t mask[16] = {~0UL, ~0UL, ~0UL, ~0UL, ~0UL, ~0UL, ~0UL, ~0UL};
    const __m256i *waits =
        (const __m256i *)(const void *)((const char *)(mask + 8) - (size_t)begin * sizeof *from);
    const __m256i *made = (const __m256i *)(const void *)end->made,
                  *in = (const __m256i *)(const void *)(from - begin);
    copy_d_halves(end->line,
                _mm256_blendv_epi8(_mm256_loadu_si256(in), _mm256_loadu_si256(made),
                                   _mm256_loadu_si256(waits)),
                _mm256_blendv_epi8(_mm256_loadu_si256(in + 1), _mm256_loadu_si256(made + 1),
                                   _mm256_loadu_si256(waits + 1)),
                true);
    end->waiting = 0;
}

/* copy_d_stream_row() in vectors, for at least a line, if parts of lines wait in buffers. The lines
 * before and after the elements must be readable. */
__attribute__((target("avx2"))) static void copy_d_stream_row_avx2(copy_d_element *to,
                                                                 const copy_d_element *from,
                                                                 ptrdiff_t count, ptrdiff_t y,
                                                                 const struct copy_d_mode *mode) {
    const ptrdiff_t begin = (ptrdiff_t)((uintptr_t)to % 64 / sizeof *to),
                    row = mode->row + y * mode->row_step;
    struct copy_d_end *end = mode->end + 2 * row;
    if (begin > 0) {
        if (end->waiting == (1U << begin) - 1 && end->line == to - begin) {
            copy_d_end_join(end, from, begin);
        } else {
            copy_d_end_put(mode, y, to - begin, from, begin, COPY_D_LINE - begin);
        }
        to += COPY_D_LINE - begin;
        from += COPY_D_LINE - begin;
        count -= COPY_D_LINE - begin;
    }
    for (; count >= COPY_D_LINE; to += COPY_D_LINE, from += COPY_D_LINE, count -= COPY_D_LINE) {
        const __m256i *in = (const __m256i *)(const void *)from;
        copy_d_halves(to, _mm256_loadu_si256(in), _mm256_loadu_si256(in + 1), true);
    }
    if (count > 0 && end->waiting == 0 &&
        !copy_d_end_has(mode->end + 2 * copy_d_row_at(mode, row, mode->next_row) + 1, to)) {
        const __m256i *in = (const __m256i *)(const void *)from;
        copy_d_halves(end->made, _mm256_loadu_si256(in), _mm256_loadu_si256(in + 1), false);
        end->line = to;
        end->waiting = (1U << count) - 1;
    } else if (count > 0) {
        copy_d_end_put(mode, y, to, from, 0, count);
    }
}
#endif

/* Copies elements of row `y` that are contiguous on both sides; `is_amid`: the lines before and
 * after them are readable. */
static inline void copy_d_row(copy_d_element *to, const copy_d_element *from, ptrdiff_t count,
                            ptrdiff_t y, bool is_amid, const struct copy_d_mode *mode) {
    if (mode->conjugate) {
        copy_d_conjugates(to, 1, from, 1, count, mode);
    } else if (mode->accumulate) {
        copy_d_accumulate(to, from, count, mode->factor);
    } else if (!mode->stream || (uintptr_t)to % sizeof *to != 0) {
        memcpy(to, from, (size_t)count * sizeof *to);
    } else {
#if defined(__x86_64__)
        if (is_amid && mode->avx2 && mode->end && count >= COPY_D_LINE) {
            copy_d_stream_row_avx2(to, from, count, y, mode);
            return;
        }
#endif
        (void)is_amid;
        copy_d_stream_row(to, from, count, y, mode);
    }
}

/* Writes `count` lines by non-temporal stores. Element i of line j is element j of row i; rows are
 * `row` apart. */
static void copy_d_strip(copy_d_element *to, ptrdiff_t line, const copy_d_element *from, ptrdiff_t row,
                       ptrdiff_t count, bool stream) {
    for (ptrdiff_t j = 0; j < count; j++) {
        _Alignas(64) copy_d_element made[COPY_D_LINE];
        for (int i = 0; i < COPY_D_LINE; i++) made[i] = from[j + i * row];
        if (stream) {
            copy_d_stream_lines(to + j * line, made, 1);
        } else {
            memcpy(to + j * line, made, sizeof made);
        }
    }
}

#if defined(__x86_64__)
/*
 * Writes the lines of whole vectors and returns their number. Prefetches the next rows, which
 * hardware prefetchers do not predict. The caller writes the other lines: if this function ended
 * in that call, gcc 12 would jump there with the upper halves of the registers in use, which slows
 * down all later scalar code. gcc clears them before a return, but not before such a jump.
 */
__attribute__((target("avx2"))) static ptrdiff_t copy_d_strip_avx2(copy_d_element *to, ptrdiff_t line,
                                                                 const copy_d_element *from,
                                                                 ptrdiff_t row, ptrdiff_t count,
                                                                 const copy_d_element *next,
                                                                 bool stream) {
    ptrdiff_t j = 0;
    for (; j + COPY_D_HALF <= count; j += COPY_D_HALF) {
        __m256i left[COPY_D_HALF], right[COPY_D_HALF];
        const ptrdiff_t fetched =
            j % COPY_D_LINE * row + j; /* each half of a line belongs to half of the rows */
        for (int i = 0; i < COPY_D_HALF; i++)
            _mm_prefetch((const char *)(next + fetched + i * row), _MM_HINT_T0);
        copy_d_transpose(left, from + j, row);
        copy_d_transpose(right, from + j + COPY_D_HALF * row, row);
#pragma GCC unroll 8
        for (int k = 0; k < COPY_D_HALF; k++)
            copy_d_halves(to + (j + k) * line, left[k], right[k], stream);
    }
    return j;
}
#endif

static inline void copy_d_any_strip(copy_d_element *to, ptrdiff_t line, const copy_d_element *from,
                                  ptrdiff_t row, ptrdiff_t count, const copy_d_element *next,
                                  const struct copy_d_mode *mode) {
    ptrdiff_t made = 0;
#if defined(__x86_64__)
    if (mode->avx2) made = copy_d_strip_avx2(to, line, from, row, count, next, mode->stream);
#endif
    (void)next;
    copy_d_strip(to + made * line, line, from + made, row, count - made, mode->stream);
}

/* Stores elements within one line of each row of the result, from row `first` on. */
static void copy_d_columns(copy_d_element *to, ptrdiff_t line, const copy_d_element *from, ptrdiff_t row,
                         ptrdiff_t width, ptrdiff_t first, ptrdiff_t count,
                         const struct copy_d_mode *mode) {
    for (ptrdiff_t j = 0; j < count; j++) {
        copy_d_element made[COPY_D_LINE], *out = mode->end ? made : to + j * line;
        for (ptrdiff_t i = 0; i < width; i++) out[i] = from[j + i * row];
        if (mode->end) copy_d_part(to + j * line, made, width, first + j, mode);
    }
}

#if defined(__x86_64__)
/* copy_d_end_put() in vectors, for a whole line; `is_new` marks its elements that are stored. */
__attribute__((target("avx2"), always_inline)) static inline void copy_d_end_halves(
    const struct copy_d_mode *mode, ptrdiff_t y, copy_d_element *line, __m256i a, __m256i b,
    ptrdiff_t begin, ptrdiff_t count, const __m256i is_new[2]) {
    struct copy_d_end *end = copy_d_end_of(mode, y, line, begin > 0);
    const __m256i *made = (const __m256i *)(const void *)end->made;
    const __m256i left = _mm256_blendv_epi8(_mm256_loadu_si256(made), a, is_new[0]);
    const __m256i right = _mm256_blendv_epi8(_mm256_loadu_si256(made + 1), b, is_new[1]);
    if (copy_d_end_completes(end, begin, count)) {
        copy_d_halves(line, left, right, true);
    } else {
        copy_d_halves(end->made, left, right, false);
    }
}

/* copy_d_columns() in vectors if parts of lines wait in buffers; `to` is element `place` of a line.
 * Returns how many rows it copied; the caller copies the others. */
__attribute__((target("avx2"))) static ptrdiff_t copy_d_columns_avx2(copy_d_element *to, ptrdiff_t line,
                                                                   const copy_d_element *from,
                                                                   ptrdiff_t row, ptrdiff_t width,
                                                                   ptrdiff_t first, ptrdiff_t count,
                                                                   const struct copy_d_mode *mode) {
    const ptrdiff_t place = (ptrdiff_t)((uintptr_t)to % 64 / sizeof *to);
    ptrdiff_t j = 0;
    __m256i is_new[2], column[COPY_D_LINE];
    for (int i = 0; i < COPY_D_LINE; i++) {
        column[i] = _mm256_setzero_si256();
        memset((char *)is_new + (size_t)i * sizeof *to, i >= place && i < place + width ? 0xff : 0,
               sizeof *to);
    }
    for (; width > 0 && j + COPY_D_HALF <= count; j += COPY_D_HALF) {
        __m256i left[COPY_D_HALF], right[COPY_D_HALF];
        for (ptrdiff_t i = 0; i < width; i++)
            column[place + i] =
                _mm256_loadu_si256((const __m256i *)(const void *)(from + j + i * row));
        copy_d_transpose(left, (const copy_d_element *)(const void *)column, COPY_D_HALF);
        copy_d_transpose(right, (const copy_d_element *)(const void *)(column + COPY_D_HALF), COPY_D_HALF);
#pragma GCC unroll 8
        for (int k = 0; k < COPY_D_HALF; k++) {
            copy_d_end_halves(mode, first + j + k, to + (j + k) * line - place, left[k], right[k],
                            place, width, is_new);
        }
    }
    return width > 0 ? j : count;
}
#endif

static inline void copy_d_any_columns(copy_d_element *to, ptrdiff_t line, const copy_d_element *from,
                                    ptrdiff_t row, ptrdiff_t width, ptrdiff_t first,
                                    ptrdiff_t count, const struct copy_d_mode *mode) {
    ptrdiff_t copied = 0;
#if defined(__x86_64__)
    if (mode->avx2 && mode->end)
        copied = copy_d_columns_avx2(to, line, from, row, width, first, count, mode);
#endif
    copy_d_columns(to + copied * line, line, from + copied, row, width, first + copied,
                 count - copied, mode);
}

/*
 * Transposes: dimension i is contiguous in the result, j in the source. Blocks are long in j, so
 * that the source is read in sequence, but short enough for the pages of the result to stay in the
 * TLB until their next line. `next` is the source of the next block, to be prefetched.
 */
static void copy_d_strips(copy_d_element *to, const copy_d_element *from, struct copy_d_dimension i,
                        struct copy_d_dimension j, const copy_d_element *next,
                        const struct copy_d_mode *mode) {
    enum { LENGTH = 512 };
    const ptrdiff_t to_line = mode->stream ? (ptrdiff_t)(-(uintptr_t)to % 64 / sizeof *to) : 0;
    const ptrdiff_t head = to_line < i.extent ? to_line : i.extent;
    const ptrdiff_t tail = head + (i.extent - head) / COPY_D_LINE * COPY_D_LINE;
    for (ptrdiff_t first = 0; first < j.extent; first += LENGTH) {
        const ptrdiff_t count = j.extent - first < LENGTH ? j.extent - first : LENGTH;
        copy_d_element *out = to + first * j.to;
        const copy_d_element *in = from + first;
        const copy_d_element *after = first + count < j.extent ? in + count + head * i.from : next;
        copy_d_any_columns(out, j.to, in, i.from, head, first, count, mode);
        for (ptrdiff_t k = head; k < tail; k += COPY_D_LINE) {
            const copy_d_element *following =
                k + COPY_D_LINE < tail ? in + (k + COPY_D_LINE) * i.from : after;
            copy_d_any_strip(out + k, j.to, in + k * i.from, i.from, count, following, mode);
        }
        copy_d_any_columns(out + tail, j.to, in + tail * i.from, i.from, i.extent - tail, first,
                         count, mode);
    }
}

/* Copies through a tile in the L1 cache, for rows of the result that begin within lines, or that
 * are also read. */
static void copy_d_tiles(copy_d_element *to, const copy_d_element *from, struct copy_d_dimension i,
                       struct copy_d_dimension j, const struct copy_d_mode *mode) {
    enum { TILE = 16384 / sizeof(copy_d_element), WIDEST = 2048 / sizeof(copy_d_element) };
    _Alignas(64) copy_d_element around[COPY_D_LINE + TILE + COPY_D_LINE];
    copy_d_element *const tile = around + COPY_D_LINE;
    const struct copy_d_mode plain = {.avx2 = mode->avx2};
    const ptrdiff_t width = i.extent < WIDEST ? i.extent : WIDEST,
                    row = (width + COPY_D_LINE - 1) / COPY_D_LINE * COPY_D_LINE;
    const ptrdiff_t height = TILE / row;
    for (ptrdiff_t y = 0; y < j.extent; y += height) {
        for (ptrdiff_t x = 0; x < i.extent; x += width) {
            const struct copy_d_dimension across = {i.extent - x < width ? i.extent - x : width, 1,
                                                  i.from};
            const struct copy_d_dimension down = {j.extent - y < height ? j.extent - y : height, row,
                                                1};
            const copy_d_element *in = from + x * i.from + y;
            copy_d_strips(tile, in, across, down, in, &plain);
            for (ptrdiff_t k = 0; k < down.extent; k++)
                copy_d_row(to + x + (y + k) * j.to, tile + k * row, across.extent, y + k, true, mode);
        }
    }
}

/* Copies rows of the result whose elements are scattered in the source. */
static void copy_d_gathered(copy_d_element *to, const copy_d_element *from, struct copy_d_dimension i,
                          struct copy_d_dimension j, const struct copy_d_mode *mode) {
    enum { LENGTH = 2048 / sizeof(copy_d_element) };
    _Alignas(64) copy_d_element gathered[LENGTH];
    for (ptrdiff_t first = 0; first < i.extent; first += LENGTH) {
        const ptrdiff_t count = i.extent - first < LENGTH ? i.extent - first : LENGTH;
        for (ptrdiff_t y = 0; y < j.extent; y++) {
            const copy_d_element *in = from + first * i.from + y * j.from;
            for (ptrdiff_t k = 0; k < count; k++) gathered[k] = in[k * i.from];
            copy_d_row(to + first + y * j.to, gathered, count, y, false, mode);
        }
    }
}

static void copy_d_scattered(copy_d_element *to, const copy_d_element *from, struct copy_d_dimension i,
                           struct copy_d_dimension j, const struct copy_d_mode *mode) {
    for (ptrdiff_t y = 0; y < j.extent; y++) {
        copy_d_element *out = to + y * j.to;
        const copy_d_element *in = from + y * j.from;
        if (mode->conjugate) {
            copy_d_conjugates(out, i.to, in, i.from, i.extent, mode);
        } else if (mode->accumulate) {
            for (ptrdiff_t x = 0; x < i.extent; x++)
                out[x * i.to] = in[x * i.from] + mode->factor * out[x * i.to];
        } else {
            for (ptrdiff_t x = 0; x < i.extent; x++) out[x * i.to] = in[x * i.from];
        }
    }
}

/* Returns whether the lines of all rows have the same alignment, and no row begins in the line in
 * which another ends. */
static inline bool copy_d_lines_are_alike(const copy_d_element *to, struct copy_d_dimension j,
                                        const struct copy_d_mode *mode) {
    if (j.to % COPY_D_LINE != 0 || (uintptr_t)to % sizeof *to != 0) return false;
    return !mode->end || mode->row_step != 0 || (uintptr_t)to % 64 == 0;
}

/* Copies rows of `count` elements, from `piece` to 2 * `piece`, as two pieces of constant size,
 * which may overlap and need no call of memcpy. */
static inline __attribute__((always_inline)) void copy_d_pieces(copy_d_element *to,
                                                              const copy_d_element *from,
                                                              ptrdiff_t count,
                                                              struct copy_d_dimension j,
                                                              ptrdiff_t piece) {
    const size_t bytes = (size_t)piece * sizeof *to;
    if (count == piece) {
        for (ptrdiff_t y = 0; y < j.extent; y++) memcpy(to + y * j.to, from + y * j.from, bytes);
        return;
    }
    for (ptrdiff_t y = 0; y < j.extent; y++) {
        copy_d_element *const out = to + y * j.to;
        const copy_d_element *const in = from + y * j.from;
        memcpy(out, in, bytes);
        memcpy(out + count - piece, in + count - piece, bytes);
    }
}

/* Copies short contiguous rows, for which calls of memcpy would take longer. */
static void copy_d_short_rows(copy_d_element *to, const copy_d_element *from, ptrdiff_t count,
                            struct copy_d_dimension j) {
    if (count >= 8) {
        copy_d_pieces(to, from, count, j, 8);
    } else if (count >= 4) {
        copy_d_pieces(to, from, count, j, 4);
    } else if (count >= 2) {
        copy_d_pieces(to, from, count, j, 2);
    } else {
        copy_d_pieces(to, from, count, j, 1);
    }
}

static void copy_d_plane(copy_d_element *to, const copy_d_element *from, struct copy_d_dimension i,
                       struct copy_d_dimension j, const copy_d_element *next,
                       const struct copy_d_mode *mode) {
    if (i.to != 1) {
        copy_d_scattered(to, from, i, j, mode);
    } else if (i.from == 1 && i.extent <= COPY_D_SHORT && !mode->stream && !mode->accumulate &&
               !mode->conjugate) {
        copy_d_short_rows(to, from, i.extent, j);
    } else if (i.from == 1) {
        for (ptrdiff_t y = 0; y < j.extent; y++) {
            const bool is_amid =
                y > 0 && y + 1 < j.extent && i.extent >= COPY_D_LINE && j.from >= COPY_D_LINE;
            copy_d_row(to + y * j.to, from + y * j.from, i.extent, y, is_amid, mode);
        }
    } else if (j.from != 1) {
        copy_d_gathered(to, from, i, j, mode);
    } else if (mode->accumulate || mode->conjugate ||
               (mode->stream && !copy_d_lines_are_alike(to, j, mode))) {
        copy_d_tiles(to, from, i, j, mode);
    } else {
        copy_d_strips(to, from, i, j, next, mode);
    }
}

static inline bool copy_d_has_avx2(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

/*
 * Computes to = from; with COPY_D_ACCUMULATE to = from + factor * to; with COPY_D_CONJUGATE from the
 * conjugate of from. All extents are at least 1. The first dimension has the smallest steps in
 * `to`; the others follow by increasing steps in `from`, so that it is read sequentially.
 * COPY_D_STREAM: the result will not be read soon; call copy_d_fence() before another thread reads it.
 * `end`: NULL, or two buffers for each row. Parts of lines wait there until another part of the
 * row, or an adjacent row, completes the line; copy_d_ends_write() writes the others.
 */
static void copy_d_block(copy_d_element *to, const copy_d_element *from, int rank,
                       const struct copy_d_dimension *dimension, unsigned flags, copy_d_element factor,
                       struct copy_d_end *end) {
    enum { MOST = 64 };
    const struct copy_d_dimension one = {1, 0, 0};
    struct copy_d_mode mode = {.stream = (flags & COPY_D_STREAM) != 0,
                             .accumulate = (flags & COPY_D_ACCUMULATE) != 0,
                             .conjugate = (flags & COPY_D_CONJUGATE) != 0,
                             .avx2 = copy_d_has_avx2(),
                             .factor = factor,
                             .end = end,
                             .rows = 1};
    ptrdiff_t done[MOST], row_step[MOST], least = PTRDIFF_MAX;
    for (int d = 1; d < rank; d++) {
        const bool goes_on = dimension[d].to == dimension[0].extent;
        done[d] = 0;
        row_step[d] = goes_on ? 0 : mode.rows;
        if (!goes_on && dimension[d].to < least) {
            least = dimension[d].to;
            mode.next_row = mode.rows;
        }
        if (!goes_on) mode.rows *= dimension[d].extent;
    }
    mode.next_row %= mode.rows;
    mode.row_step = rank > 1 ? row_step[1] : 0;
    for (bool more = true; more;) {
        copy_d_element *const this_to = to;
        const copy_d_element *const this_from = from;
        const struct copy_d_mode this_mode = mode;
        int d = 2;
        for (; d < rank; d++) {
            to += dimension[d].to;
            from += dimension[d].from;
            mode.row += row_step[d];
            if (++done[d] < dimension[d].extent) break;
            to -= done[d] * dimension[d].to;
            from -= done[d] * dimension[d].from;
            mode.row -= done[d] * row_step[d];
            done[d] = 0;
        }
        more = d < rank;
        copy_d_plane(this_to, this_from, rank > 0 ? dimension[0] : one, rank > 1 ? dimension[1] : one,
                   from, &this_mode);
    }
}

/* Orders non-temporal stores before all later accesses. */
static inline void copy_d_fence(void) {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

#endif

#ifndef TCPLAN_POOL /* emitted files may be concatenated */
#define TCPLAN_POOL

/*
 * Reuses the memory of temporaries in later calls of any emitted function: mapping and clearing new
 * pages in each call can take longer than the copies into them. A program stores at most
 * four blocks, for temporaries of A, B and C and for the intermediates of several products, each
 * as large as the largest so far. tcplan_release_memory() and the end of the program free them.
 * Several threads may call concurrently: a thread that finds no block allocates its own memory.
 * Pages of 2 MiB are requested for 2 MiB or more: they need 512 times fewer address translations.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__GNUC__)
#define TCPLAN_ONE __attribute__((weak)) /* one definition for all emitted files of a program */
void tcplan_release_memory(void) __attribute__((weak, destructor));
#else
#define TCPLAN_ONE static
static void tcplan_release_memory(void);
#endif

enum {
    POOL_BLOCKS = 4,
    POOL_FRONT = 4096, /* a page before the memory, which stores its size */
    POOL_PAGE = 2 << 20
};

TCPLAN_ONE _Atomic(void *) tcplan_pool[POOL_BLOCKS];

#if defined(__linux__)
#include <sys/syscall.h>

/* declared here, as the C library declares it only on request */
long syscall(long, ...);

static void pool_advise(void *memory, size_t bytes) {
    syscall(SYS_madvise, memory, bytes, 14); /* MADV_HUGEPAGE */
}
#else
static void pool_advise(void *memory, size_t bytes) {
    (void)memory, (void)bytes;
}
#endif

/* Returns page-aligned memory of a block; NULL if out of memory. */
static void *pool_take(int block, size_t bytes) {
    char *memory = atomic_exchange(&tcplan_pool[block], NULL);
    if (memory && *(const size_t *)(const void *)memory < bytes) {
        free(memory);
        memory = NULL;
    }
    if (!memory && bytes < (size_t)PTRDIFF_MAX - POOL_FRONT - POOL_PAGE) {
        const size_t page = bytes < POOL_PAGE ? POOL_FRONT : POOL_PAGE;
        const size_t all = (bytes + POOL_FRONT + page - 1) / page * page;
        memory = aligned_alloc(page, all);
        if (memory && page == POOL_PAGE) pool_advise(memory, all);
        if (memory) *(size_t *)(void *)memory = bytes;
    }
    return memory ? memory + POOL_FRONT : NULL;
}

/* Stores memory for reuse; frees a block that another thread has stored meanwhile. */
static void pool_give(int block, void *memory) {
    if (memory) free(atomic_exchange(&tcplan_pool[block], (char *)memory - POOL_FRONT));
}

void tcplan_release_memory(void) {
    for (int block = 0; block < POOL_BLOCKS; block++)
        free(atomic_exchange(&tcplan_pool[block], NULL));
}

#endif

#ifndef TCPLAN_TEAM /* emitted files may be concatenated */
#define TCPLAN_TEAM

/*
 * Binds cooperating threads to processors. A system may run a woken thread next to its waker, even
 * if other processors are idle. So the processors available to the caller are divided into shares
 * of neighbours, one for each thread, within which the system may move the thread. The caller
 * itself is not bound: if it has moved to another thread's share, that thread gets the caller's
 * former share. Nothing is divided if there are fewer processors than threads, or on systems other
 * than Linux.
 */
#include <sched.h>
#include <stdatomic.h>

enum { PLACES_PROCESSORS = 4096 }; /* maximum number of processors */

struct places {
    int threads;                  /* number of threads with shares; 0: none */
    int owned[PLACES_PROCESSORS]; /* share of each thread, the caller's first */
    int share[PLACES_PROCESSORS]; /* share that each processor belongs to; -1: none */
};

#if defined(__linux__)
#include <sys/syscall.h>

enum { PLACES_BITS = 8 * (int)sizeof(unsigned long) };

/* declared here, as the C library declares it only on request */
#ifndef CPU_ZERO /* <sched.h> does not define it without _GNU_SOURCE */
int sched_getcpu(void);
#endif
long syscall(long, ...);

/* Returns the system's id of the calling thread; 0: unknown. */
static int places_thread(void) {
    return (int)syscall(SYS_gettid);
}

static int places_has(const unsigned long mask[], int processor) {
    return (int)(mask[processor / PLACES_BITS] >> processor % PLACES_BITS & 1);
}

static void places_bind(const struct places *places, int thread, int share) {
    unsigned long mask[PLACES_PROCESSORS / PLACES_BITS] = {0};
    for (int p = 0; p < PLACES_PROCESSORS; p++) {
        if (places->share[p] == share) mask[p / PLACES_BITS] |= 1ul << p % PLACES_BITS;
    }
    syscall(SYS_sched_setaffinity, thread, sizeof mask, mask);
}

/* Divides the processors available to the caller into `threads` shares; sets no shares if there
 * are too few. */
static void places_deal(struct places *places, int threads) {
    unsigned long mask[PLACES_PROCESSORS / PLACES_BITS] = {0};
    int allowed = 0, before = 0;
    if (syscall(SYS_sched_getaffinity, 0, sizeof mask, mask) < 0) mask[0] = 0;
    for (int p = 0; p < PLACES_PROCESSORS; p++) allowed += places_has(mask, p);
    for (int p = 0; p < PLACES_PROCESSORS; p++) {
        const int is_allowed = allowed >= threads && places_has(mask, p);
        places->share[p] = is_allowed ? before++ * threads / allowed : -1;
    }
}

/* Gives a share to each of `threads` threads, including the caller. `thread[t]` is places_thread()
 * of thread t, from 1 on; 0: it has not started, and no thread is bound yet. */
static void places_take(struct places *places, int threads, atomic_int *thread) {
    const int processor = sched_getcpu();
    if (processor < 0 || processor >= PLACES_PROCESSORS || threads > PLACES_PROCESSORS) return;
    if (places->threads == threads && places->share[processor] == places->owned[0]) return;
    for (int t = 1; t < threads; t++) {
        if (atomic_load(&thread[t]) == 0) return;
    }
    const int is_known = places->threads == threads && places->share[processor] >= 0;
    if (!is_known) places_deal(places, threads);
    const int own = places->share[processor];
    places->threads = own >= 0 ? threads : 0;
    if (own < 0) return;
    for (int t = 1; t < threads; t++) {
        const int had = places->owned[t];
        if (is_known && had != own) continue;
        places->owned[t] = is_known ? places->owned[0] : t <= own ? t - 1 : t;
        places_bind(places, atomic_load(&thread[t]), places->owned[t]);
    }
    places->owned[0] = own;
}
#else
static int places_thread(void) {
    return 0;
}

static void places_take(struct places *places, int threads, atomic_int *thread) {
    (void)places, (void)threads, (void)thread;
}
#endif

/*
 * Threads that execute the parts of a function together. Each thread takes parts that no thread
 * has taken, its own first. The caller executes all parts if no other thread is ready in time, for
 * example on a busy machine; it waits only for parts that were begun. A program has one team; a
 * caller that finds it in use executes all parts itself. Threads of the team wait actively for
 * about as long as a wake-up takes, then sleep. Include places.h first.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#if defined(__GNUC__)
#define TEAM_ONE __attribute__((weak)) /* one definition for all emitted files of a program */
void tcplan_end_team(void) __attribute__((weak, destructor));
#else
#define TEAM_ONE static
static void tcplan_end_team(void);
#endif

enum {
    TEAM_THREADS = 4096,    /* maximum number of threads, and most parts of a section */
    TEAM_ACTIVE_NS = 50000, /* about the time that a system takes to wake a thread */
    TEAM_ROUNDS = 1000 /* checks of an actively waiting thread between two calls of sched_yield() */
};

/* A part: the numbers of the sections in which a thread last took it, and last completed it. */
struct team_part {
    _Alignas(64) _Atomic uint64_t taken;
    _Atomic uint64_t done;
};

struct team_member;
typedef void team_function(struct team_member *member, void *context);

struct team {
    atomic_int is_at_work;
    _Atomic uint64_t open; /* number of the first section of the current function; 0: no function */
    atomic_int joined;     /* number of threads that execute the function, without the caller */
    atomic_int sleeping;
    atomic_int ends;
    uint64_t section; /* number of the last section */
    team_function *function;
    void *context;
    int threads; /* number of threads that the function may use */
    int count;   /* number of started threads, without the caller */
    int knows_forks;
    pthread_t thread[TEAM_THREADS];
    atomic_int begun[TEAM_THREADS]; /* result of places_thread() for each thread; 0: the thread was
                                       not started */
    struct places places;
    pthread_mutex_t mutex; /* protects sleeping and waking */
    pthread_cond_t wake;
    struct team_part part[TEAM_THREADS];
};

TEAM_ONE struct team tcplan_team_2 = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                                      .wake = PTHREAD_COND_INITIALIZER};

/* A thread's progress in a function: all threads execute the same sections in the same order. */
struct team_member {
    int number;
    int is_alone;
    uint64_t section;
};

static inline void team_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void team_await(const struct team_part *part, uint64_t section) {
    for (int round = 0; atomic_load_explicit(&part->done, memory_order_acquire) < section;
         round++) {
        if (round < TEAM_ROUNDS) {
            team_pause();
        } else {
            sched_yield();
        }
    }
}

/* Takes a part; returns 0 if another thread has taken it. */
static int team_take(struct team_part *part, uint64_t section) {
    uint64_t before = atomic_load_explicit(&part->taken, memory_order_relaxed);
    return before < section && atomic_compare_exchange_strong(&part->taken, &before, section);
}

/*
 * Returns the next part to execute in a section of `parts` parts, after `before`, the part just
 * completed (or -1). Returns -1 when threads have completed all parts. If other threads are
 * already in later sections, all parts are complete.
 */
static ptrdiff_t team_next(struct team_member *member, int parts, ptrdiff_t before) {
    struct team_part *part = tcplan_team_2.part;
    if (member->is_alone) return before + 1 < parts ? before + 1 : -1;
    if (before < 0) {
        member->section++;
    } else {
        atomic_store_explicit(&part[before].done, member->section, memory_order_release);
    }
    for (int p = 0; p < parts; p++) {
        const int own = (member->number + p) % parts;
        if (team_take(&part[own], member->section)) return own;
    }
    for (int p = 0; p < parts; p++) team_await(&part[p], member->section);
    return -1;
}

static int64_t team_now_ns(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Waits for a new function, actively at first. */
static void team_await_work(struct team *team, uint64_t seen) {
    const int64_t start_ns = team_now_ns();
    int64_t waited_ns = 0;
    while (waited_ns >= 0 && waited_ns < TEAM_ACTIVE_NS) {
        const uint64_t open = atomic_load(&team->open);
        if ((open != 0 && open != seen) || atomic_load(&team->ends)) return;
        team_pause();
        waited_ns = team_now_ns() - start_ns;
    }
    pthread_mutex_lock(&team->mutex);
    for (;;) {
        atomic_fetch_add(&team->sleeping, 1);
        const uint64_t open = atomic_load(&team->open);
        if ((open != 0 && open != seen) || atomic_load(&team->ends)) break;
        pthread_cond_wait(&team->wake, &team->mutex);
    }
    atomic_fetch_sub(&team->sleeping, 1);
    pthread_mutex_unlock(&team->mutex);
}

static void team_wake(struct team *team) {
    if (atomic_load(&team->sleeping) == 0) return;
    pthread_mutex_lock(&team->mutex);
    atomic_store(&team->sleeping, 0);
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->mutex);
}

/* A thread of the team: executes functions until the team ends; `number` is its number. */
static void *team_thread(void *number) {
    struct team *team = &tcplan_team_2;
    struct team_member member = {.number = (int)(intptr_t)number};
    uint64_t seen = 0;
    atomic_store(&team->begun[member.number], places_thread());
    while (!atomic_load(&team->ends)) {
        atomic_fetch_add(&team->joined, 1);
        const uint64_t open = atomic_load(&team->open);
        if (open != 0 && open != seen && member.number < team->threads) {
            member.section = open - 1;
            team->function(&member, team->context);
        }
        atomic_fetch_sub(&team->joined, 1);
        if (open != 0) seen = open;
        team_await_work(team, seen);
    }
    return NULL;
}

/* Called in the child after a fork, where the other threads do not exist. */
static void team_forget(void) {
    struct team *team = &tcplan_team_2;
    while (team->count > 0) atomic_store(&team->begun[team->count--], 0);
    team->places.threads = 0;
    team->section += UINT64_C(1) << 32; /* above the numbers of all sections of the parent */
    atomic_store(&team->open, 0);
    atomic_store(&team->joined, 0);
    atomic_store(&team->sleeping, 0);
    atomic_store(&team->is_at_work, 0);
    team->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    team->wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

/* Starts further threads, up to `threads` in total, or as many as the system permits. */
static void team_grow(struct team *team, int threads) {
    if (!team->knows_forks) team->knows_forks = pthread_atfork(NULL, NULL, team_forget) == 0;
    while (team->count + 1 < threads) {
        if (pthread_create(&team->thread[team->count], NULL, team_thread,
                           (void *)(intptr_t)(team->count + 1)) != 0)
            return;
        team->count++;
    }
}

/* Runs a function in the calling thread, as number 0, and in up to `threads` - 1 others, all with
 * the same context. */
static void team_run(int threads, team_function *function, void *context) {
    struct team *team = &tcplan_team_2;
    struct team_member member = {.is_alone = threads < 2 || threads > TEAM_THREADS ||
                                             atomic_exchange(&team->is_at_work, 1)};
    if (member.is_alone) {
        function(&member, context);
        return;
    }
    team_grow(team, threads);
    if (team->count + 1 >= threads) places_take(&team->places, threads, team->begun);
    team->function = function;
    team->context = context;
    team->threads = threads;
    member.section = team->section;
    atomic_store(&team->open, team->section + 1);
    team_wake(team);
    function(&member, context);
    atomic_store(&team->open, 0);
    for (int round = 0; atomic_load(&team->joined) > 0; round++) {
        if (round < TEAM_ROUNDS) {
            team_pause();
        } else {
            sched_yield();
        }
    }
    team->section = member.section;
    atomic_store(&team->is_at_work, 0);
}

/* Ends the team's threads; called when the program ends or the library is unloaded. */
void tcplan_end_team(void) {
    struct team *team = &tcplan_team_2;
    while (atomic_exchange(&team->is_at_work, 1)) sched_yield();
    atomic_store(&team->ends, 1);
    team_wake(team);
    for (; team->count > 0; team->count--) {
        pthread_join(team->thread[team->count - 1], NULL);
        atomic_store(&team->begun[team->count],
                     0); /* set once more, as a thread may have started just now */
    }
    team->places.threads = 0;
    atomic_store(&team->ends, 0);
    atomic_store(&team->is_at_work, 0);
}

#endif

/* Operands that the threads share. */
struct contract_operands {
    const double *A;
    const double *B;
    double *C;
    double *A_copies;
    double *B_copy;
};

/* Runs the share of one thread. */
static void contract_team(struct team_member *team_member, void *team_context) {
    const struct contract_operands *const team_operands = team_context;
    const double *const A = team_operands->A;
    const double *const B = team_operands->B;
    double *const C = team_operands->C;
    double *const A_copies = team_operands->A_copies;
    double *const B_copy = team_operands->B_copy;
    for (ptrdiff_t thread = -1; (thread = team_next(team_member, 2, thread)) >= 0;) {
        copy_d_block(B_copy + (7020 * thread), B + (7020 * thread), 1, (const struct copy_d_dimension[]){{7020, 1, 1}}, 0, 0.0, NULL);
    }
    for (ptrdiff_t thread = -1; (thread = team_next(team_member, 2, thread)) >= 0;) {
        double *const A_copy = A_copies + 6144 * thread;
        const ptrdiff_t thread_begin = 117 * thread / 2; /* of the fused iterations of two loops */
        const ptrdiff_t thread_end = 117 * (thread + 1) / 2;
        for (ptrdiff_t i_c = thread_begin / 9; 9 * i_c < thread_end; i_c++) {
            copy_d_block(A_copy, A, 1, (const struct copy_d_dimension[]){{6000, 1, 1}}, 0, 0.0, NULL);
            for (ptrdiff_t i_b = 9 * i_c < thread_begin ? thread_begin - 9 * i_c : 0; i_b < 9 && 9 * i_c + i_b < thread_end; i_b++) {
                cblas_dgemv(CblasColMajor, CblasNoTrans, 50, 120,
                            1.0, A_copy, 50, B_copy + 120 * i_b + 1080 * i_c, 1,
                            0.0, C + 50 * i_b + 450 * i_c, 1);
            }
        }
        copy_d_fence();
    }
}

int contract(const double *A, const double *B, double *C) {
    double *A_copies = pool_take(0, 2 * (size_t)49152);
    double *B_copy = pool_take(1, 112320);
    if (!A_copies || !B_copy) {
        pool_give(0, A_copies);
        pool_give(1, B_copy);
        return ENOMEM;
    }
    const int blas_threads = openblas_get_num_threads ? openblas_get_num_threads() : 1;
    if (blas_threads > 1) openblas_set_num_threads(1); /* the loop already uses the threads */
    struct contract_operands team_operands = {
        .A = A,
        .B = B,
        .C = C,
        .A_copies = A_copies,
        .B_copy = B_copy,
    };
    team_run(2, contract_team, &team_operands);
    if (blas_threads > 1) openblas_set_num_threads(blas_threads);
    copy_d_fence();
    pool_give(0, A_copies);
    pool_give(1, B_copy);
    return 0;
}
