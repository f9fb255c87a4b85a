/**
 * Emits a C library for many planned contractions: one function for each, one header, one CMake
 * file and one test.
 *
 * A library is a folder. It holds NAME.c for every function and the files of enum
 * tcplan_emit_library_file, to which each function adds a piece, so that a library of any number
 * of functions is written in constant memory:
 *
 *   each file:      text of tcplan_emit_library_begin()
 *   each function:  NAME.c from tcplan_emit_library_source();
 *                   each file: text of tcplan_emit_library_function()
 *   each file:      text of tcplan_emit_library_end()
 *
 * The folder needs a C11 compiler, CMake 3.21, a CBLAS, and libxsmm or BLIS if some kernel is
 * theirs. C++ programs may include the header, Fortran programs use the module.
 */
#ifndef TCPLAN_EMIT_LIBRARY_H
#define TCPLAN_EMIT_LIBRARY_H

#include "tcplan/nest.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Parts of a library other than its functions. */
enum tcplan_emit_library_file {
    TCPLAN_EMIT_LIBRARY_HEADER,  /**< contractions.h: declares every function */
    TCPLAN_EMIT_LIBRARY_FORTRAN, /**< contractions.f90: a module with an interface of each function;
                                    CONTRACTIONS_FORTRAN builds it */
    TCPLAN_EMIT_LIBRARY_CMAKE,   /**< CMakeLists.txt: target contractions::contractions, and a CTest
                                    test per function */
    TCPLAN_EMIT_LIBRARY_TEST, /**< test_contractions.c: compares every function, at its own sizes,
                                 with the sums that define it */
    TCPLAN_EMIT_LIBRARY_FILES
};

/** One function of a library; all pointers are borrowed. */
struct tcplan_emit_library_entry {
    const char *function; /**< name of the function, made by tcplan_emit_library_names() */
    const struct tcplan_problem *problem;
    const struct tcplan_nest *nest;
    const char *remark; /**< remark for the header's comment, such as the origin of the contraction;
                           NULL: no remark */
    int threads;        /**< number of threads, as in struct tcplan_emit_options */
    const char *const *blas_files; /**< paths of BLAS libraries, as in struct tcplan_emit_options */
};

/** Returns the name of a file within the folder. */
TCPLAN_API const char *tcplan_emit_library_file_name(enum tcplan_emit_library_file file);

/**
 * Makes names for functions: `contract_`, then the letters and digits of a text, with one
 * underscore for any other characters between them: `ccsd/t1 a10 i5` becomes
 * `contract_ccsd_t1_a10_i5`. The text's id is appended to names that are equal except for case, or
 * longer than 128 bytes. A name therefore depends on the set of texts, not on their order.
 *
 * @param out    receives `count` names, to be freed with tcplan_emit_library_names_free()
 * @param texts  `count` texts
 * @param ids    distinguishes each text from similar ones: up to 32 letters and digits
 * @return TCPLAN_OK, TCPLAN_INVALID if two texts and their ids would give the same name,
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_emit_library_names(char ***out, const char *const texts[],
                                                        const char *const ids[], size_t count,
                                                        struct tcplan_error *error);

/** Frees names; does nothing if `names` is NULL. */
TCPLAN_API void tcplan_emit_library_names_free(char **names, size_t count);

/**
 * These functions each write a piece of a file to a text that the caller frees with free().
 *
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_emit_library_begin(char **out,
                                                        enum tcplan_emit_library_file file,
                                                        struct tcplan_error *error);
TCPLAN_API enum tcplan_status tcplan_emit_library_function(
    char **out, enum tcplan_emit_library_file file, const struct tcplan_emit_library_entry *entry,
    struct tcplan_error *error);
TCPLAN_API enum tcplan_status tcplan_emit_library_end(char **out,
                                                      enum tcplan_emit_library_file file,
                                                      struct tcplan_error *error);

/** Writes the text of NAME.c, as tcplan_emit_c() does, including the library's header. The caller
 * frees the text with free(). Returns a status of tcplan_emit_c(). */
TCPLAN_API enum tcplan_status tcplan_emit_library_source(
    char **out, const struct tcplan_emit_library_entry *entry, struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
