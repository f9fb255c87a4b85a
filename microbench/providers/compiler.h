/** The C compiler of the machine: from source text to code in this process, without a shell. */
#ifndef MICROBENCH_COMPILER_H
#define MICROBENCH_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/deadline.h"
#include "tcplan/status.h"

/** A compiler; its strings live as long as the program. */
struct compiler {
    const char *path;
    const char *name; /**< name of the file that the path finally refers to, such as
                         `x86_64-linux-gnu-gcc-12` */
    double limit_seconds;
    const char *folder; /**< folder for files; NULL: files are in memory or, if that is impossible,
                           below $TMPDIR or /tmp */
};

/** Finds `cc` on the program search path, once for each process; returns false if there is none. */
bool compiler_find(struct compiler *out);

/** Returns the compiler options, which identify stored code. */
const char *compiler_options(void);

/**
 * Compiles a source as a shared object. The compiler and all its children end with this call, and
 * with this process, however it ends.
 * @param object    receives its bytes, to be released with free()
 * @param deadline  ends the compiler early, also by cancellation
 * @return TCPLAN_OK; TCPLAN_CANCELLED if the deadline passed first; TCPLAN_ENVIRONMENT if the
 *   compiler cannot be started, fails, or exceeds its own time limit, or a file cannot be written,
 *   with the reason in `error`; TCPLAN_NO_MEMORY
 */
enum tcplan_status compiler_build(void **object, size_t *size, const struct compiler *compiler,
                                  const char *text, struct deadline deadline,
                                  struct tcplan_error *error);

/**
 * Loads a shared object for the rest of the program's life, without leaving a file.
 * @param library  receives a handle for symbol_find()
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if a file cannot be written or the object cannot be opened;
 *   TCPLAN_NO_MEMORY
 */
enum tcplan_status compiler_load(void **library, const struct compiler *compiler,
                                 const void *object, size_t size, struct tcplan_error *error);

#endif
