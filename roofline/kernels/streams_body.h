/**
 * The stream kernels of one vector type. Included once by each instruction set. Expects
 *
 *   VECTOR                         a type of several doubles
 *   STORE_PAST_CACHES(to, vector)  optional: a non-temporal store
 *   FENCE_STORES()                 with STORE_PAST_CACHES: orders non-temporal stores
 */

enum {
    STREAM_LANES = sizeof(VECTOR) / sizeof(double),
    STREAM_UNROLL = STREAM_BLOCK_ELEMS / STREAM_LANES < 16 ? STREAM_BLOCK_ELEMS / STREAM_LANES : 16,
    STREAM_STRIDED_UNROLL = 8
};

/** Hides the contents of memory from the compiler, so that it keeps every pass. */
static inline void end_pass(void) {
    __asm__ volatile("" ::: "memory");
}

static inline VECTOR broadcast(double value) {
    VECTOR vector = {0};
    return vector + value;
}

static double sum_of(VECTOR vector) {
    double element[STREAM_LANES];
    double sum = 0;
    __builtin_memcpy(element, &vector, sizeof element);
    for (int e = 0; e < STREAM_LANES; e++) sum += element[e];
    return sum;
}

/** Loads STREAM_PARTS parts of the array side by side, with as many loads per iteration as
 * stream_load(). The last vector loaded is also the last of the array. */
static __attribute__((noinline)) double stream_load_parts(const struct stream *stream) {
    const volatile VECTOR *a = (const volatile VECTOR *)stream->a;
    const int64_t part = stream->elems / STREAM_LANES / STREAM_PARTS;
    VECTOR last = {0};
    for (int64_t p = 0; p < stream->passes; p++) {
        for (int64_t i = 0; i < part; i += STREAM_UNROLL / STREAM_PARTS) {
            for (int s = 0; s < STREAM_PARTS; s++) {
                for (int u = 0; u < STREAM_UNROLL / STREAM_PARTS; u++) last = a[s * part + i + u];
            }
        }
    }
    return sum_of(last);
}

/** Loads an array through a volatile pointer, so that the compiler keeps loads whose values are
 * unused. Summing the values would be slower than loading from the nearest cache. */
static double stream_load(const struct stream *stream) {
    const volatile VECTOR *a = (const volatile VECTOR *)stream->a;
    const int64_t vectors = stream->elems / STREAM_LANES;
    VECTOR last = {0};
    if (stream->parts == STREAM_PARTS) return stream_load_parts(stream);
    for (int64_t p = 0; p < stream->passes; p++) {
        for (int64_t i = 0; i < vectors; i += STREAM_UNROLL) {
            for (int u = 0; u < STREAM_UNROLL; u++) last = a[i + u];
        }
    }
    return sum_of(last);
}

/** Returns a step about 0.618 times the number of lines, without a common divisor: its multiples
 * modulo the number are all lines, and those of any few successive ones lie far apart. */
static int64_t scattering_step(int64_t lines) {
    for (int64_t step = (int64_t)(0.6180339887 * (double)lines) | 1;; step++) {
        int64_t divisor = step, rest = lines;
        while (rest != 0) {
            const int64_t next = divisor % rest;
            divisor = rest;
            rest = next;
        }
        if (divisor == 1) return step % lines;
    }
}

/** Loads each cache line of the array once, in a scattered order that no prefetcher follows. The
 * order is computed, not read, so lines are loaded independently of each other. It ends with the
 * last line. */
static double stream_load_random(const struct stream *stream) {
    enum { LINE = 64 / sizeof(double), LINE_VECTORS = LINE / STREAM_LANES };
    enum { LINES_AT_ONCE = 16 / LINE_VECTORS };
    const volatile VECTOR *a = (const volatile VECTOR *)stream->a;
    const int64_t lines = stream->elems / LINE;
    const int64_t step = scattering_step(lines);
    VECTOR last = {0};
    for (int64_t p = 0; p < stream->passes; p++) {
        int64_t line = lines - 1;
        for (int64_t i = 0; i < lines; i += LINES_AT_ONCE) {
            for (int l = 0; l < LINES_AT_ONCE; l++) {
                line += step;
                line -= line >= lines ? lines : 0;
                for (int v = 0; v < LINE_VECTORS; v++) last = a[line * LINE_VECTORS + v];
            }
        }
    }
    return sum_of(last);
}

static double stream_store(const struct stream *stream) {
    VECTOR *a = (VECTOR *)stream->a;
    const int64_t vectors = stream->elems / STREAM_LANES;
    const VECTOR s = broadcast(stream->s);
    for (int64_t p = 0; p < stream->passes; p++) {
        for (int64_t i = 0; i < vectors; i += STREAM_UNROLL) {
            for (int u = 0; u < STREAM_UNROLL; u++) a[i + u] = s;
        }
        end_pass();
    }
    return 0;
}

