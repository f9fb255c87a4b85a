/**
 * How emitted C calls a provider: which calls the provider can make, and their text. Each provider
 * has a table of functions in a file of gen/providers/.
 */
#ifndef GEN_PROVIDERS_PROVIDER_CODE_H
#define GEN_PROVIDERS_PROVIDER_CODE_H

#include "gen/emit/parts.h"

/** A limit on a number that some calls have, such as the bytes of a matrix. */
struct provider_limit {
    unsigned kernels; /**< sets of kernel classes and element types that the limit applies to, as
                         bits */
    unsigned dtypes;
    int64_t most;
    int64_t (*amount)(const struct blas_call *call, enum tcplan_dtype dtype);
    const char *what;
};

enum { PROVIDER_ANY = ~0 }; /* the set of all kernel classes, or all types */

struct provider_code {

    /** limits beyond the BLAS integer, see gen/providers/provider.c. The limited numbers never
     * decrease when an extent grows */
    const struct provider_limit *limits;
    int limit_count;

    /** Emits conditions for EINVAL, beyond the BLAS integer, in functions with extents as
     * arguments; NULL: none. */
    void (*emit_limits)(const struct emitter *emitter, const struct emit_call *call);

    /**
     * Returns whether the provider has a routine of a supported class (ast/providers/) for these
     * operands, alpha and beta; NULL: always. Matrices have a contiguous dimension, unless the
     * provider takes any strides.
     */
    bool (*takes)(const struct blas_call *call, enum tcplan_dtype dtype);

    /** Returns whether the routine may be faster than other providers'; NULL: always. */
    bool (*may_win)(const struct blas_call *call, enum tcplan_dtype dtype);

    bool needs_extents; /**< whether kernels have fixed extents: if extents are arguments, the
                           function calls the BLAS instead */

    bool calls_cblas; /**< whether some calls are, or may be, CBLAS calls, whose number of threads
                         the function sets */
    bool includes_first; /**< whether the provider's header must precede those of C */

    /** Appends the lines that include the provider's header, and other declarations for its calls.
     */
    void (*emit_include)(struct strbuf *out);

    /** Appends the linker arguments of the provider, which was opened from `file`; NULL: unknown.
     * The function is NULL if emitted C contains the kernels, and needs only -lm. */
    void (*emit_link)(struct strbuf *out, const char *file);

    /** CMake lines that find the provider for an emitted library, needed if `links` contains the
     * text of emit_link(). NULL: the provider is the CBLAS, which is always found. */
    const char *cmake;

    /** Adds functions that the calls need, before the emitted function; NULL: none. */
    void (*emit_functions)(const struct emitter *emitter, const struct emit_call *call);

    /** Emit statements before the loops, and those of a call; NULL: CBLAS calls of the kernel class
     * (gen/kernels/kernel_code.h). */
    void (*emit_setup)(const struct emitter *emitter, const struct emit_call *call);
    void (*emit)(const struct emitter *emitter, const struct emit_call *call);

    /** Prints the run-time condition that the provider can make the calls; otherwise the BLAS makes
     * them. NULL: always true. */
    void (*emit_condition)(const struct emitter *emitter, const struct emit_call *call);

    /** Sentence about the condition of emit_condition() for the comment at the beginning of the
     * file; NULL: none. */
    const char *remark;

    /** Text that continues "Returns 0" in the file's comment if calls may fail; `%s` stands for the
     * result. NULL: no call fails. */
    const char *failure;

    /** Prefixes of names in the provider's header, and names of variables in its statements; each
     * list ends with NULL or is NULL. */
    const char *const *prefixes;
    const char *const *variables;
};

/**
 * Defines the C of a library, `provider_code_NAME`. A file without a header and a link line does
 * not compile. Other members follow as designated initializers.
 */
#define PROVIDER_CODE(NAME, INCLUDE, LINK, ...)                                                    \
    const struct provider_code provider_code_##NAME = {                                            \
        .emit_include = INCLUDE, .emit_link = LINK, __VA_ARGS__}

#define PROVIDER_CODE_DECLARE(NUMBER, name) extern const struct provider_code provider_code_##name;
TCPLAN_PROVIDER_LIST(PROVIDER_CODE_DECLARE)
extern const struct provider_code provider_code_emitted;
extern const struct provider_code provider_code_tapp;

const struct provider_code *provider_code_of(enum tcplan_provider provider);

/** Returns a size in bytes for a type; INT64_MAX on overflow. */
int64_t provider_bytes(int64_t elems, enum tcplan_dtype dtype);

#endif
