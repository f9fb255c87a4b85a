/**
 * The calls of providers in emitted C: which ones a provider can make, and their text. A table of
 * functions, with one file in gen/providers/ for each provider.
 */
#ifndef GEN_PROVIDERS_PROVIDER_CODE_H
#define GEN_PROVIDERS_PROVIDER_CODE_H

#include "gen/emit/parts.h"

/** A limit on some property of some calls. */
struct provider_limit {
    unsigned kernels; /**< the calls it applies to: sets of classes and types, as bits */
    unsigned dtypes;
    int64_t most;
    int64_t (*amount)(const struct blas_call *call, enum tcplan_dtype dtype);
    const char *what;
};

enum { PROVIDER_ANY = ~0 }; /* all classes, or all types */

struct provider_code {

    /** limits beyond the BLAS integer, see gen/providers/provider.c; a property grows with the
     * extents */
    const struct provider_limit *limits;
    int limit_count;

    /** Emits the conditions for EINVAL in functions with extents as arguments
     * (gen/emit/extents.h), beyond the BLAS integer; NULL: none. */
    void (*emit_limits)(const struct emitter *emitter, const struct emit_call *call);

    /**
     * Returns whether it has the routine of a supported class (ast/providers/) for these operands
     * and factors; NULL: always. Matrices have a contiguous dimension, unless it takes any strides.
     */
    bool (*takes)(const struct blas_call *call, enum tcplan_dtype dtype);

    /** Returns whether that routine may be the fastest; NULL: always. */
    bool (*may_win)(const struct blas_call *call, enum tcplan_dtype dtype);

    bool needs_extents; /**< if extents are arguments of the emitted function, the BLAS makes the
                           calls instead */

    bool calls_cblas; /**< some of the calls are, or may be, CBLAS calls, whose threads the function
                         sets */
    bool includes_first; /**< its header must precede those of C */

    /** Adds the lines that include its header, and other declarations for its calls. */
    void (*emit_include)(struct strbuf *out);

    /** Adds its linker arguments; `file` is the file that it was opened from; NULL: unknown. */
    void (*emit_link)(struct strbuf *out, const char *file);

    /** The lines that find it in an emitted library's CMakeLists.txt, if `links` contains the text
     * of emit_link(); NULL: it is the CBLAS, which is always found. */
    const char *cmake;

    /** Adds functions that the calls need, before the emitted function; NULL: none. */
    void (*emit_functions)(const struct emitter *emitter, const struct emit_call *call);

    /** Emit the statements before the loops, and those of a call; NULL: the class's CBLAS calls
     * (gen/kernels/kernel_code.h). */
    void (*emit_setup)(const struct emitter *emitter, const struct emit_call *call);
    void (*emit)(const struct emitter *emitter, const struct emit_call *call);

    /** Adds the run-time condition that it can make the calls; otherwise the BLAS makes them.
     * NULL: always true. */
    void (*emit_condition)(const struct emitter *emitter, const struct emit_call *call);

    /** A sentence about that for the file's comment; NULL: none. */
    const char *remark;

    /** Prefixes of names in its header, and names of variables in its setup; each list ends with
     * NULL or is NULL. */
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
