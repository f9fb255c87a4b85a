/**
 * Algorithms: which indices go into the BLAS kernel, in which order the others are looped over,
 * what is copied where.
 *
 * The `full` space has every combination that tcplan_nest_build() accepts. The `blas` space within
 * it is the dissertation's (section 6.1): one kernel, every choice of its indices, every order of
 * the loops around it. A kernel takes at most one free index of A (m), one free index of B (n) and
 * one contracted index (k); which of them it has decides what it is: k dot, m or n axpy, k and m or
 * n gemv, m and n ger, all three gemm. Batch indices are always loops. A contraction with batch
 * indices only has the dot of one element. (In the `full` space several indices may share a role,
 * and batch indices may be in a kernel that no BLAS has, the element-wise product mul.) Indices in
 * A or B only are neither: the copy of their operand sums over them. The rest follows from rules:
 *
 * - An operand with indices of its own is summed over them on the way to a temporary, where
 *   matrices are copied.
 * - A factor whose conjugate the kernel cannot take as it stands is conjugated on the way to a
 *   temporary, at the same place.
 * - A matrix operand none of whose two dimensions has unit stride, and any with a stride of 0 or
 *   less in the kernel, is copied, in the outermost loop where that is legal (inside the last loop
 *   that it depends on), in the order in which the tensor has its dimensions; the result likewise,
 *   filled from the result first if it is needed.
 * - beta goes into the kernel where that has one and no contracted loop surrounds it. Otherwise,
 *   unless it is 1, the result is scaled (beta = 0: zeroed) in the innermost legal place: directly
 *   around the outermost contracted loop, or directly before the kernel.
 */
#ifndef TCPLAN_ALGORITHM_H
#define TCPLAN_ALGORITHM_H

#include "tcplan/problem.h"
#include "tcplan/provider.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The classes of kernels, each a line KERNEL(NAME, name): those of the BLAS in the order of the
 * enumeration, then others. `name` is its routine of real types without the letter. The class
 * itself is a file `name`.c in ast/kernels/, gen/kernels/ and microbench/kernels/. The numbers
 * below, the tables of these folders and their lists of source files are made from this list.
 *
 * - mul, our own: C[v] := alpha * A[v] * B[v] + beta * C[v], the element-wise product of vectors of
 *   any strides
 * - brgemm, libxsmm's: C := A_1 B_1 + A_2 B_2 + ... + beta * C, a sum of products of matrices that
 *   lie at equal distances
 * - loops, emitted for the call: C := alpha * A * B + beta * C over any indices, however they lie,
 *   also those in one factor only
 */
#define TCPLAN_KERNEL_LIST(KERNEL)                                                                 \
    KERNEL(DOT, dot)                                                                               \
    KERNEL(AXPY, axpy)                                                                             \
    KERNEL(GEMV, gemv)                                                                             \
    KERNEL(GER, ger)                                                                               \
    KERNEL(GEMM, gemm)                                                                             \
    KERNEL(MUL, mul)                                                                               \
    KERNEL(BRGEMM, brgemm)                                                                         \
    KERNEL(LOOPS, loops)

#define TCPLAN_KERNEL_NUMBER(NAME, name) TCPLAN_##NAME,

enum tcplan_kernel { TCPLAN_KERNEL_LIST(TCPLAN_KERNEL_NUMBER) TCPLAN_KERNELS };

/**
 * The roles an index can have inside a kernel: those of a matrix product; h of batch (Hadamard)
 * indices, which only mul takes; r of contracted indices, or of the steps of one, over which the
 * products of brgemm are summed up.
 */
enum tcplan_role { TCPLAN_M, TCPLAN_N, TCPLAN_K, TCPLAN_H, TCPLAN_R, TCPLAN_ROLES };

enum {
    TCPLAN_MAX_TILES = 8,       /**< loops over steps in one algorithm */
    TCPLAN_MAX_PADDING = 65535, /**< of a temporary, in elements */
    TCPLAN_MAX_VECTORS = 6,     /**< of a tile in registers */
    TCPLAN_MAX_COLUMNS = 32,
    TCPLAN_MAX_UNROLL = 64
};

/**
 * The index `index` in steps: one loop runs over the steps, the index itself over the points of a
 * step's tile. An index may be split more than once: tiles within tiles, outer steps being longer
 * than inner ones and multiples of them.
 */
struct tcplan_split {
    uint8_t index;
    int32_t step; /**< at least 1; the last tile may be smaller */
};

