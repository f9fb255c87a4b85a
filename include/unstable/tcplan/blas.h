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
    const char *name;    /**< of the library, or the name of its file where that does not tell */
    const char *version; /**< `unknown` if it does not tell */
    const char *core;    /**< the core type whose kernels it selected; `unknown`, too */
    const char *text;    /**< what is known of these: `OpenBLAS 0.3.21 (SkylakeX)` */
};

/** Asks the BLAS that tcplan is linked with what it is. The strings live as long as the program. */
TCPLAN_API struct tcplan_blas tcplan_blas_info(void);

/** What a provider is. The strings live as long as the program. */
struct tcplan_provider_info {
    const char *name; /**< of the library, as OpenBLAS, or the name of the file where that does not
                         tell */
    const char *version; /**< NULL: not known */
    const char *core;    /**< the core type or instruction set whose kernels it selected; NULL: not
                            known */
    const char *file;    /**< of providers that were opened, and of a linked BLAS that does not tell
                            what it is: the whole path; NULL for others */
};

/** Asks what a provider is; false if this program lacks it. */
TCPLAN_API bool tcplan_provider_info(struct tcplan_provider_info *out,
                                     enum tcplan_provider provider);

/** The files that providers were opened from, NULL if none was: what struct tcplan_emit_options has
 * for programs to be linked with. */
TCPLAN_API void tcplan_provider_files(const char *out[TCPLAN_PROVIDER_FILES]);

/**
 * Opens a CBLAS with 32-bit integers, to be a provider as long as the program runs: the next of
 * TCPLAN_PROVIDER_FILE_1 and its successors, or the one that the same file already is. Its symbols
 * stay its own: it neither sees nor replaces those of the BLAS that tcplan is linked with. Rankings
 * that other threads make meanwhile may know it or not.
 *
 * @param file  a shared library; its constructors run
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if the file is missing or cannot be read; TCPLAN_INVALID if
 *         it is no shared library, lacks a routine or has 64-bit integers, or if
 *         TCPLAN_PROVIDER_FILES are open; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_provider_open(enum tcplan_provider *out, const char *file,
                                                   struct tcplan_error *error);

/**
 * Names the routines of an opened file that computed small products of whole numbers otherwise than
 * nested loops do. Each routine is tried before its first kernel is timed or executed; kernels of
 * those that are wrong do not apply.
 *
 * @param out  receives `'FILE' computes small products wrongly by ddot, dgemm`; untouched if there
 *             is none
 * @return whether there is one, of those that were tried so far
 */
TCPLAN_API bool tcplan_provider_wrong(char out[TCPLAN_MESSAGE_SIZE], enum tcplan_provider provider);

#ifdef __cplusplus
}
#endif

#endif
