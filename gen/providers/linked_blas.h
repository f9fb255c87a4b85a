/**
 * The CBLAS and LAPACK that tcplan was built with (TCPLAN_BLAS), as emitted files say them.
 */
#ifndef GEN_PROVIDERS_LINKED_BLAS_H
#define GEN_PROVIDERS_LINKED_BLAS_H

#include "base/strbuf.h"

/** What the linker needs for libraries as TCPLAN_BLAS names them, NULL behind the last: `-lblis
 * -llapack`, or files and where the loader finds them. */
void emit_libraries(struct strbuf *out, const char *const *library);

/** For those that tcplan was built with: `-lopenblas`. */
void emit_linked_blas(struct strbuf *out);

/** The line of CMake that sets CBLAS_LIBRARY where it is not set: OpenBLAS is looked for, others
 * are named. */
void emit_linked_blas_cmake(struct strbuf *out);

#endif