/** The temporary through which the kernel works on an operand. */
struct tcplan_operand_copy {
    int8_t depth;  /**< the number of loops around the copy; -1: none, the operand is used in place
                    */
    bool turned;   /**< its second role is contiguous: A m k, B k n, C m n is the order otherwise */
    bool read;     /**< of the result only: it is filled from the result first if the result is
                      needed, and copied back as it is; otherwise the kernel assigns to it, and it
                      is added to the result as it is written out */
    bool streamed; /**< of the result only: it is written out with non-temporal stores; without a
                      copy, by the kernel */
    bool panels;   /**< what a step inside the copy takes lies together, one step behind the other;
                      otherwise all tiles together lie as one matrix */
    uint16_t padding; /**< elements behind those of its first role, so that the leading dimension is
                         larger by so many */
};

/**
 * How a kernel that is written for the call keeps a tile of the result in registers, and how its
 * innermost loop is unrolled. Each gives the same result; what is 0 is as a count of the kernel's
 * instructions says.
 */
struct tcplan_register_tile {
    uint8_t vectors; /**< along what is contiguous, as long as the instruction set has them, by */
    uint8_t columns; /**< so many: both, or neither */
    uint8_t unroll;  /**< products in one round of the loop */
};

/**
 * One algorithm: everything that decides which calls are made, in which order, and on which
 * temporaries. A value of some hundred bytes: copy it freely, but begin with
 * tcplan_algorithm_empty(). Its name says all of it.
 *
 * An index that is split has two numbers: its own stands for the points within a tile, index_count
 * + s for the steps of split number s. These are a loop, or in r the last of an index, its points
 * being in k; they divide its extent then, or there is one.
 */
struct tcplan_algorithm {
    enum tcplan_kernel kernel;
    enum tcplan_provider provider;    /**< whose kernel */
    struct tcplan_register_tile tile; /**< of a kernel that is written for the call */
    uint64_t group[TCPLAN_ROLES]; /**< the set of indices in each role, in r also of steps: several
                                     are fused, they act as one */
    struct tcplan_operand_copy copy[TCPLAN_OPERANDS];
    bool starts; /**< contracted loops start with beta: their first iteration applies it, or assigns
                    to the result's temporary. Otherwise what they add to is scaled before them */
    int8_t parallel; /**< the loop, from the outside, whose iterations threads share; -1: none */
    bool collapsed;  /**< and those of the loop directly within it: the iterations of both are one
                        sequence */
    uint8_t split_count; /**< at most TCPLAN_MAX_TILES */
    uint8_t loop_count;
    struct tcplan_split split[TCPLAN_MAX_TILES];
    uint8_t loop[TCPLAN_MAX_INDICES]; /**< from the outside in; indices and steps of an algorithm
                                         are TCPLAN_MAX_INDICES at most */
};

/** An algorithm without loops, copies and kernel indices, to be filled in. */
TCPLAN_API struct tcplan_algorithm tcplan_algorithm_empty(void);

/** Whether two algorithms of a contraction are the same, as tcplan_algorithm_parse() and the
 * enumerator make them. */
TCPLAN_API bool tcplan_algorithm_equal(const struct tcplan_algorithm *a,
                                       const struct tcplan_algorithm *b);

/**
 * Whether an algorithm is of the `blas` space: an index a role at most, the kernel that is named by
 * its roles, the BLAS's own, and copies and beta as that space's rules have them (see above).
 */
TCPLAN_API bool tcplan_algorithm_in_blas_space(const struct tcplan_algorithm *algorithm,
                                               const struct tcplan_contraction *contraction);

/** Walks through all algorithms of a contraction in a fixed order without storing them. */
struct tcplan_enumerator {
    const struct tcplan_contraction *contraction; /**< borrowed */
    struct tcplan_algorithm next;                 /**< private */
    bool done;                                    /**< private */
};

/** Starts an enumeration: dot, axpy, gemv, ger, gemm; then kernel indices; then loop orders, each
 * in index order. */
TCPLAN_API void tcplan_enumerator_init(struct tcplan_enumerator *out,
                                       const struct tcplan_contraction *contraction);

/** Writes the next algorithm to `out`; false when there is none left. */
TCPLAN_API bool tcplan_enumerator_next(struct tcplan_enumerator *enumerator,
                                       struct tcplan_algorithm *out);

/**
 * The number of algorithms, by formula. With C contracted, a and b free indices of A and B, and n
 * indices in all, not counting those in A or B only: dot C (n-1)!, axpy (a+b) (n-1)!, gemv C (a+b)
 * (n-2)!, ger a b (n-2)!, gemm a b C (n-3)!; b! if all b indices are batch indices.
 *
 * @param count  receives the number of algorithms of each kernel and, last, their sum
 * @return TCPLAN_OK or TCPLAN_OVERFLOW when a number does not fit
 */
