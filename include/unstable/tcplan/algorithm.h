/**
 * Algorithms: the indices inside the BLAS kernel, the order of the loops over the others, and the
 * places of copies.
 *
 * The `full` space has every combination that tcplan_nest_build() accepts. The `blas` space within
 * it is the dissertation's (section 6.1): one kernel, every choice of its indices, every order of
 * the loops around it. A kernel takes at most one free index of A (m), one free index of B (n) and
 * one contracted index (k); together they determine the kernel: k dot, m or n axpy, k and m or n
 * gemv, m and n ger, all three gemm. Batch indices are always loops. A contraction whose indices
 * are all batch indices uses dots of one element. In the `full` space, several indices may share a
 * role, and batch indices may be inside mul, an element-wise product that no BLAS has. Indices in
 * A or B only are summed over by the copy of their operand. The rest follows from rules:
 *
 * - An operand with indices of its own is copied to a temporary, which sums over these indices, at
 *   the place where matrices are copied.
 * - If the kernel cannot conjugate an operand itself, a copy to a temporary at the same place does.
 * - A matrix operand is copied if neither dimension has unit stride, or if a stride in the kernel
 *   is 0 or less. The copy is in the outermost legal loop (inside the last loop that the operand
 *   depends on) and keeps the tensor's order of dimensions. The same holds for the result, whose
 *   temporary is first filled from the result if its values are needed.
 * - beta is passed to the kernel if the kernel has a beta and no contracted loop surrounds it.
 *   Otherwise, unless it is 1, the result is scaled (beta = 0: zeroed) in the innermost legal
 *   place: directly around the outermost contracted loop, or directly before the kernel.
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
 * enumeration, then others. `name` is the routine for real types without its type letter. Each
 * class is a file `name`.c in ast/kernels/, gen/kernels/ and microbench/kernels/. The numbers
 * below, the tables of these folders and their lists of source files are made from this list.
 *
 * - mul, our own: C[v] := alpha * A[v] * B[v] + beta * C[v], the element-wise product of vectors of
 *   any strides
 * - brgemm, libxsmm's: C := A_1 B_1 + A_2 B_2 + ... + beta * C, a sum of products of equally spaced
 *   matrices
 * - loops, emitted for the call: C := alpha * A * B + beta * C over any indices with any strides,
 *   including indices in one factor only
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
 * The roles of indices in a kernel: m, n and k of a matrix product; h for batch (Hadamard)
 * indices, which only mul and loops take; r for contracted indices, or the steps of one, over
 * which brgemm sums products.
 */
enum tcplan_role { TCPLAN_M, TCPLAN_N, TCPLAN_K, TCPLAN_H, TCPLAN_R, TCPLAN_ROLES };

enum {
    TCPLAN_MAX_TILES = 8,       /**< maximum number of splits in an algorithm */
    TCPLAN_MAX_PADDING = 65535, /**< maximum padding of a temporary, in elements */
    TCPLAN_MAX_VECTORS = 6,     /**< maximum number of vectors in a column of a register tile */
    TCPLAN_MAX_COLUMNS = 32,
    TCPLAN_MAX_UNROLL = 64
};

/**
 * Splits the index `index` into tiles of `step` points: one loop runs over the tiles, the index
 * itself over the points of a tile. An index may be split more than once. Outer steps are then
 * longer than inner ones and multiples of them.
 */
struct tcplan_split {
    uint8_t index;
    int32_t step; /**< length of a tile, at least 1; the last tile may be shorter */
};

/** The temporary that the kernel uses in place of an operand. */
struct tcplan_operand_copy {
    int8_t depth; /**< number of loops around the copy; -1: there is no copy, the operand is used in
                     place */
    bool transposed; /**< whether the dimension of the second role is contiguous instead of that of
                        the first. Roles in order: A m k, B k n, C m n */
    bool read;     /**< result only: the temporary is first filled from the result if its values are
                      needed, and copied back as it is; false: the kernel assigns to the temporary,
                      which is added to the result when it is copied back */
    bool streamed; /**< only for the result: whether the copy back, or the kernel if there is no
                      copy, uses non-temporal stores */
    bool panels;   /**< whether the data of each step inside the copy is contiguous (packing);
                      otherwise all tiles together form one matrix */
    uint16_t padding; /**< number of unused elements at the end of the contiguous dimension, which
                         enlarge the leading dimension */
};

