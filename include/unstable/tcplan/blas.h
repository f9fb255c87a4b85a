/**
 * The BLAS that kernels run on, and the other providers of kernels.
 */
#ifndef TCPLAN_BLAS_H
#define TCPLAN_BLAS_H

#include "tcplan/provider.h"
#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcplan_blas {
    const char *name; /**< name of the library, or of its file if the library does not report one */
    const char *version; /**< version of the library; `unknown` if it does not report one */
    const char *core;    /**< the core type whose kernels the library selected; `unknown` if it does
                            not report one */
    const char *text;    /**< all known parts together, such as `OpenBLAS 0.3.21 (SkylakeX)` */
};

/** Identifies the BLAS that tcplan is linked with. The strings are static. */
TCPLAN_API struct tcplan_blas tcplan_blas_info(void);

/** Identity of a provider. The strings are static. */
struct tcplan_provider_info {
    const char *name; /**< name of the library, such as OpenBLAS, or of the file if the library does
                         not report one */
    const char *version; /**< version of the library; NULL if unknown */
    const char *core; /**< the core type or instruction set whose kernels the library selected; NULL
                         if unknown */
    const char *file; /**< the whole path, for opened providers and for a linked BLAS that does not
                         identify itself; NULL for all others */
};

/** Identifies a provider; returns false if this program lacks it. */
TCPLAN_API bool tcplan_provider_info(struct tcplan_provider_info *out,
                                     enum tcplan_provider provider);

/** Lists the file of each opened provider, in the form that struct tcplan_emit_options expects;
 * NULL for other providers. */
TCPLAN_API void tcplan_provider_files(const char *out[TCPLAN_PROVIDER_FILES]);

/**
 * Opens a CBLAS with 32-bit integers, which remains a provider until the program ends: the next
 * free one from TCPLAN_PROVIDER_FILE_1 on, or, if the file is already open, the provider that it
 * has. Its symbols are private: it neither sees nor replaces those of the BLAS that tcplan is
 * linked with. Rankings that other threads make at the same time may or may not include it.
 *
 * @param file  a shared library; its constructors run
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if the file is missing or cannot be read; TCPLAN_INVALID if
 *         it is no shared library, lacks a routine or has 64-bit integers, or if
 *         TCPLAN_PROVIDER_FILES are open; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_provider_open(enum tcplan_provider *out, const char *file,
                                                   struct tcplan_error *error);

/**
 * Opens a library with the interface TAPP, which remains a provider until the program ends. Its one
 * algorithm is the whole contraction, `tapp@NAME`. Its symbols are private.
 *
 * A child process tries small products first, and later each product before it is planned; a
 * product that the library refuses is not applicable. Calls in this process are not protected: a
 * library that crashes then ends the program. The child is forked, so open libraries before other
 * threads run.
 *
 * @param name  letters, digits, `_`, `-` and `.`; not the name of another provider
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if the library crashes, hangs, computes wrongly or
 *         refuses all types: it is not a provider then; TCPLAN_ENVIRONMENT if the file cannot be
 *         read; TCPLAN_INVALID for a bad name, or if TCPLAN_PROVIDER_TAPPS are open;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_provider_open_tapp(enum tcplan_provider *out, const char *name,
                                                        const char *file,
                                                        struct tcplan_error *error);

/**
 * Names the routines of an opened file whose small products of whole numbers differ from those of
 * nested loops. Each routine is checked before its first kernel is timed or executed; kernels of
 * wrong routines are not applicable.
 *
 * @param out  receives `'FILE' computes small products wrongly by ddot, dgemm`; untouched if there
 *             is none
 * @return whether a routine checked so far is wrong
 */
TCPLAN_API bool tcplan_provider_wrong(char out[TCPLAN_MESSAGE_SIZE], enum tcplan_provider provider);

#ifdef __cplusplus
}
#endif

#endif