TCPLAN_API enum tcplan_status tcplan_algorithm_count(const struct tcplan_contraction *contraction,
                                                     uint64_t count[TCPLAN_KERNELS + 1]);

/** The name of a kernel without its type letter, as `dot`, `axpy`, `gemv`, `ger`, `gemm`, `mul`,
 * `brgemm`; `dotu` and `geru` where the type is complex. */
TCPLAN_API const char *tcplan_kernel_name(enum tcplan_kernel kernel, enum tcplan_dtype dtype);

/** Who has an algorithm's kernel: the name of its provider, or `tcplan` for kernels that no BLAS
 * has. */
TCPLAN_API const char *tcplan_algorithm_provider_name(const struct tcplan_algorithm *algorithm);

enum { TCPLAN_ALGORITHM_LIBRARIES = 2 };

/**
 * The libraries that emitted C of an algorithm is linked with: its provider's, and the CBLAS where
 * that may make some of the calls; none where the kernel is emitted itself.
 *
 * @return how many
 */
TCPLAN_API int tcplan_algorithm_libraries(const struct tcplan_algorithm *algorithm,
                                          enum tcplan_provider library[TCPLAN_ALGORITHM_LIBRARIES]);

/**
 * The algorithm's name, unique within its contraction. There is one grammar:
 *
 *   name     = [ head ] loop { [ "." ] loop } [ "." ] "-" kernel | [ head "-" ] kernel
 *   head     = "'" [ copies ] [ "." ]
 *   loop     = index [ ":" step ] [ "=" ] [ "|" ] [ "'" [ copies ] ] | index [ ":" step ] "+"
 *            those with a plus behind all others
 *   copies   = [ "A" layout ] [ "B" layout ] [ "C" layout [ "r" ] [ "s" ] ]       at least one
 *   layout   = [ "t" ] [ "p" ] [ "+" padding ]
 *   kernel   = letter name [ "@" provider [ "'" way ] ]                           BLAS's own
 *            without a provider
 *   way      = [ vectors "x" columns ] [ "u" products ] [ "s" ]                   at least one
 *
 * Loops stand from the outside in; an index without a loop is in the kernel, fused with others of
 * its kind (a batch index in mul and loops only; `i+`: a contracted index over which brgemm sums up
 * products; `i:8+`: the steps of one). `a:8` runs over a in steps of 8, `a` inside of it over the
 * points of a tile, as does `a:2` over shorter steps in it; `=` marks contracted loops whose first
 * iteration starts with beta (all of them or none), `|` the parallel loop, or both of two. An
 * apostrophe stands for copies inside the loop before it, in front for those outside all loops: by
 * itself for all that the rules of the `blas` space make there, with letters for those of A, B and
 * C, whatever the tensors are called; `t`: turned, `p`: in panels, `+8`: padded by 8 elements, `r`:
 * the result is read first, `s`: streamed. Behind the apostrophe of a provider stand a tile in
 * registers, how many products a round of the loop has, and `s` where the kernel streams the
 * result: `dgemm@emitted'3x4u8`, `dgemm@emitted's`. `ca-dgemv`, `i'c-dgemm`, `a:8'Cs.a-dgemm`,
 * `'AtB.c|-dgemm@libxsmm`, `i:16='B-dgemm`, `c.i+-dbrgemm@libxsmm`.
 *
 * Dots stand between loops where an index name is longer than a letter or begins with A, B or C, or
 * some loop has more to it than a bare apostrophe.
 *
 * @return a string to be freed with free(), or NULL if memory runs out or this is no algorithm of
 *         the contraction
 */
TCPLAN_API char *tcplan_algorithm_name(const struct tcplan_algorithm *algorithm,
                                       const struct tcplan_contraction *contraction,
                                       enum tcplan_dtype dtype);

/**
 * Finds an algorithm by its name. Dots and, where a name has none at all, apostrophes may be left
 * out: the copies that the BLAS needs are then made by the rules of the `blas` space. The algorithm
 * has splits numbered as their steps come from the outside in, and 0 in unused entries.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if the contraction has no such algorithm: `error` says what was
 *         found and expected, and names the nearest algorithms of the `blas` space where the name
 *         could be of one; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_algorithm_parse(struct tcplan_algorithm *out,
                                                     const struct tcplan_contraction *contraction,
                                                     enum tcplan_dtype dtype, const char *name,
                                                     struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