/**
 * Register blocking of a kernel that is emitted for its call: the tile of the result kept in
 * registers, and the unrolling of the innermost loop. The numerical result does not depend on the
 * blocking. A member that is 0 is chosen by counting the kernel's instructions.
 */
struct tcplan_register_tile {
    uint8_t vectors; /**< number of vectors of the instruction set along the contiguous dimension */
    uint8_t columns; /**< number of columns of the tile; 0 if and only if `vectors` is 0 */
    uint8_t unroll;  /**< number of products in one iteration of the unrolled loop */
};

/**
 * One algorithm: everything that decides which calls are made, in which order, and on which
 * temporaries. A value of some hundred bytes: copy it freely, but begin with
 * tcplan_algorithm_empty(). Its name determines it completely.
 *
 * An index that is split has two numbers: its own denotes the points within a tile, and index_count
 * + s the steps of split number s. The steps are a loop; or, for the last split of an index whose
 * points are in k, a member of r. In that case the step divides the extent, or there is one step.
 */
struct tcplan_algorithm {
    enum tcplan_kernel kernel;
    enum tcplan_provider provider;    /**< library of the kernel */
    struct tcplan_register_tile tile; /**< register blocking; only for emitted kernels */
    uint64_t group[TCPLAN_ROLES]; /**< the set of indices in each role; r may also contain steps.
                                     Several indices in a role are fused: they act as one */
    struct tcplan_operand_copy copy[TCPLAN_OPERANDS];
    bool starts; /**< whether the first iteration of contracted loops applies beta, or assigns to
                    the result's temporary; false: the result, or its temporary, is scaled before
                    these loops */
    int8_t parallel; /**< position in `loop` of the loop whose iterations the threads share; -1: no
                        loop is shared */
    bool collapsed;  /**< whether threads share the iterations of the parallel loop and the next
                        inner loop together */
    uint8_t split_count; /**< number of splits, at most TCPLAN_MAX_TILES */
    uint8_t loop_count;
    struct tcplan_split split[TCPLAN_MAX_TILES];
    uint8_t loop[TCPLAN_MAX_INDICES]; /**< the loops from the outside in; an algorithm has at most
                                         TCPLAN_MAX_INDICES indices and splits together */
};

/** Returns an algorithm without loops, copies and kernel indices, to be filled in. */
TCPLAN_API struct tcplan_algorithm tcplan_algorithm_empty(void);

/** Returns whether two algorithms of a contraction, made by tcplan_algorithm_parse() or the
 * enumerator, are the same. */
TCPLAN_API bool tcplan_algorithm_equal(const struct tcplan_algorithm *a,
                                       const struct tcplan_algorithm *b);

/**
 * Returns whether an algorithm belongs to the `blas` space: at most one index in each role, the
 * BLAS kernel that the roles determine, and copies and beta by the rules above.
 */
TCPLAN_API bool tcplan_algorithm_in_blas_space(const struct tcplan_algorithm *algorithm,
                                               const struct tcplan_contraction *contraction);

/** Walks through all algorithms of a contraction in a fixed order without storing them. */
struct tcplan_enumerator {
    const struct tcplan_contraction *contraction; /**< borrowed */
    struct tcplan_algorithm next;                 /**< private */
    bool done;                                    /**< private */
};

/** Starts an enumeration. Algorithms are ordered by kernel (dot, axpy, gemv, ger, gemm), then by
 * kernel indices, then by order of the loops. */
TCPLAN_API void tcplan_enumerator_init(struct tcplan_enumerator *out,
                                       const struct tcplan_contraction *contraction);

/** Writes the next algorithm to `out`; returns false if all have been enumerated. */
TCPLAN_API bool tcplan_enumerator_next(struct tcplan_enumerator *enumerator,
                                       struct tcplan_algorithm *out);

/**
 * Counts the algorithms by a formula. With C contracted, a and b free indices of A and B, and n
 * indices in all, not counting those in A or B only: dot C (n-1)!, axpy (a+b) (n-1)!, gemv C (a+b)
 * (n-2)!, ger a b (n-2)!, gemm a b C (n-3)!; b! if all b indices are batch indices.
 *
 * @param count  receives the number of algorithms of each kernel and, last, their sum
 * @return TCPLAN_OK or TCPLAN_OVERFLOW when a number does not fit
 */
TCPLAN_API enum tcplan_status tcplan_algorithm_count(const struct tcplan_contraction *contraction,
                                                     uint64_t count[TCPLAN_KERNELS + 1]);

