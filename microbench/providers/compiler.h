/**
 * The C compiler of the machine: from a text to code in this process, without a shell.
 */
#ifndef MICROBENCH_COMPILER_H
#define MICROBENCH_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/deadline.h"
#include "tcplan/status.h"

/** What compiles; strings live as long as the program. */
struct compiler {
    const char *path;
    const char *name; /**< what the path leads to at last, as `x86_64-linux-gnu-gcc-12` */
    double limit_seconds;
    const char *folder; /**< where its files are; NULL: in memory, or, where that cannot be, below
                           $TMPDIR or /tmp */
};

/** `cc` on the search path of programs, looked for once; false where there is none. */
bool compiler_find(struct compiler *out);

/** The options that it is given, for who keeps what it made. */
const char *compiler_options(void);

/**
 * Compiles a text as a shared object. The compiler and all that it starts end with this call, and
 * with this process, whatever ends that.
 *
 * @param object    receives its bytes, to be freed with free()
 * @param deadline  the compiler is ended then, or when the caller wants that
 * @return TCPLAN_OK; TCPLAN_CANCELLED where the deadline was over first; TCPLAN_ENVIRONMENT where
 *         the compiler cannot be started, fails, or does not end in its own time, or no file can be
 *         written: `error` says which; TCPLAN_NO_MEMORY
 */
enum tcplan_status compiler_build(void **object, size_t *size, const struct compiler *compiler,
                                  const char *text, struct deadline deadline,
                                  struct tcplan_error *error);

/**
 * Opens a shared object, of which no file stays, for as long as the program runs.
 *
 * @param library  receives what symbol_find() takes
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT where no file can be written, or what is there cannot be
 *         opened; TCPLAN_NO_MEMORY
 */
enum tcplan_status compiler_load(void **library, const struct compiler *compiler,
                                 const void *object, size_t size, struct tcplan_error *error);

#endif
