/**
 * Kernels whose extents and strides are arguments, for calls when no compiler is available. They
 * are generated once for each type and instruction set when tcplan is built.
 */
#ifndef GEN_EMITTED_GENERAL_H
#define GEN_EMITTED_GENERAL_H

#include "gen/emitted/emitted.h"
#include "gen/emitted/loops.h"
#include "gen/runtime/general.h"
#include "gen/runtime/products.h"

/** Appends the types that the kernels of a file need. */
void general_add_common(struct strbuf *out);

/**
 * Appends the kernel of a type, `void NAME_SET(const struct kernel_gemm *, const T *a, const T *b,
 * T *c)`, and its helpers, whose names begin with NAME.
 */
void general_add_gemm(struct strbuf *out, const char *name, enum tcplan_dtype dtype,
                      enum emitted_set set);

/** Appends the text that the kernels of a single product for some instruction sets share. */
void general_add_shared(struct strbuf *out, const char *name, const struct emitted_gemm *gemm,
                        unsigned sets);

/** Appends the kernel of a single product, `static void NAME_SET(const T *a, const T *b, T *c)`.
 * `only` is what general_blocks_of() returned, and is also the constant NAME_SET_gemm before it. */
void general_add_set(struct strbuf *out, const char *name, const struct emitted_gemm *gemm,
                     enum emitted_set set, const struct kernel_gemm *only);

/** Returns whether a kernel with extents as arguments can make a call. */
bool general_takes(const struct emitted_gemm *gemm, enum emitted_set set);

/** Lays out the tiles of a product that needs no packing, see general_tiles_of(). Returns false if
 * packing is faster. */
bool general_gemm_tiles(struct kernel_tiles *out, bool *exchanged, enum emitted_set *set,
                        const struct emitted_gemm *gemm);

/** Returns whether compiling a kernel for the call is unnecessary, because packing and choosing
 * tiles at run time take a small part of the call. */
bool general_suffices(const struct emitted_gemm *gemm, enum emitted_set set);

/** How the kernel of a product accesses its operands, after a possible exchange of factors. */
struct general_access {
    ptrdiff_t m, n, k;
    ptrdiff_t row;   /**< elements of the result along which it is computed in vectors */
    bool packs;      /**< whether the first factor is packed */
    bool gathers;    /**< whether the first factor is packed element by element */
    bool scatters;   /**< whether the result is written element by element */
    double times[3]; /**< how many times each operand is read, or the result written */
    bool along[3];   /**< whether each operand is accessed along the index in which it is contiguous
                      */
};

/** Describes the access of a product that is lowered, or has no strides: its operands are then
 * contiguous. */
struct general_access general_access_of(const struct emitted_gemm *gemm, enum emitted_set set);

/**
 * Chooses the tile and the blocks of a product.
 *
 * @param turned  receives whether rows and columns are exchanged: the caller must then pass the
 *                factors in reverse order
 */
void general_gemm_of(struct kernel_gemm *out, bool *turned, const struct emitted_gemm *gemm,
                     enum emitted_set set);

/** Chooses the tile and the blocks of a product whose rows and columns are not exchanged. */
void general_blocks_of(struct kernel_gemm *out, const struct emitted_gemm *gemm,
                       enum emitted_set set);

/** Appends the kernel of general loops for a type, `void NAME(const struct kernel_loops *, const T
 * *a, const T *b, T *c)`, and its helpers. */
void general_add_loops(struct strbuf *out, const char *name, enum tcplan_dtype dtype,
                       enum emitted_set set);

/** Returns whether the kernel of general loops can execute simplified loops: the result must be
 * contiguous along one of the loops. */
bool general_takes_loops(const struct emitted_loops *loops);

/** Returns whether compiling a kernel for the loops is unnecessary, because it would be about as
 * fast: rows are long, both factors are read in place, nothing is summed, and one factor depends
 * on all loops. */
bool general_suffices_for_loops(const struct emitted_loops *loops);

/**
 * Chooses the order of loops.
 *
 * @param exchanged  receives whether the caller must pass the factors in reverse order
 */
void general_loops_of(struct kernel_loops *out, bool *exchanged, const struct emitted_loops *loops);

#endif
