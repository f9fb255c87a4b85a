/**
 * The measuring kernels: loops of known instructions, one set for each width of vectors that the
 * CPU has.
 *
 * A compute kernel runs independent chains of one operation in registers; its result counts the
 * rounds, so that a loop that was shortened, fused or left out by a compiler gives itself away. A
 * stream kernel passes over arrays. `kernels_*.c` compile one body, `kernels_body.h`, for one
 * instruction set each; that their loops hold the instructions they should is tested by disassembly
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
    /* Products added to sums, of mixed precisions: */
    COMPUTE_FMA_FP16,
    COMPUTE_FMA_BF16_S,
    COMPUTE_FMA_S_D,
    COMPUTE_OPERATIONS
};

enum {
    COMPUTE_CHAINS = 12, /**< independent chains: latency 4 or 5, two instructions a cycle, at least
                            16 registers */
    COMPUTE_MAX_ROUNDS =
        1 << 22,              /**< of one call: so far results in single precision count exactly */
    STREAM_BLOCK_ELEMS = 128, /**< array lengths are multiples of this many doubles */
    STREAM_PARTS =
        4 /**< prefetchers follow several streams, which memory may serve faster than one */
};

/** Every operation of every chain, `rounds` times; false where the result is not what so many
 * rounds give. */
typedef bool compute_fn(int64_t rounds);

struct compute_kernel {
    enum compute_operation operation;
    enum tcplan_dtype precision; /**< as of a ceiling */
    int vector_bits;
    compute_fn *run;
};

/** The accesses of a stream kernel. */
enum stream_operation {
    STREAM_LOAD,     /**< a is loaded */
    STREAM_STORE,    /**< a = s */
    STREAM_COPY,     /**< a = b */
    STREAM_TRIAD,    /**< a = b + s * c */
    STREAM_UPDATE,   /**< a = s * a */
    STREAM_AXPY,     /**< a = a + s * b */
    STREAM_TRIAD_NT, /**< as triad; a is stored past the caches */
    STREAM_STORE_NT, /**< as store, likewise */
    STREAM_LOAD_1,   /**< one element of 1, 2, ... 64 of a is loaded, by itself */
    STREAM_LOAD_2,
    STREAM_LOAD_4,
    STREAM_LOAD_8,
    STREAM_LOAD_16,
    STREAM_LOAD_32,
    STREAM_LOAD_64,
    STREAM_STORE_1, /**< one element of 1, 2, ... 64 of a = s */
    STREAM_STORE_2,
    STREAM_STORE_4,
    STREAM_STORE_8,
    STREAM_STORE_16,
    STREAM_STORE_32,
    STREAM_STORE_64,
    STREAM_OPERATIONS
};

/** One call of a stream kernel. Arrays are aligned to 64 bytes and do not overlap; those that the
 * operation lacks may be NULL. */
struct stream {
    double *a;
    const double *b;
    const double *c;
    double s;
    int64_t elems; /**< of each array; a multiple of STREAM_BLOCK_ELEMS */
    int parts;     /**< of `load`: STREAM_PARTS: so many parts of the array are loaded side by side;
                      otherwise it is loaded from end to end */
    int flops;     /**< of `flops` kernels: operations for each element, 1 or even */
    int64_t passes;
};

/** Runs all passes; loads return the sum of the elements of the vector that they loaded last, the
 * others 0. */
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
    stream_fn *flops; /**< every element of a is loaded, multiplied by s and added to 1 - s a given
                         number of times, with FMA if available, and stored */
    int flops_bits;   /**< of its vectors; 0: there is none */
};

enum { KERNEL_SETS = 4, KERNEL_WIDTHS = 3 };

/** The sets for this CPU: all kernels of all sets in the first entries, then NULL. Stream kernels
 * are those of the first set that has any. */
void kernels_choose(const struct kernel_set *out[KERNEL_SETS]);

/** The sets whose stream kernels this CPU can run, those of the widest vectors first; returns how
 * many. */
int kernels_widths(const struct kernel_set *out[KERNEL_WIDTHS]);

/** Mixed precisions without kernels, as bits 1 << mix: those whose instructions this CPU lacks, and
 * those that the compiler did not know. */
unsigned kernels_lacking(void);
unsigned kernels_unbuilt(void);

/** `fma`, `load_2`, ...: see struct tcplan_ceiling. Of mixed precisions `fma`, too. */
const char *compute_name(enum compute_operation operation);
enum tcplan_mix compute_mix(enum compute_operation operation);

/** Whether products are added at once: two operations in an instruction. */
bool compute_is_fused(enum compute_operation operation);
const char *stream_name(enum stream_operation operation);

/** The operation's floating-point operations in one round of a vector of one element. A division
 * counts as one. */
double compute_flops(const struct compute_kernel *kernel, int64_t rounds);

/** The data that a stream kernel touches. */
struct stream_shape {
    int arrays;        /**< that it uses: a; a and b; a, b and c */
    int read_bytes;    /**< requested per visited element */
    int written_bytes; /**< likewise */
    int stride;        /**< visited is every `stride`-th element */
    double line_bytes; /**< in cache lines moved per visited element, to and from memory: including
                          lines fetched only to be overwritten */
};
struct stream_shape stream_shape(enum stream_operation operation);

/** Whether it goes from element to element, each by itself. */
bool stream_is_strided(enum stream_operation operation);

/** Whether it is measured with narrower vectors too, where widths are compared. */
bool stream_tells_width(enum stream_operation operation);

/** Sets of the instruction sets there are; those of another architecture have no kernels. */
extern const struct kernel_set kernels_avx512;
extern const struct kernel_set kernels_avx2;
extern const struct kernel_set kernels_baseline;
extern const struct kernel_set kernels_fp16;
extern const struct kernel_set kernels_bf16;

#endif
