/**
 * Providers: the properties of each library that need no sizes. Each provider has a file in
 * ast/providers/. gen/providers/ prints its calls as C; microbench/providers/ executes them.
 * docs/extending.md explains how to add a provider.
 */
#ifndef AST_ALGORITHM_PROVIDER_H
#define AST_ALGORITHM_PROVIDER_H

#include "tcplan/algorithm.h"

struct provider_traits {
    const char *library;    /**< name of the library in fingerprints of a machine; NULL: a file or
                               compiled code, which is not a property of the machine */
    bool is_cblas;          /**< whether the provider has the classes of every CBLAS */
    unsigned kernels;       /**< bit set of further kernel classes */
    unsigned fetches_ahead; /**< bit set of classes whose calls may prefetch the next call's
                               operands */
    bool goes_by_columns; /**< whether its gemm computes a few columns of the result at a time from
                             all of both factors, without cache blocking */
    bool takes_any_strides; /**< whether neither dimension of a matrix need be contiguous */
    bool splits_groups; /**< whether fused indices of the provider's gemm need not be consecutive in
                           memory */
    bool conjugates_whatever; /**< whether the provider conjugates any factor, even if the BLAS
                                 routine of the class cannot */
    bool streams;             /**< whether its kernels may write results with non-temporal stores */
    bool is_compiled; /**< whether its kernels are compiled; this usually takes longer than a call,
                         so none is compiled only to estimate a candidate */
    bool is_whole;    /**< whether the provider computes whole contractions only, without loops and
                         copies */
};

/**
 * Defines a provider of the list, `provider_traits_NAME`. The name of its library is required;
 * other members follow as designated initializers.
 */
#define PROVIDER_TRAITS(NAME, LIBRARY, ...)                                                        \
    const struct provider_traits provider_traits_##NAME = {.library = LIBRARY, __VA_ARGS__}

#define PROVIDER_TRAITS_DECLARE(NUMBER, name)                                                      \
    extern const struct provider_traits provider_traits_##name;
TCPLAN_PROVIDER_LIST(PROVIDER_TRAITS_DECLARE)

/** Returns the properties of a provider. */
const struct provider_traits *provider_traits_of(enum tcplan_provider provider);

enum { PROVIDER_NAME_BYTES = 32 };

/**
 * Names a TAPP library that is being opened. A name consists of letters, digits, `_`, `-` and `.`.
 * @return false, with nothing changed, if the name is malformed, too long, or the name of another
 *     provider
 */
bool provider_set_name(enum tcplan_provider provider, const char *name);

/** Returns whether a provider may have kernels of a class. */
bool provider_has_kernel(enum tcplan_provider provider, enum tcplan_kernel kernel);

#endif