static double stream_copy(const struct stream *stream) {
    VECTOR *restrict a = (VECTOR *)stream->a;
    const VECTOR *restrict b = (const VECTOR *)stream->b;
    const int64_t vectors = stream->elems / STREAM_LANES;
    for (int64_t p = 0; p < stream->passes; p++) {
        for (int64_t i = 0; i < vectors; i += STREAM_UNROLL) {
            for (int u = 0; u < STREAM_UNROLL; u++) a[i + u] = b[i + u];
        }
        end_pass();
    }
    return 0;
}

static double stream_triad(const struct stream *stream) {
    VECTOR *restrict a = (VECTOR *)stream->a;
    const VECTOR *restrict b = (const VECTOR *)stream->b;
    const VECTOR *restrict c = (const VECTOR *)stream->c;
    const int64_t vectors = stream->elems / STREAM_LANES;
    const VECTOR s = broadcast(stream->s);
    for (int64_t p = 0; p < stream->passes; p++) {
        for (int64_t i = 0; i < vectors; i += STREAM_UNROLL) {
            for (int u = 0; u < STREAM_UNROLL; u++) a[i + u] = b[i + u] + s * c[i + u];
        }
        end_pass();
    }
    return 0;
}

static double stream_update(const struct stream *stream) {
    VECTOR *a = (VECTOR *)stream->a;
    const int64_t vectors = stream->elems / STREAM_LANES;
    const VECTOR s = broadcast(stream->s);
    for (int64_t p = 0; p < stream->passes; p++) {
        for (int64_t i = 0; i < vectors; i += STREAM_UNROLL) {
            for (int u = 0; u < STREAM_UNROLL; u++) a[i + u] = s * a[i + u];
        }
        end_pass();
    }
    return 0;
}

static double stream_axpy(const struct stream *stream) {
    VECTOR *restrict a = (VECTOR *)stream->a;
    const VECTOR *restrict b = (const VECTOR *)stream->b;
    const int64_t vectors = stream->elems / STREAM_LANES;
    const VECTOR s = broadcast(stream->s);
    for (int64_t p = 0; p < stream->passes; p++) {
        for (int64_t i = 0; i < vectors; i += STREAM_UNROLL) {
            for (int u = 0; u < STREAM_UNROLL; u++) a[i + u] = a[i + u] + s * b[i + u];
        }
        end_pass();
    }
    return 0;
}

#ifdef STORE_PAST_CACHES
static double stream_triad_nt(const struct stream *stream) {
    VECTOR *restrict a = (VECTOR *)stream->a;
    const VECTOR *restrict b = (const VECTOR *)stream->b;
    const VECTOR *restrict c = (const VECTOR *)stream->c;
    const int64_t vectors = stream->elems / STREAM_LANES;
    const VECTOR s = broadcast(stream->s);
    for (int64_t p = 0; p < stream->passes; p++) {
        for (int64_t i = 0; i < vectors; i += STREAM_UNROLL) {
            for (int u = 0; u < STREAM_UNROLL; u++)
                STORE_PAST_CACHES(&a[i + u], b[i + u] + s * c[i + u]);
        }
        end_pass();
    }
    FENCE_STORES(); /* executed only once after all passes, because the rate of long sequences of
                       stores is measured */
    return 0;
}

static double stream_store_nt(const struct stream *stream) {
    VECTOR *a = (VECTOR *)stream->a;
    const int64_t vectors = stream->elems / STREAM_LANES;
    const VECTOR s = broadcast(stream->s);
    for (int64_t p = 0; p < stream->passes; p++) {
        for (int64_t i = 0; i < vectors; i += STREAM_UNROLL) {
            for (int u = 0; u < STREAM_UNROLL; u++) STORE_PAST_CACHES(&a[i + u], s);
        }
        end_pass();
    }
    FENCE_STORES();
    return 0;
}
#endif

/** Loads every `stride`-th element, one at a time, up to eight of a block in an iteration. */
static inline __attribute__((always_inline)) double load_strided(const struct stream *stream,
                                                                 int stride) {
    const volatile double *a = stream->a;
    const int unroll = STREAM_STRIDED_UNROLL * stride > STREAM_BLOCK_ELEMS
                           ? STREAM_BLOCK_ELEMS / stride
                           : STREAM_STRIDED_UNROLL;
    double last = 0;
    for (int64_t p = 0; p < stream->passes; p++) {
        for (int64_t i = 0; i < stream->elems; i += (int64_t)unroll * stride) {
            for (int u = 0; u < unroll; u++) last = a[i + (int64_t)u * stride];
        }
    }
    return last;
}

/** Stores every `stride`-th element, one at a time. The pointer is volatile, so that the compiler
 * does not combine stores. */
