/*
 * contraction: C_xacb=2*A_ija*B_jbicx-0.5*C_xacb
 * sizes: x=3,a=12,c=14,b=13,i=8,j=9
 * type: float
 * storage: column-major: the first index is contiguous
 * algorithm: xb'i'-sgemm
 *
 * for x = 1:x
 *   for b = 1:b
 *     C~[:,:] := C[x,:,:,b]
 *     C~[:,:] := -0.5 C~[:,:]
 *     for i = 1:i
 *       A~[:,:] := A[i,:,:]
 *       sgemm_TN: C~[:,:] += 2 A~[:,:]^T B[:,b,i,:,x]
 *     C[x,:,:,b] := C~[:,:]
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[i,j,a]: 8 x 9 x 12, strides 1, 8, 72
 *   B = B[j,b,i,c,x]: 9 x 13 x 8 x 14 x 3, strides 1, 9, 117, 936, 13104
 *   C = C[x,a,c,b]: 3 x 12 x 14 x 13, strides 1, 3, 36, 504
 *
 * Planned for 1 thread of the BLAS.
 *
 * Returns 0, or ENOMEM when a temporary cannot be allocated; C is then untouched.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <cblas.h>

#ifndef COPY_S_KERNELS /* emitted files may be concatenated */
#define COPY_S_KERNELS

typedef float copy_s_element;

/*
 * Copies of blocks with any strides, first part: the types of arguments. The text is written for
 * one element type, `copy_s_element`.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    COPY_S_LINE = 64 / sizeof(copy_s_element),
    COPY_S_HALF = COPY_S_LINE / 2,
    COPY_S_SHORT = 16,
    COPY_S_STREAM = 1,
    COPY_S_ACCUMULATE = 2,
    COPY_S_CONJUGATE = 4
};

/* A dimension of a block: its extent, and its strides in the destination and in the source. */
struct copy_s_dimension {
    ptrdiff_t extent, to, from;
};

/*
 * Copies of blocks with any strides: a real number is its own conjugate.
 */
static inline copy_s_element copy_s_conjugate(copy_s_element x) {
    return x;
}

#if defined(__x86_64__)
/* Transposes an 8 x 8 block of elements of 4 bytes: vector j receives element j of each of the 8
 * rows. */
__attribute__((target("avx2"), always_inline)) static inline void copy_s_transpose(
    __m256i out[8], const copy_s_element *from, ptrdiff_t row) {
    __m256 r[8], t[8];
#pragma GCC unroll 8
    for (int i = 0; i < 4; i++) { /* loads exchange the halves of rows i and i + 4 */
        const float *a = (const float *)(const void *)(from + i * row),
                    *b = (const float *)(const void *)(from + (i + 4) * row);
        r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(b), 1);
        r[i + 4] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a + 4)),
                                        _mm_loadu_ps(b + 4), 1);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; i += 4) {
        out[i] = _mm256_castps_si256(_mm256_shuffle_ps(t[i], t[i + 2], 0x44));
        out[i + 1] = _mm256_castps_si256(_mm256_shuffle_ps(t[i], t[i + 2], 0xee));
        out[i + 2] = _mm256_castps_si256(_mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44));
        out[i + 3] = _mm256_castps_si256(_mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee));
    }
}
#endif

/*
 * Copies of blocks with any strides, last part: the kernels.
 *
 * A line is 64 bytes, the unit that caches transfer. The result is written by whole lines wherever
 * possible; non-temporal stores require whole lines. Parts of a line wait in buffers, struct
 * copy_s_end, until the line is complete.
 */

/* A line of which some elements are computed, but not yet written to memory; all zeros: unused. */
struct copy_s_end {
    copy_s_element *line;           /* address of the line in the result */
    unsigned waiting;             /* bit k: element k is computed */
    copy_s_element made[COPY_S_LINE]; /* the computed elements */
};