/** Returns the name of a kernel without its type letter, such as `dot`, `axpy`, `gemv`, `ger`,
 * `gemm`, `mul`, `brgemm`; `dotu` and `geru` where the type is complex. */
TCPLAN_API const char *tcplan_kernel_name(enum tcplan_kernel kernel, enum tcplan_dtype dtype);

/** Returns the name of the provider of an algorithm's kernel, or `tcplan` for kernels that no BLAS
 * has. */
TCPLAN_API const char *tcplan_algorithm_provider_name(const struct tcplan_algorithm *algorithm);

enum { TCPLAN_ALGORITHM_LIBRARIES = 2 };

/**
 * Returns the libraries to link with an algorithm's emitted C: its provider's, and the CBLAS if
 * that may execute some calls; no library if the kernel itself is emitted.
 *
 * @return their number
 */
TCPLAN_API int tcplan_algorithm_libraries(const struct tcplan_algorithm *algorithm,
                                          enum tcplan_provider library[TCPLAN_ALGORITHM_LIBRARIES]);

/**
 * Returns the algorithm's name, unique within its contraction. There is one grammar:
 *
 *   name     = [ head ] loop { [ "." ] loop } [ "." ] "-" kernel | [ head "-" ] kernel
 *   head     = "'" [ copies ] [ "." ]
 *   loop     = index [ ":" step ] [ "=" ] [ "|" ] [ "'" [ copies ] ] | index [ ":" step ] "+"
 *            those with a plus behind all others
 *   copies   = [ "A" layout ] [ "B" layout ] [ "C" layout [ "r" ] [ "s" ] ]       at least one
 *   layout   = [ "t" ] [ "p" ] [ "+" padding ]
 *   kernel   = letter name [ "@" provider [ "'" way ] ] | "tapp@" library
 *            without a provider, the kernel of the BLAS; `tapp` computes the whole contraction
 *   way      = [ vectors "x" columns ] [ "u" products ] [ "s" ]                   at least one
 *
 * Loops are listed from the outside in. An index without a loop is in the kernel, fused with
 * others of its kind (a batch index in mul and loops only; `i+`: a contracted index over which
 * brgemm sums up products; `i:8+`: the steps of one). `a:8` runs over a in steps of 8, an inner
 * `a` over the points of a tile, and an inner `a:2` over shorter steps within the tile; `=` marks
 * contracted loops whose first iteration starts with beta (all of them or none), `|` the parallel
 * loop; with two of them, threads share the iterations of both loops. An apostrophe denotes copies
 * inside the loop before it; at the start, copies outside all loops. Alone it denotes all copies
 * that the rules of the `blas` space make there; with letters, those of A, B and C (operands, not
 * tensor names). `t`: transposed, `p`: packed in panels, `+8`: padded by 8 elements, `r`: the
 * result is read first, `s`: written with non-temporal stores. After the apostrophe of a provider
 * come the register tile, the products in one round of the loop, and `s` if the kernel uses
 * non-temporal stores: `dgemm@emitted'3x4u8`, `dgemm@emitted's`. `ca-dgemv`, `i'c-dgemm`,
 * `a:8'Cs.a-dgemm`, `'AtB.c|-dgemm@libxsmm`, `i:16='B-dgemm`, `c.i+-dbrgemm@libxsmm`.
 *
 * Dots separate loops if an index name is longer than a letter or begins with A, B or C, or if a
 * loop has more than a bare apostrophe.
 *
 * @return a string to be freed with free(), or NULL if memory runs out or the contraction has no
 *         such algorithm
 */
TCPLAN_API char *tcplan_algorithm_name(const struct tcplan_algorithm *algorithm,
                                       const struct tcplan_contraction *contraction,
                                       enum tcplan_dtype dtype);

/**
 * Finds an algorithm by its name. Dots may be omitted. If all apostrophes are omitted, the copies
 * that the BLAS needs follow from the rules of the `blas` space. Splits are numbered by their steps
 * from the outside in; unused entries are 0.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if the contraction has no such algorithm: `error` states the
 *         value found, the expected form and the nearest names of the `blas` space, if any;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_algorithm_parse(struct tcplan_algorithm *out,
                                                     const struct tcplan_contraction *contraction,
                                                     enum tcplan_dtype dtype, const char *name,
                                                     struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
