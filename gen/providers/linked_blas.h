/**
 * The CBLAS and LAPACK that tcplan was built with (TCPLAN_BLAS), as emitted files name them.
 */
#ifndef GEN_PROVIDERS_LINKED_BLAS_H
#define GEN_PROVIDERS_LINKED_BLAS_H

#include "base/strbuf.h"

/** Adds the linker arguments for a NULL-terminated list of libraries as in TCPLAN_BLAS: `-lblis
 * -llapack`, or files with their run-time paths. */
void emit_libraries(struct strbuf *out, const char *const *library);

/** Appends the linker arguments for the libraries that tcplan was built with: `-lopenblas`. */
void emit_linked_blas(struct strbuf *out);

/** Appends the CMake line that sets CBLAS_LIBRARY if it is unset: it searches for OpenBLAS, or
 * names another library. */
void emit_linked_blas_cmake(struct strbuf *out);

#endif