/* Options of a copy. */
struct copy_s_mode {
    bool stream, accumulate; /* COPY_S_STREAM, COPY_S_ACCUMULATE */
    bool conjugate; /* with COPY_S_CONJUGATE: whether conjugates are copied; not with COPY_S_STREAM */
    bool avx2;      /* whether the processor has AVX2 */
    copy_s_element factor;           /* COPY_S_ACCUMULATE: to = from + factor * to */
    struct copy_s_end *end;          /* two buffers for each row for parts of lines; NULL: none */
    ptrdiff_t rows, row, row_step; /* number of rows; first row of the current plane; distance to
                                      the row that this one continues with (0: itself) */
    ptrdiff_t next_row;            /* distance to the row that follows this one in memory */
};

/* Writes `count` whole lines by non-temporal stores; `to` is the beginning of a line. */
static inline void copy_s_stream_lines(copy_s_element *to, const copy_s_element *from, ptrdiff_t lines) {
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
static void copy_s_ends_write(struct copy_s_end *end, ptrdiff_t count) {
    for (; count > 0; count--, end++) {
        for (int k = 0; end->waiting >> k; k++) {
            if (end->waiting >> k & 1U) end->line[k] = end->made[k];
        }
        end->waiting = 0;
    }
}

/* Returns the row `step` rows after the current one, modulo the number of rows. */
static inline ptrdiff_t copy_s_row_at(const struct copy_s_mode *mode, ptrdiff_t row, ptrdiff_t step) {
    return row + step < mode->rows ? row + step : row + step - mode->rows;
}

static inline bool copy_s_end_has(const struct copy_s_end *end, const copy_s_element *line) {
    return end->waiting != 0 && end->line == line;
}

/*
 * Returns the buffer for elements of a line of row `y`: the second one of the row for elements at
 * its beginning, the first one for all others. If other elements of the line already wait in a
 * neighbouring buffer, returns that one.
 */
static inline struct copy_s_end *copy_s_end_of(const struct copy_s_mode *mode, ptrdiff_t y,
                                           copy_s_element *line, bool is_beginning) {
    const ptrdiff_t row = mode->row + y * mode->row_step;
    struct copy_s_end *own = mode->end + 2 * row;
    struct copy_s_end *other =
        mode->end +
        2 * copy_s_row_at(mode, row, is_beginning ? mode->rows - mode->next_row : mode->next_row);
    if (is_beginning && copy_s_end_has(own, line)) return own;
    own += is_beginning;
    other += !is_beginning;
    if (copy_s_end_has(other, line)) return other;
    if (own->waiting != 0 && own->line != line) copy_s_ends_write(own, 1);
    own->line = line;
    return own;
}

/* Marks elements of a line as computed. Returns whether all are, and empties the buffer then. */
static inline bool copy_s_end_completes(struct copy_s_end *end, ptrdiff_t begin, ptrdiff_t count) {
    const unsigned all = (1U << COPY_S_LINE) - 1, waiting = end->waiting | ((1U << count) - 1)
                                                                             << begin;
    end->waiting = waiting == all ? 0 : waiting;
    return waiting == all;
}

/* Stores `count` elements of a line of row `y`, from its element `begin` on. Writes the line by
 * non-temporal stores once it is complete. */
static void copy_s_end_put(const struct copy_s_mode *mode, ptrdiff_t y, copy_s_element *line,
                         const copy_s_element *from, ptrdiff_t begin, ptrdiff_t count) {
    struct copy_s_end *end = copy_s_end_of(mode, y, line, begin > 0);
    memcpy(end->made + begin, from, (size_t)count * sizeof *line);
    if (copy_s_end_completes(end, begin, count)) copy_s_stream_lines(line, end->made, 1);
}

static void copy_s_accumulate(copy_s_element *restrict to, const copy_s_element *restrict from,
                            ptrdiff_t count, copy_s_element factor) {
    ptrdiff_t k = 0;
    for (; k + COPY_S_LINE <= count; k += COPY_S_LINE) {
        for (int l = 0; l < COPY_S_LINE; l++) to[k + l] = from[k + l] + factor * to[k + l];
    }
    for (; k < count; k++) to[k] = from[k] + factor * to[k];
}

/* Copies the conjugates of elements, with any strides. */
static void copy_s_conjugates(copy_s_element *to, ptrdiff_t to_step, const copy_s_element *from,
                            ptrdiff_t from_step, ptrdiff_t count, const struct copy_s_mode *mode) {
    for (ptrdiff_t k = 0; k < count; k++) {
        const copy_s_element own = copy_s_conjugate(from[k * from_step]);
        to[k * to_step] = mode->accumulate ? own + mode->factor * to[k * to_step] : own;
    }
}

/* Stores contiguous elements within one line of row `y`. */
static inline void copy_s_part(copy_s_element *to, const copy_s_element *from, ptrdiff_t count,
                             ptrdiff_t y, const struct copy_s_mode *mode) {
    const ptrdiff_t begin = (ptrdiff_t)((uintptr_t)to % 64 / sizeof *to);
    if (!mode->end) {
        for (ptrdiff_t k = 0; k < count; k++) to[k] = from[k];
    } else if (count > 0) {
        copy_s_end_put(mode, y, to - begin, from, begin, count);
    }
}

/* Writes contiguous elements of row `y` by non-temporal stores. */
static inline void copy_s_stream_row(copy_s_element *to, const copy_s_element *from, ptrdiff_t count,
                                   ptrdiff_t y, const struct copy_s_mode *mode) {
    const ptrdiff_t to_line = (ptrdiff_t)(-(uintptr_t)to % 64 / sizeof *to);
    const ptrdiff_t head = to_line < count ? to_line : count, lines = (count - head) / COPY_S_LINE;
    const ptrdiff_t tail = head + lines * COPY_S_LINE;
    copy_s_part(to, from, head, y, mode);
    copy_s_stream_lines(to + head, from + head, lines);
    copy_s_part(to + tail, from + tail, count - tail, y, mode);
}

#if defined(__x86_64__)
__attribute__((target("avx2"), always_inline)) static inline void copy_s_halves(copy_s_element *to,
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
__attribute__((target("avx2"), always_inline)) static inline void copy_s_end_join(
    struct copy_s_end *end, const copy_s_element *from, ptrdiff_t begin) {
    static const uint64_t mask[16] = {~0UL, ~0UL, ~0UL, ~0UL, ~0UL, ~0UL, ~0UL, ~0UL};
    const __m256i *waits =
        (const __m256i *)(const void *)((const char *)(mask + 8) - (size_t)begin * sizeof *from);
    const __m256i *made = (const __m256i *)(const void *)end->made,
                  *in = (const __m256i *)(const void *)(from - begin);
    copy_s_halves(end->line,
                _mm256_blendv_epi8(_mm256_loadu_si256(in), _mm256_loadu_si256(made),
                                   _mm256_loadu_si256(waits)),
                _mm256_blendv_epi8(_mm256_loadu_si256(in + 1), _mm256_loadu_si256(made + 1),
                                   _mm256_loadu_si256(waits + 1)),
                true);
    end->waiting = 0;
}

/* copy_s_stream_row() in vectors, for at least a line, if parts of lines wait in buffers. The lines
 * before and after the elements must be readable. */
__attribute__((target("avx2"))) static void copy_s_stream_row_avx2(copy_s_element *to,
                                                                 const copy_s_element *from,
                                                                 ptrdiff_t count, ptrdiff_t y,
                                                                 const struct copy_s_mode *mode) {
    const ptrdiff_t begin = (ptrdiff_t)((uintptr_t)to % 64 / sizeof *to),
                    row = mode->row + y * mode->row_step;
    struct copy_s_end *end = mode->end + 2 * row;
    if (begin > 0) {
        if (end->waiting == (1U << begin) - 1 && end->line == to - begin) {
            copy_s_end_join(end, from, begin);
        } else {
            copy_s_end_put(mode, y, to - begin, from, begin, COPY_S_LINE - begin);
        }
        to += COPY_S_LINE - begin;
        from += COPY_S_LINE - begin;
        count -= COPY_S_LINE - begin;
    }
    for (; count >= COPY_S_LINE; to += COPY_S_LINE, from += COPY_S_LINE, count -= COPY_S_LINE) {
        const __m256i *in = (const __m256i *)(const void *)from;
        copy_s_halves(to, _mm256_loadu_si256(in), _mm256_loadu_si256(in + 1), true);
    }
    if (count > 0 && end->waiting == 0 &&
        !copy_s_end_has(mode->end + 2 * copy_s_row_at(mode, row, mode->next_row) + 1, to)) {
        const __m256i *in = (const __m256i *)(const void *)from;
        copy_s_halves(end->made, _mm256_loadu_si256(in), _mm256_loadu_si256(in + 1), false);
        end->line = to;
        end->waiting = (1U << count) - 1;
    } else if (count > 0) {
        copy_s_end_put(mode, y, to, from, 0, count);
    }
}
#endif

/* Copies elements of row `y` that are contiguous on both sides; `is_amid`: the lines before and
 * after them are readable. */
static inline void copy_s_row(copy_s_element *to, const copy_s_element *from, ptrdiff_t count,
                            ptrdiff_t y, bool is_amid, const struct copy_s_mode *mode) {
    if (mode->conjugate) {
        copy_s_conjugates(to, 1, from, 1, count, mode);
    } else if (mode->accumulate) {
        copy_s_accumulate(to, from, count, mode->factor);
    } else if (!mode->stream || (uintptr_t)to % sizeof *to != 0) {
        memcpy(to, from, (size_t)count * sizeof *to);
    } else {
#if defined(__x86_64__)
        if (is_amid && mode->avx2 && mode->end && count >= COPY_S_LINE) {
            copy_s_stream_row_avx2(to, from, count, y, mode);
            return;
        }
#endif
        (void)is_amid;
        copy_s_stream_row(to, from, count, y, mode);
    }
}

/* Writes `count` lines by non-temporal stores. Element i of line j is element j of row i; rows are
 * `row` apart. */
static void copy_s_strip(copy_s_element *to, ptrdiff_t line, const copy_s_element *from, ptrdiff_t row,
                       ptrdiff_t count, bool stream) {
    for (ptrdiff_t j = 0; j < count; j++) {
        _Alignas(64) copy_s_element made[COPY_S_LINE];
        for (int i = 0; i < COPY_S_LINE; i++) made[i] = from[j + i * row];
        if (stream) {
            copy_s_stream_lines(to + j * line, made, 1);
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
__attribute__((target("avx2"))) static ptrdiff_t copy_s_strip_avx2(copy_s_element *to, ptrdiff_t line,
                                                                 const copy_s_element *from,
                                                                 ptrdiff_t row, ptrdiff_t count,
                                                                 const copy_s_element *next,
                                                                 bool stream) {
    ptrdiff_t j = 0;
    for (; j + COPY_S_HALF <= count; j += COPY_S_HALF) {
        __m256i left[COPY_S_HALF], right[COPY_S_HALF];
        const ptrdiff_t fetched =
            j % COPY_S_LINE * row + j; /* each half of a line belongs to half of the rows */
        for (int i = 0; i < COPY_S_HALF; i++)
            _mm_prefetch((const char *)(next + fetched + i * row), _MM_HINT_T0);
        copy_s_transpose(left, from + j, row);
        copy_s_transpose(right, from + j + COPY_S_HALF * row, row);
#pragma GCC unroll 8
        for (int k = 0; k < COPY_S_HALF; k++)
            copy_s_halves(to + (j + k) * line, left[k], right[k], stream);
    }
    return j;
}
#endif

static inline void copy_s_any_strip(copy_s_element *to, ptrdiff_t line, const copy_s_element *from,
                                  ptrdiff_t row, ptrdiff_t count, const copy_s_element *next,
                                  const struct copy_s_mode *mode) {
    ptrdiff_t made = 0;
#if defined(__x86_64__)
    if (mode->avx2) made = copy_s_strip_avx2(to, line, from, row, count, next, mode->stream);
#endif
    (void)next;
    copy_s_strip(to + made * line, line, from + made, row, count - made, mode->stream);
}

/* Stores elements within one line of each row of the result, from row `first` on. */
static void copy_s_columns(copy_s_element *to, ptrdiff_t line, const copy_s_element *from, ptrdiff_t row,
                         ptrdiff_t width, ptrdiff_t first, ptrdiff_t count,
                         const struct copy_s_mode *mode) {
    for (ptrdiff_t j = 0; j < count; j++) {
        copy_s_element made[COPY_S_LINE], *out = mode->end ? made : to + j * line;
        for (ptrdiff_t i = 0; i < width; i++) out[i] = from[j + i * row];
        if (mode->end) copy_s_part(to + j * line, made, width, first + j, mode);
    }
}

#if defined(__x86_64__)
/* copy_s_end_put() in vectors, for a whole line; `is_new` marks its elements that are stored. */
__attribute__((target("avx2"), always_inline)) static inline void copy_s_end_halves(
    const struct copy_s_mode *mode, ptrdiff_t y, copy_s_element *line, __m256i a, __m256i b,
    ptrdiff_t begin, ptrdiff_t count, const __m256i is_new[2]) {
    struct copy_s_end *end = copy_s_end_of(mode, y, line, begin > 0);
    const __m256i *made = (const __m256i *)(const void *)end->made;
    const __m256i left = _mm256_blendv_epi8(_mm256_loadu_si256(made), a, is_new[0]);
    const __m256i right = _mm256_blendv_epi8(_mm256_loadu_si256(made + 1), b, is_new[1]);
    if (copy_s_end_completes(end, begin, count)) {
        copy_s_halves(line, left, right, true);
    } else {
        copy_s_halves(end->made, left, right, false);
    }
}

/* copy_s_columns() in vectors if parts of lines wait in buffers; `to` is element `place` of a line.
 * Returns how many rows it copied; the caller copies the others. */
__attribute__((target("avx2"))) static ptrdiff_t copy_s_columns_avx2(copy_s_element *to, ptrdiff_t line,
                                                                   const copy_s_element *from,
                                                                   ptrdiff_t row, ptrdiff_t width,
                                                                   ptrdiff_t first, ptrdiff_t count,
                                                                   const struct copy_s_mode *mode) {
    const ptrdiff_t place = (ptrdiff_t)((uintptr_t)to % 64 / sizeof *to);
    ptrdiff_t j = 0;
    __m256i is_new[2], column[COPY_S_LINE];
    for (int i = 0; i < COPY_S_LINE; i++) {
        column[i] = _mm256_setzero_si256();
        memset((char *)is_new + (size_t)i * sizeof *to, i >= place && i < place + width ? 0xff : 0,
               sizeof *to);
    }
    for (; width > 0 && j + COPY_S_HALF <= count; j += COPY_S_HALF) {
        __m256i left[COPY_S_HALF], right[COPY_S_HALF];
        for (ptrdiff_t i = 0; i < width; i++)
            column[place + i] =
                _mm256_loadu_si256((const __m256i *)(const void *)(from + j + i * row));
        copy_s_transpose(left, (const copy_s_element *)(const void *)column, COPY_S_HALF);
        copy_s_transpose(right, (const copy_s_element *)(const void *)(column + COPY_S_HALF), COPY_S_HALF);
#pragma GCC unroll 8
        for (int k = 0; k < COPY_S_HALF; k++) {
            copy_s_end_halves(mode, first + j + k, to + (j + k) * line - place, left[k], right[k],
                            place, width, is_new);
        }
    }
    return width > 0 ? j : count;
}
#endif

static inline void copy_s_any_columns(copy_s_element *to, ptrdiff_t line, const copy_s_element *from,
                                    ptrdiff_t row, ptrdiff_t width, ptrdiff_t first,
                                    ptrdiff_t count, const struct copy_s_mode *mode) {
    ptrdiff_t copied = 0;
#if defined(__x86_64__)
    if (mode->avx2 && mode->end)
        copied = copy_s_columns_avx2(to, line, from, row, width, first, count, mode);
#endif
    copy_s_columns(to + copied * line, line, from + copied, row, width, first + copied,
                 count - copied, mode);
}

/*
 * Transposes: dimension i is contiguous in the result, j in the source. Blocks are long in j, so
 * that the source is read in sequence, but short enough for the pages of the result to stay in the
 * TLB until their next line. `next` is the source of the next block, to be prefetched.
 */
static void copy_s_strips(copy_s_element *to, const copy_s_element *from, struct copy_s_dimension i,
                        struct copy_s_dimension j, const copy_s_element *next,
                        const struct copy_s_mode *mode) {
    enum { LENGTH = 512 };
    const ptrdiff_t to_line = mode->stream ? (ptrdiff_t)(-(uintptr_t)to % 64 / sizeof *to) : 0;
    const ptrdiff_t head = to_line < i.extent ? to_line : i.extent;
    const ptrdiff_t tail = head + (i.extent - head) / COPY_S_LINE * COPY_S_LINE;
    for (ptrdiff_t first = 0; first < j.extent; first += LENGTH) {
        const ptrdiff_t count = j.extent - first < LENGTH ? j.extent - first : LENGTH;
        copy_s_element *out = to + first * j.to;
        const copy_s_element *in = from + first;
        const copy_s_element *after = first + count < j.extent ? in + count + head * i.from : next;
        copy_s_any_columns(out, j.to, in, i.from, head, first, count, mode);
        for (ptrdiff_t k = head; k < tail; k += COPY_S_LINE) {
            const copy_s_element *following =
                k + COPY_S_LINE < tail ? in + (k + COPY_S_LINE) * i.from : after;
            copy_s_any_strip(out + k, j.to, in + k * i.from, i.from, count, following, mode);
        }
        copy_s_any_columns(out + tail, j.to, in + tail * i.from, i.from, i.extent - tail, first,
                         count, mode);
    }
}

/* Copies through a tile in the L1 cache, for rows of the result that begin within lines, or that
 * are also read. */
static void copy_s_tiles(copy_s_element *to, const copy_s_element *from, struct copy_s_dimension i,
                       struct copy_s_dimension j, const struct copy_s_mode *mode) {
    enum { TILE = 16384 / sizeof(copy_s_element), WIDEST = 2048 / sizeof(copy_s_element) };
    _Alignas(64) copy_s_element around[COPY_S_LINE + TILE + COPY_S_LINE];
    copy_s_element *const tile = around + COPY_S_LINE;
    const struct copy_s_mode plain = {.avx2 = mode->avx2};
    const ptrdiff_t width = i.extent < WIDEST ? i.extent : WIDEST,
                    row = (width + COPY_S_LINE - 1) / COPY_S_LINE * COPY_S_LINE;
    const ptrdiff_t height = TILE / row;
    for (ptrdiff_t y = 0; y < j.extent; y += height) {
        for (ptrdiff_t x = 0; x < i.extent; x += width) {
            const struct copy_s_dimension across = {i.extent - x < width ? i.extent - x : width, 1,
                                                  i.from};
            const struct copy_s_dimension down = {j.extent - y < height ? j.extent - y : height, row,
                                                1};
            const copy_s_element *in = from + x * i.from + y;
            copy_s_strips(tile, in, across, down, in, &plain);
            for (ptrdiff_t k = 0; k < down.extent; k++)
                copy_s_row(to + x + (y + k) * j.to, tile + k * row, across.extent, y + k, true, mode);
        }
    }
}

/* Copies rows of the result whose elements are scattered in the source. */
static void copy_s_gathered(copy_s_element *to, const copy_s_element *from, struct copy_s_dimension i,
                          struct copy_s_dimension j, const struct copy_s_mode *mode) {
    enum { LENGTH = 2048 / sizeof(copy_s_element) };
    _Alignas(64) copy_s_element gathered[LENGTH];
    for (ptrdiff_t first = 0; first < i.extent; first += LENGTH) {
        const ptrdiff_t count = i.extent - first < LENGTH ? i.extent - first : LENGTH;
        for (ptrdiff_t y = 0; y < j.extent; y++) {
            const copy_s_element *in = from + first * i.from + y * j.from;
            for (ptrdiff_t k = 0; k < count; k++) gathered[k] = in[k * i.from];
            copy_s_row(to + first + y * j.to, gathered, count, y, false, mode);
        }
    }
}

static void copy_s_scattered(copy_s_element *to, const copy_s_element *from, struct copy_s_dimension i,
                           struct copy_s_dimension j, const struct copy_s_mode *mode) {
    for (ptrdiff_t y = 0; y < j.extent; y++) {
        copy_s_element *out = to + y * j.to;
        const copy_s_element *in = from + y * j.from;
        if (mode->conjugate) {
            copy_s_conjugates(out, i.to, in, i.from, i.extent, mode);
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
static inline bool copy_s_lines_are_alike(const copy_s_element *to, struct copy_s_dimension j,
                                        const struct copy_s_mode *mode) {
    if (j.to % COPY_S_LINE != 0 || (uintptr_t)to % sizeof *to != 0) return false;
    return !mode->end || mode->row_step != 0 || (uintptr_t)to % 64 == 0;
}

/* Copies rows of `count` elements, from `piece` to 2 * `piece`, as two pieces of constant size,
 * which may overlap and need no call of memcpy. */
static inline __attribute__((always_inline)) void copy_s_pieces(copy_s_element *to,
                                                              const copy_s_element *from,
                                                              ptrdiff_t count,
                                                              struct copy_s_dimension j,
                                                              ptrdiff_t piece) {
    const size_t bytes = (size_t)piece * sizeof *to;
    if (count == piece) {
        for (ptrdiff_t y = 0; y < j.extent; y++) memcpy(to + y * j.to, from + y * j.from, bytes);
        return;
    }
    for (ptrdiff_t y = 0; y < j.extent; y++) {
        copy_s_element *const out = to + y * j.to;
        const copy_s_element *const in = from + y * j.from;
        memcpy(out, in, bytes);
        memcpy(out + count - piece, in + count - piece, bytes);
    }
}

/* Copies short contiguous rows, for which calls of memcpy would take longer. */
static void copy_s_short_rows(copy_s_element *to, const copy_s_element *from, ptrdiff_t count,
                            struct copy_s_dimension j) {
    if (count >= 8) {
        copy_s_pieces(to, from, count, j, 8);
    } else if (count >= 4) {
        copy_s_pieces(to, from, count, j, 4);
    } else if (count >= 2) {
        copy_s_pieces(to, from, count, j, 2);
    } else {
        copy_s_pieces(to, from, count, j, 1);
    }
}

static void copy_s_plane(copy_s_element *to, const copy_s_element *from, struct copy_s_dimension i,
                       struct copy_s_dimension j, const copy_s_element *next,
                       const struct copy_s_mode *mode) {
    if (i.to != 1) {
        copy_s_scattered(to, from, i, j, mode);
    } else if (i.from == 1 && i.extent <= COPY_S_SHORT && !mode->stream && !mode->accumulate &&
               !mode->conjugate) {
        copy_s_short_rows(to, from, i.extent, j);
    } else if (i.from == 1) {
        for (ptrdiff_t y = 0; y < j.extent; y++) {
            const bool is_amid =
                y > 0 && y + 1 < j.extent && i.extent >= COPY_S_LINE && j.from >= COPY_S_LINE;
            copy_s_row(to + y * j.to, from + y * j.from, i.extent, y, is_amid, mode);
        }
    } else if (j.from != 1) {
        copy_s_gathered(to, from, i, j, mode);
    } else if (mode->accumulate || mode->conjugate ||
               (mode->stream && !copy_s_lines_are_alike(to, j, mode))) {
        copy_s_tiles(to, from, i, j, mode);
    } else {
        copy_s_strips(to, from, i, j, next, mode);
    }
}

static inline bool copy_s_has_avx2(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

/*
 * Computes to = from; with COPY_S_ACCUMULATE to = from + factor * to; with COPY_S_CONJUGATE from the
 * conjugate of from. All extents are at least 1. The first dimension has the smallest steps in
 * `to`; the others follow by increasing steps in `from`, so that it is read sequentially.
 * COPY_S_STREAM: the result will not be read soon; call copy_s_fence() before another thread reads it.
 * `end`: NULL, or two buffers for each row. Parts of lines wait there until another part of the
 * row, or an adjacent row, completes the line; copy_s_ends_write() writes the others.
 */
static void copy_s_block(copy_s_element *to, const copy_s_element *from, int rank,
                       const struct copy_s_dimension *dimension, unsigned flags, copy_s_element factor,
                       struct copy_s_end *end) {
    enum { MOST = 64 };
    const struct copy_s_dimension one = {1, 0, 0};
    struct copy_s_mode mode = {.stream = (flags & COPY_S_STREAM) != 0,
                             .accumulate = (flags & COPY_S_ACCUMULATE) != 0,
                             .conjugate = (flags & COPY_S_CONJUGATE) != 0,
                             .avx2 = copy_s_has_avx2(),
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
        copy_s_element *const this_to = to;
        const copy_s_element *const this_from = from;
        const struct copy_s_mode this_mode = mode;
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
        copy_s_plane(this_to, this_from, rank > 0 ? dimension[0] : one, rank > 1 ? dimension[1] : one,
                   from, &this_mode);
    }
}

/* Orders non-temporal stores before all later accesses. */
static inline void copy_s_fence(void) {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

#endif

int contract(const float *A, const float *B, float *C) {
    float *A_copy = aligned_alloc(64, 448);
    float *C_copy = aligned_alloc(64, 704);
    if (!A_copy || !C_copy) {
        free(A_copy);
        free(C_copy);
        return ENOMEM;
    }
    for (ptrdiff_t i_x = 0; i_x < 3; i_x++) {
        for (ptrdiff_t i_b = 0; i_b < 13; i_b++) {
            copy_s_block(C_copy, C + i_x + 504 * i_b, 1, (const struct copy_s_dimension[]){{168, 1, 3}}, 0, 0.0f, NULL);
            for (ptrdiff_t j0 = 0; j0 < 168; j0++) {
                C_copy[j0] *= -0.5f;
            }
            for (ptrdiff_t i_i = 0; i_i < 8; i_i++) {
                copy_s_block(A_copy, A + i_i, 1, (const struct copy_s_dimension[]){{108, 1, 8}}, 0, 0.0f, NULL);
                cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, 12, 14, 9,
                            2.0f, A_copy, 9, B + 13104 * i_x + 9 * i_b + 117 * i_i, 936,
                            1.0f, C_copy, 12);
            }
            copy_s_block(C + i_x + 504 * i_b, C_copy, 1, (const struct copy_s_dimension[]){{168, 3, 1}}, 0, 0.0f, NULL);
        }
    }
    copy_s_fence();
    free(A_copy);
    free(C_copy);
    return 0;
}
