/**
 * Algorithms: which indices go into the BLAS kernel, and in which order the others are looped over.
 *
 * The `blas` space is the dissertation's (section 6.1): one kernel, every choice of its indices, every order of the loops around
 * it. A kernel takes at most one free index of A (m), one free index of B (n) and one contracted index (k); which of them it has decides
 * what it is: k dot, m or n axpy, k and m or n gemv, m and n ger, all three gemm. Batch indices are always loops. A contraction
 * with batch indices only has the dot of one element.
 *
 * Copies and the zeroing of the result follow from contraction and algorithm (see tcplan/nest.h) and are not stored.
 */
#ifndef TCPLAN_ALGORITHM_H
#define TCPLAN_ALGORITHM_H

#include "tcplan/problem.h"
#include "tcplan/provider.h"

/** The BLAS kernels, in the order of the enumeration. */
enum tcplan_kernel { TCPLAN_DOT, TCPLAN_AXPY, TCPLAN_GEMV, TCPLAN_GER, TCPLAN_GEMM, TCPLAN_KERNELS };

/** The roles an index can have inside a kernel. */
enum tcplan_role { TCPLAN_M, TCPLAN_N, TCPLAN_K, TCPLAN_ROLES };

/** The index `index` in steps: one loop runs over the steps, the index itself over the points of a step's tile. */
struct tcplan_split {
    uint8_t index;
    int32_t step; /**< at least 1; the last tile may be smaller */
};

/**
 * What an algorithm of the `full` space chooses beside kernel and loops. An index that is split has two numbers: its own stands for the points
 * within a tile, index_count + s for the steps of split number s. Several indices may share a role: fused, they act as one.
 */
struct tcplan_choices {
    bool made;           /**< false: an algorithm of the `blas` space, where everything follows from the rules of tcplan/nest.h */
    bool streamed;       /**< the result's temporary is written out with non-temporal stores */
    uint8_t split_count; /**< at most TCPLAN_MAX_TILES */
    struct tcplan_split split[TCPLAN_MAX_TILES];
    uint64_t group[TCPLAN_ROLES];       /**< the set of indices fused in each role */
    int8_t copy_depth[TCPLAN_OPERANDS]; /**< the number of loops around the copy of each operand; -1: none, it is used in place */
    bool turned[TCPLAN_OPERANDS];       /**< the temporary has its second role contiguous: A m k, B k n, C m n is the order otherwise */
    enum tcplan_provider provider;      /**< whose kernel */
    int8_t parallel;                    /**< the loop, from the outside, whose iterations threads share; -1: none */
};

/** One algorithm. A value of some hundred bytes: copy it freely. */
struct tcplan_algorithm {
    enum tcplan_kernel kernel;
    int8_t role[TCPLAN_ROLES]; /**< the index in each role, the first of its group where several are fused; or -1 */
    uint8_t loop_count;
    uint8_t
        loop[TCPLAN_MAX_INDICES]; /**< loop indices from the outside in; indices and steps of an algorithm are TCPLAN_MAX_INDICES at most */
    struct tcplan_choices choices;
};

/** Walks through all algorithms of a contraction in a fixed order without storing them. */
struct tcplan_enumerator {
    const struct tcplan_contraction *contraction; /**< borrowed */
    struct tcplan_algorithm next;                 /**< private */
    bool done;                                    /**< private */
};

/** Starts an enumeration: dot, axpy, gemv, ger, gemm; then kernel indices; then loop orders, each in index order. */
TCPLAN_API void tcplan_enumerator_init(struct tcplan_enumerator *out, const struct tcplan_contraction *contraction);

/** Writes the next algorithm to `out`; false when there is none left. */
TCPLAN_API bool tcplan_enumerator_next(struct tcplan_enumerator *enumerator, struct tcplan_algorithm *out);

/**
 * The number of algorithms, by formula. With C contracted, a and b free indices of A and B, and n indices in all:
 * dot C (n-1)!, axpy (a+b) (n-1)!, gemv C (a+b) (n-2)!, ger a b (n-2)!, gemm a b C (n-3)!; b! if all b indices are batch indices.
 *
 * @param count  receives the number of algorithms of each kernel and, last, their sum
 * @return TCPLAN_OK or TCPLAN_OVERFLOW when a number does not fit
 */
TCPLAN_API enum tcplan_status tcplan_algorithm_count(const struct tcplan_contraction *contraction, uint64_t count[TCPLAN_KERNELS + 1]);

/** The BLAS name of a kernel without its type letter, as `dot`, `axpy`, `gemv`, `ger`, `gemm`; `dotu` and `geru` where the type is complex. */
TCPLAN_API const char *tcplan_kernel_name(enum tcplan_kernel kernel, enum tcplan_dtype dtype);

/**
 * The algorithm's name, unique within its contraction.
 *
 * In the `blas` space: loops from the outside in, an apostrophe after a loop that carries copies (in front of all loops where none carries
 * it), a hyphen, the kernel: `ca-dgemv`, `i'c-dgemm`; `dgemm` without loops. Where index names are longer than a letter, loops are separated by
 * dots: `row'.k-dgemv`.
 *
 * With choices, loops are always separated by dots, and an index without a loop is in the kernel, fused with others of its kind:
 *
 *   name     = [ "'" copies ] loop { "." loop } [ "." ] "-" kernel | kernel     the first loop after a dot, too, where copies are in front
 *   loop     = index [ ":" step ] [ "=" ] [ "|" ] [ "'" copies ]
 *   copies   = [ "A" [ "t" ] ] [ "B" [ "t" ] ] [ "C" [ "t" ] [ "s" ] ]           at least one
 *   kernel   = letter name [ "@" provider ]                                      BLAS's own without a provider
 *
 * `a:8` runs over a in steps of 8, `a` inside of it over the points of a tile; `=` marks contracted loops, `|` the parallel one. Copied operands
 * are A, B, C whatever the tensors are called; `t`: turned, `s`: streamed. The last dot is there where something is copied and an index is
 * called A, B, C or starts so. `a:8'Cs.a-dgemm`, `'AtB.c|-dgemm@libxsmm`, `i:16='B-dgemm`.
 *
 * An algorithm whose choices make the nest that the rules of the `blas` space make as well (no tiles, no copies, no contracted or parallel
 * loop, an index per role at most, the BLAS's kernel named by its roles) has that one's name and is not what the name parses to.
 *
 * @param contraction  the algorithm's own, or that of a nest built of it
 * @return a string to be freed with free(), or NULL when memory is out or this is no algorithm of the contraction
 */
TCPLAN_API char *tcplan_algorithm_name(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                                       enum tcplan_dtype dtype);

/**
 * Finds an algorithm by its name: of the `blas` space, where apostrophes may be left out, or with choices. The latter have splits
 * numbered as their steps come from the outside in, roles that name the first index of their group, and 0 in unused entries.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID where the contraction has no such algorithm: `error` says what is wrong with a name that has choices
 *         and names the nearest algorithms of the `blas` space otherwise; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_algorithm_parse(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction,
                                                     enum tcplan_dtype dtype, const char *name, struct tcplan_error *error);

#endif
