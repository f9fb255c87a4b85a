/**
 * The measuring kernels: loops of known instructions, one set for each width of vectors that the
 * CPU has.
 *
 * A compute kernel runs independent chains of one operation in registers. Its result counts the
 * rounds, which reveals a loop that the compiler shortened, fused or omitted. A stream kernel
 * passes over arrays. `kernels_*.c` compile the same body, `kernels_body.h`, each for one
 * instruction set. Disassembly tests that the loops have the intended instructions
 * (tests/roofline/instructions.sh).
 */
#ifndef ROOFLINE_KERNELS_KERNELS_H
#define ROOFLINE_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/ceilings.h"

/** The operations of a compute kernel's loop. */
enum compute_operation {
    COMPUTE_FMA,
    COMPUTE_MUL_ADD, /**< half of the chains multiply, half add */
    COMPUTE_ADD,
    COMPUTE_MULTIPLY,
    COMPUTE_DIVIDE,
    /* Sums of products in mixed precisions: */
    COMPUTE_FMA_FP16,
    COMPUTE_FMA_BF16_S,
    COMPUTE_FMA_S_D,
    COMPUTE_OPERATIONS
};

enum {
    COMPUTE_CHAINS = 12,          /**< independent chains: enough for a latency of 5 cycles and two
                                     instructions per cycle, with 16 registers */
    COMPUTE_MAX_ROUNDS = 1 << 22, /**< number of rounds in one call; numbers in single precision
                                     count up to it exactly */
    STREAM_BLOCK_ELEMS = 128,     /**< lengths of arrays are multiples of this number of doubles */
    STREAM_PARTS = 4 /**< number of parts of an array that are loaded side by side, because
                        prefetchers follow several streams */
};

/** Runs each operation of each chain `rounds` times; returns false if the result differs from that
 * of `rounds` rounds. */
typedef bool compute_fn(int64_t rounds);

struct compute_kernel {
    enum compute_operation operation;
    enum tcplan_dtype precision; /**< precision of the ceiling that the kernel measures */
    int vector_bits;
    compute_fn *run;
};

/** The accesses of a stream kernel. */
enum stream_operation {
    STREAM_LOAD,        /**< a is loaded */
    STREAM_STORE,       /**< a = s */
    STREAM_COPY,        /**< a = b */
    STREAM_TRIAD,       /**< a = b + s * c */
    STREAM_UPDATE,      /**< a = s * a */
    STREAM_AXPY,        /**< a = a + s * b */
    STREAM_TRIAD_NT,    /**< the triad with non-temporal stores */
    STREAM_STORE_NT,    /**< a = s with non-temporal stores */
    STREAM_LOAD_RANDOM, /**< a is loaded, its cache lines in a scattered order */
    STREAM_LOAD_1,      /**< loads every 1st, 2nd, 4th, ... 64th element of a, one at a time */
    STREAM_LOAD_2,
    STREAM_LOAD_4,
    STREAM_LOAD_8,
    STREAM_LOAD_16,
    STREAM_LOAD_32,
    STREAM_LOAD_64,
    STREAM_STORE_1, /**< a = s for every 1st, 2nd, 4th, ... 64th element, one at a time */
    STREAM_STORE_2,
    STREAM_STORE_4,
    STREAM_STORE_8,
    STREAM_STORE_16,
    STREAM_STORE_32,
    STREAM_STORE_64,
    STREAM_OPERATIONS
};

/** One call of a stream kernel. Arrays are aligned to 64 bytes and do not overlap; those that the
 * operation does not use may be NULL. */
struct stream {
    double *a;
    const double *b;
    const double *c;
    double s;
    int64_t elems; /**< length of each array; a multiple of STREAM_BLOCK_ELEMS */
    int parts; /**< for STREAM_LOAD only: number of parts of the array that are loaded side by side,
                  STREAM_PARTS or 1 */
    int flops; /**< for `flops` kernels: operations per element, 1 or an even number */
    int64_t passes;
};

/** Runs all passes. Loads return the sum of the elements of the last vector loaded; other
 * operations return 0. */
typedef double stream_fn(const struct stream *stream);

struct stream_kernel {
    enum stream_operation operation;
    int vector_bits;
    stream_fn *run;
};

/** The kernels of one instruction set. */
struct kernel_set {
    int compute_count;
    const struct compute_kernel *compute;
    int stream_count;
    const struct stream_kernel *stream;
    stream_fn *flops; /**< loads each element of a, multiplies it by s and adds 1 - s, `flops` / 2
                         times, with FMA if available, and stores it */
    int flops_bits;   /**< vector width of `flops` in bits; 0: there is no such kernel */
};

enum { KERNEL_SETS = 4, KERNEL_WIDTHS = 3 };

/** Lists the sets to measure on this CPU, then NULL: the compute kernels of all of them, and the
 * stream kernels of the first. */
void kernels_choose(const struct kernel_set *out[KERNEL_SETS]);

/** Lists the sets whose stream kernels this CPU can run, the widest vectors first; returns their
 * number. */
int kernels_widths(const struct kernel_set *out[KERNEL_WIDTHS]);

/** Returns the mixed precisions, as bits 1 << mix, whose instructions this CPU lacks.
 * kernels_unbuilt() returns those that the CPU has but the compiler did not support. */
unsigned kernels_lacking(void);
unsigned kernels_unbuilt(void);

/** Returns the name of an operation as in struct tcplan_ceiling: `fma`, `add`, ... It is `fma` for
 * mixed precisions. */
const char *compute_name(enum compute_operation operation);
enum tcplan_mix compute_mix(enum compute_operation operation);

/** Returns whether an instruction multiplies and adds: two operations. */
bool compute_is_fused(enum compute_operation operation);
const char *stream_name(enum stream_operation operation);

/** Returns the floating-point operations of `rounds` rounds: in each round, every chain executes
 * one vector instruction. A division counts as one operation. */
double compute_flops(const struct compute_kernel *kernel, int64_t rounds);

/** The data that a stream kernel touches. */
struct stream_shape {
    int arrays;        /**< number of arrays: a; a and b; a, b and c */
    int read_bytes;    /**< bytes requested per visited element */
    int written_bytes; /**< bytes written per visited element */
    int stride;        /**< every `stride`-th element is visited */
    double line_bytes; /**< bytes of the cache lines moved per visited element, in both directions,
                          including lines fetched only to be overwritten */
};
struct stream_shape stream_shape(enum stream_operation operation);

/** Returns whether an operation visits elements one at a time, with a stride. */
bool stream_is_strided(enum stream_operation operation);

/** Returns whether an operation is also measured with narrower vectors, to compare widths. */
bool stream_tells_width(enum stream_operation operation);

/** The sets for each instruction set. Those of another architecture have no kernels. */
extern const struct kernel_set kernels_avx512;
extern const struct kernel_set kernels_avx2;
extern const struct kernel_set kernels_baseline;
extern const struct kernel_set kernels_fp16;
extern const struct kernel_set kernels_bf16;

#endif
