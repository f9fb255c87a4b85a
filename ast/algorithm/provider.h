/**
 * Providers: what there is to know of one without sizes, one file a library in ast/providers/. How
 * its calls are written as C is in gen/providers/, how they are made in microbench/providers/.
 * docs/extending.md says how to add one.
 */
#ifndef AST_ALGORITHM_PROVIDER_H
#define AST_ALGORITHM_PROVIDER_H

#include "tcplan/algorithm.h"

struct provider_traits {
    const char *library; /**< what fingerprints call it; NULL: it is opened as a file, or compiled,
                            and not what a machine has */
    bool is_cblas;       /**< it has the classes that every CBLAS has */
    unsigned kernels;    /**< the classes that it has besides: bit k stands for class k */
    unsigned fetches_ahead; /**< the classes whose calls may fetch what the next one reads */
    bool goes_by_columns;   /**< its gemm goes through both factors for some columns of the result
                               after the other, without blocks for caches */
    bool takes_any_strides; /**< neither dimension of a matrix need be contiguous */
    bool splits_groups; /**< indices that its gemm fuses need not continue each other in memory */
    bool conjugates_whatever; /**< it takes the conjugate of any factor, whatever the class's
                                 routine of a BLAS does */
    bool streams;             /**< its kernels may write results past the caches */
    bool is_compiled; /**< a compiler makes its code, call by call, which takes longer than most
                         calls: none is timed just to be rated */
};

/**
 * Defines a library of the list, `provider_traits_NAME`. A file without the name of its library
 * does not compile. Other members follow as designated initializers.
 */
#define PROVIDER_TRAITS(NAME, LIBRARY, ...)                                                        \
    const struct provider_traits provider_traits_##NAME = {.library = LIBRARY, __VA_ARGS__}

#define PROVIDER_TRAITS_DECLARE(NUMBER, name)                                                      \
    extern const struct provider_traits provider_traits_##name;
TCPLAN_PROVIDER_LIST(PROVIDER_TRAITS_DECLARE)

/** The provider with a number. */
const struct provider_traits *provider_traits_of(enum tcplan_provider provider);

/** Whether a provider may have kernels of a class. */
bool provider_has_kernel(enum tcplan_provider provider, enum tcplan_kernel kernel);

#endif
