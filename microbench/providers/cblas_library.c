#include "microbench/providers/cblas_library.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "microbench/providers/symbol.h"
#include "microbench/providers/threads.h"

static enum tcplan_status refuse_long_integers(const char *path, struct tcplan_error *error) {
    return error_set(error, TCPLAN_INVALID,
                     "'%s' takes 64-bit integers; a CBLAS with 32-bit integers is needed", path);
}

/** Copies the first word of `text`, which ends before the first character of `ends`. */
static void copy_version(struct cblas_library *out, const char *text, const char *ends) {
    snprintf(out->version, sizeof out->version, "%.*s", (int)strcspn(text, ends), text);
}

/** Parses `OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...`. */
static enum tcplan_status describe_openblas(struct cblas_library *out, void *library,
                                            const char *path, struct tcplan_error *error) {
    char *(*config)(void);
    char *(*core)(void);
    if (!symbol_find(library, "openblas_get_config", &config)) return TCPLAN_OK;
    const char *text = config();
    if (strstr(text, "USE64BITINT")) return refuse_long_integers(path, error);
    out->name = "OpenBLAS";
    copy_version(out, strchr(text, ' ') ? strchr(text, ' ') + 1 : text, " ");
    if (symbol_find(library, "openblas_get_corename", &core)) out->core = core();
    symbol_find(library, "openblas_set_num_threads", &out->set_int_threads);
    symbol_find(library, "openblas_get_num_threads", &out->int_threads);
    return TCPLAN_OK;
}

static enum tcplan_status describe_blis(struct cblas_library *out, void *library, const char *path,
                                        struct tcplan_error *error) {
    const char *(*version)(void);
    int64_t (*integer_bits)(void);
    int (*arch)(void);
    const char *(*arch_name)(int);
    if (!symbol_find(library, "bli_info_get_version_str", &version)) return TCPLAN_OK;
    if (symbol_find(library, "bli_info_get_blas_int_type_size", &integer_bits) &&
        integer_bits() == 64)
        return refuse_long_integers(path, error);
    out->name = "BLIS";
    copy_version(out, version(), "");
    if (symbol_find(library, "bli_arch_query_id", &arch) &&
        symbol_find(library, "bli_arch_string", &arch_name))
        out->core = arch_name(arch());
    symbol_find(library, "bli_thread_set_num_threads", &out->set_long_threads);
    symbol_find(library, "bli_thread_get_num_threads", &out->long_threads);
    return TCPLAN_OK;
}

/** Parses `Intel(R) oneAPI Math Kernel Library Version 2023.1-Product Build ...`. */
static void describe_mkl(struct cblas_library *out, void *library) {
    static const char mark[] = "Version ";
    void (*version)(char *, int);
    char text[256] = "";
    if (!symbol_find(library, "MKL_Get_Version_String", &version)) return;
    version(text, sizeof text - 1);
    const char *start = strstr(text, mark);
    out->name = "MKL";
    if (start) copy_version(out, start + sizeof mark - 1, " -");
    symbol_find(library, "MKL_Set_Num_Threads", &out->set_int_threads);
    symbol_find(library, "MKL_Get_Max_Threads", &out->int_threads);
}

enum tcplan_status cblas_library_describe(struct cblas_library *out, void *library,
                                          const char *path, struct tcplan_error *error) {
    const char *slash = strrchr(path, '/');
    *out = (struct cblas_library){.name = slash ? slash + 1 : path};
    out->uses_openmp = threads_die_in_forks(library);
    describe_mkl(out, library);
    const enum tcplan_status status = describe_openblas(out, library, path, error);
    return status == TCPLAN_OK ? describe_blis(out, library, path, error) : status;
}

struct tcplan_provider_info cblas_library_info(const struct cblas_library *library) {
    return (struct tcplan_provider_info){.name = library->name,
                                         .version = *library->version ? library->version : NULL,
                                         .core = library->core};
}

void cblas_library_set_threads(const struct cblas_library *library, int64_t threads) {
    if (library->uses_openmp) threads = threads_after_fork(threads);
    if (library->set_int_threads) library->set_int_threads((int)threads);
    if (library->set_long_threads) library->set_long_threads(threads);
}

int64_t cblas_library_threads(const struct cblas_library *library) {
    if (library->long_threads) return library->long_threads();
    return library->int_threads ? library->int_threads() : 0;
}