static inline __attribute__((always_inline)) double store_strided(const struct stream *stream,
                                                                  int stride) {
    volatile double *a = stream->a;
    const int unroll = STREAM_STRIDED_UNROLL * stride > STREAM_BLOCK_ELEMS
                           ? STREAM_BLOCK_ELEMS / stride
                           : STREAM_STRIDED_UNROLL;
    const double s = stream->s;
    for (int64_t p = 0; p < stream->passes; p++) {
        for (int64_t i = 0; i < stream->elems; i += (int64_t)unroll * stride) {
            for (int u = 0; u < unroll; u++) a[i + (int64_t)u * stride] = s;
        }
    }
    return 0;
}

static double stream_load_1(const struct stream *stream) {
    return load_strided(stream, 1);
}

static double stream_load_2(const struct stream *stream) {
    return load_strided(stream, 2);
}

static double stream_load_4(const struct stream *stream) {
    return load_strided(stream, 4);
}

static double stream_load_8(const struct stream *stream) {
    return load_strided(stream, 8);
}

static double stream_load_16(const struct stream *stream) {
    return load_strided(stream, 16);
}

static double stream_load_32(const struct stream *stream) {
    return load_strided(stream, 32);
}

static double stream_load_64(const struct stream *stream) {
    return load_strided(stream, 64);
}

static double stream_store_1(const struct stream *stream) {
    return store_strided(stream, 1);
}

static double stream_store_2(const struct stream *stream) {
    return store_strided(stream, 2);
}

static double stream_store_4(const struct stream *stream) {
    return store_strided(stream, 4);
}

static double stream_store_8(const struct stream *stream) {
    return store_strided(stream, 8);
}

static double stream_store_16(const struct stream *stream) {
    return store_strided(stream, 16);
}

static double stream_store_32(const struct stream *stream) {
    return store_strided(stream, 32);
}

static double stream_store_64(const struct stream *stream) {
    return store_strided(stream, 64);
}

/**
 * Works on eight vectors at a time, because fused operations have a latency of four cycles and
 * there are two units; on 16 vectors if there are enough registers. If there is only one operation
 * per element, it is an addition.
 */
static double stream_flops(const struct stream *stream) {
    enum { CHAINS = STREAM_LANES >= 8 ? 16 : 8 };
    VECTOR *a = (VECTOR *)stream->a;
    const int64_t vectors = stream->elems / STREAM_LANES;
    const VECTOR s = broadcast(stream->s), t = broadcast(1 - stream->s);
    for (int64_t p = 0; p < stream->passes; p++) {
        for (int64_t i = 0; i < vectors; i += CHAINS) {
            VECTOR x[CHAINS];
            for (int c = 0; c < CHAINS; c++) x[c] = a[i + c];
            if (stream->flops % 2 != 0) {
                for (int c = 0; c < CHAINS; c++) x[c] = x[c] + t;
            }
            for (int f = 1; f < stream->flops; f += 2) {
                for (int c = 0; c < CHAINS; c++) x[c] = x[c] * s + t;
            }
            for (int c = 0; c < CHAINS; c++) a[i + c] = x[c];
        }
        end_pass();
    }
    return 0;
}

static const struct stream_kernel stream_table[] = {
    {STREAM_LOAD, 8 * sizeof(VECTOR), stream_load},
    {STREAM_STORE, 8 * sizeof(VECTOR), stream_store},
    {STREAM_COPY, 8 * sizeof(VECTOR), stream_copy},
    {STREAM_TRIAD, 8 * sizeof(VECTOR), stream_triad},
    {STREAM_UPDATE, 8 * sizeof(VECTOR), stream_update},
    {STREAM_AXPY, 8 * sizeof(VECTOR), stream_axpy},
#ifdef STORE_PAST_CACHES
    {STREAM_TRIAD_NT, 8 * sizeof(VECTOR), stream_triad_nt},
    {STREAM_STORE_NT, 8 * sizeof(VECTOR), stream_store_nt},
#endif
    {STREAM_LOAD_RANDOM, 8 * sizeof(VECTOR), stream_load_random},
    {STREAM_LOAD_1, 64, stream_load_1},
    {STREAM_LOAD_2, 64, stream_load_2},
    {STREAM_LOAD_4, 64, stream_load_4},
    {STREAM_LOAD_8, 64, stream_load_8},
    {STREAM_LOAD_16, 64, stream_load_16},
    {STREAM_LOAD_32, 64, stream_load_32},
    {STREAM_LOAD_64, 64, stream_load_64},
    {STREAM_STORE_1, 64, stream_store_1},
    {STREAM_STORE_2, 64, stream_store_2},
    {STREAM_STORE_4, 64, stream_store_4},
    {STREAM_STORE_8, 64, stream_store_8},
    {STREAM_STORE_16, 64, stream_store_16},
    {STREAM_STORE_32, 64, stream_store_32},
    {STREAM_STORE_64, 64, stream_store_64},
};
