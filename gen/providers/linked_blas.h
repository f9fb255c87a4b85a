/**
 * The CBLAS and LAPACK that tcplan was built with (TCPLAN_BLAS), as emitted files say them.
 */
#ifndef GEN_PROVIDERS_LINKED_BLAS_H
#define GEN_PROVIDERS_LINKED_BLAS_H

#include "base/strbuf.h"

/** Adds the linker arguments for the libraries in TCPLAN_BLAS, a list that NULL ends: `-lblis
 * -llapack`, or files and their run-time paths. */
void emit_libraries(struct strbuf *out, const char *const *library);

/** For those that tcplan was built with: `-lopenblas`. */
void emit_linked_blas(struct strbuf *out);

/** Adds the CMake line that sets CBLAS_LIBRARY if it is not set: OpenBLAS is searched for,
 * others are named. */
void emit_linked_blas_cmake(struct strbuf *out);

#endif
