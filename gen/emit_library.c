#include "tcplan/emit_library.h"

#include <assert.h>
#include <stdlib.h>

#include "ast/contraction.h"
#include "base/error.h"
#include "gen/emit_interface.h"
#include "gen/emit_library_parts.h"
#include "gen/emit_text.h"
#include "tcplan/emit.h"
#include "tcplan/strides.h"
#include "tcplan/version.h"

static const char *const file_name[TCPLAN_EMIT_LIBRARY_FILES] = {"contractions.h", "contractions.f90", "CMakeLists.txt",
                                                                 "test_contractions.c"};

const char *tcplan_emit_library_file_name(enum tcplan_emit_library_file file) {
    return file_name[file];
}

static const char *const header_begin =
    "/*\n"
    " * Planned contractions: every function computes one contraction at fixed sizes by the algorithm that was predicted to be fastest.\n"
    " * Operands come in the order of the notation, the result last. All are dense unless strides are given, and pointers are to the element\n"
    " * whose indices are all 0. The result must not overlap the others, which may overlap each other. A function returns 0, or ENOMEM when a\n"
    " * temporary cannot be had; the result is then untouched.\n"
    " *\n"
    " * Emitted by tcplan " TCPLAN_VERSION_STRING ".\n"
    " */\n"
    "#ifndef CONTRACTIONS_H\n"
    "#define CONTRACTIONS_H\n"
    "\n"
    "/* The complex types, which lie in memory alike in both languages. */\n"
    "#ifdef __cplusplus\n"
    "#include <complex>\n"
    "typedef std::complex<float> contractions_complex_float;\n"
    "typedef std::complex<double> contractions_complex_double;\n"
    "extern \"C\" {\n"
    "#else\n"
    "typedef float _Complex contractions_complex_float;\n"
    "typedef double _Complex contractions_complex_double;\n"
    "#endif\n";

static const char *const header_end = "\n"
                                      "#ifdef __cplusplus\n"
                                      "}\n"
                                      "#endif\n"
                                      "\n"
                                      "#endif\n";

static const char *const fortran_begin =
    "! Planned contractions for Fortran: interfaces of the functions in contractions.h, which says more.\n"
    "! A function returns 0, or an error number of C where a temporary cannot be had.\n"
    "!\n"
    "! Emitted by tcplan " TCPLAN_VERSION_STRING ".\n"
    "module contractions\n"
    "  use, intrinsic :: iso_c_binding, only: c_int, c_float, c_double, c_float_complex, c_double_complex\n"
    "  implicit none\n"
    "  private :: c_int, c_float, c_double, c_float_complex, c_double_complex\n";

static const char *const fortran_end = "end module\n";

static const char *const cmake_begin =
    "# A library of planned contractions, emitted by tcplan " TCPLAN_VERSION_STRING ".\n"
    "#\n"
    "#   cmake -S . -B build && cmake --build build && ctest --test-dir build\n"
    "#\n"
    "# or add_subdirectory() and link contractions::contractions. Another CBLAS than OpenBLAS: -DCBLAS_LIBRARY=FILE -DCBLAS_INCLUDE_DIR=DIR.\n"
    "cmake_minimum_required(VERSION 3.21)\n"
    "project(contractions LANGUAGES C)\n"
    "\n"
    "option(CONTRACTIONS_FORTRAN \"Build the module for Fortran: contractions::contractions_fortran\" OFF)\n"
    "option(CONTRACTIONS_TESTS \"Build the test of the contractions\" ${PROJECT_IS_TOP_LEVEL})\n"
    "if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)\n"
    "    set(CMAKE_BUILD_TYPE Release)\n"
    "endif()\n"
    "\n"
    "set(contractions\n";

static const char *const cmake_end =
    ")\n"
    "\n"
    "# What the functions' kernels need, as their own lines say.\n"
    "set(links \"\")\n"
    "set(files \"\")\n"
    "foreach(contraction IN LISTS contractions)\n"
    "    file(STRINGS ${contraction}.c link LIMIT_COUNT 1 REGEX \"^ [*] link: \")\n"
    "    string(APPEND links \"${link} \")\n"
    "    if(link MATCHES \"link: '?(/[^']*[.]so[^ ']*)\")\n"
    "        list(APPEND files \"${CMAKE_MATCH_1}\")\n"
    "    endif()\n"
    "endforeach()\n"
    "list(REMOVE_DUPLICATES files)\n"
    "list(LENGTH files file_count)\n"
    "if(file_count EQUAL 1 AND NOT links MATCHES \"-lopenblas\")\n"
    "    set(CBLAS_LIBRARY \"${files}\" CACHE FILEPATH \"The CBLAS that was planned for\")\n"
    "elseif(file_count GREATER 0)\n"
    "    message(WARNING \"Planned with kernels of several CBLAS libraries; one serves all of them: CBLAS_LIBRARY\")\n"
    "endif()\n"
    "find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas REQUIRED)\n"
    "find_library(CBLAS_LIBRARY NAMES openblas cblas REQUIRED)\n"
    "set(includes ${CBLAS_INCLUDE_DIR})\n"
    "set(libraries ${CBLAS_LIBRARY})\n"
    "if(links MATCHES \"-lxsmm \")\n"
    "    find_path(LIBXSMM_INCLUDE_DIR libxsmm.h REQUIRED)\n"
    "    find_library(LIBXSMM_LIBRARY xsmm REQUIRED)\n"
    "    find_package(Threads REQUIRED)\n"
    "    list(APPEND includes ${LIBXSMM_INCLUDE_DIR})\n"
    "    set(libraries ${LIBXSMM_LIBRARY} ${CBLAS_LIBRARY} ${CMAKE_THREAD_LIBS_INIT} ${CMAKE_DL_LIBS} rt m)\n"
    "endif()\n"
    "if(links MATCHES \"-lblis \") # behind the CBLAS, as it holds one too\n"
    "    find_path(BLIS_INCLUDE_DIR NAMES blis/blis.h blis.h REQUIRED)\n"
    "    find_library(BLIS_LIBRARY blis REQUIRED)\n"
    "    list(APPEND includes ${BLIS_INCLUDE_DIR})\n"
    "    list(APPEND libraries ${BLIS_LIBRARY})\n"
    "endif()\n"
    "if(links MATCHES \"-fopenmp\") # threads share loops\n"
    "    find_package(OpenMP REQUIRED COMPONENTS C)\n"
    "    list(APPEND libraries ${OpenMP_C_LIBRARIES})\n"
    "endif()\n"
    "\n"
    "list(TRANSFORM contractions APPEND .c OUTPUT_VARIABLE sources)\n"
    "add_library(contractions ${sources} contractions.h)\n"
    "add_library(contractions::contractions ALIAS contractions)\n"
    "set_target_properties(contractions PROPERTIES C_STANDARD 11 POSITION_INDEPENDENT_CODE ON PUBLIC_HEADER contractions.h)\n"
    "target_include_directories(contractions PRIVATE ${includes}\n"
    "    INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)\n"
    "separate_arguments(openmp_options NATIVE_COMMAND \"${OpenMP_C_FLAGS}\")\n"
    "target_compile_options(contractions PRIVATE ${openmp_options})\n"
    "target_link_libraries(contractions PRIVATE ${libraries})\n"
    "install(TARGETS contractions EXPORT contractions)\n"
    "install(EXPORT contractions NAMESPACE contractions:: FILE contractionsConfig.cmake DESTINATION lib/cmake/contractions)\n"
    "\n"
    "if(CONTRACTIONS_FORTRAN)\n"
    "    enable_language(Fortran)\n"
    "    add_library(contractions_fortran contractions.f90)\n"
    "    add_library(contractions::contractions_fortran ALIAS contractions_fortran)\n"
    "    set_target_properties(contractions_fortran PROPERTIES Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/modules)\n"
    "    target_include_directories(contractions_fortran PUBLIC ${CMAKE_CURRENT_BINARY_DIR}/modules)\n"
    "    target_link_libraries(contractions_fortran PUBLIC contractions)\n"
    "endif()\n"
    "\n"
    "# Each function at its own sizes. A test is skipped where its tensors take more than 1 GiB, or than CONTRACTIONS_TEST_BYTES in the\n"
    "# environment says.\n"
    "if(CONTRACTIONS_TESTS)\n"
    "    enable_testing()\n"
    "    add_executable(test_contractions test_contractions.c)\n"
    "    set_target_properties(test_contractions PROPERTIES C_STANDARD 11)\n"
    "    target_link_libraries(test_contractions PRIVATE contractions m)\n"
    "    foreach(contraction IN LISTS contractions)\n"
    "        add_test(NAME ${contraction} COMMAND test_contractions ${contraction})\n"
    "        set_tests_properties(${contraction} PROPERTIES SKIP_RETURN_CODE 77)\n"
    "    endforeach()\n"
    "endif()\n";

static const char *header_type(enum tcplan_dtype dtype) {
    static const char *const type[TCPLAN_DTYPES] = {"float", "double", "contractions_complex_float", "contractions_complex_double"};
    return type[dtype];
}

/** The contraction, its sizes, how its tensors lie, its algorithm, the remark. */
static void add_facts(struct strbuf *out, const struct tcplan_emit_library_entry *entry) {
    const struct tcplan_contraction *contraction = entry->problem->contraction;
    char *text = tcplan_contraction_text(contraction);
    char *algorithm = tcplan_algorithm_name(&entry->nest->algorithm, contraction, entry->problem->dtype);
    if (!text || !algorithm) out->failed = true;
    strbuf_add(out, "%s; %s\n", text, contraction->order == TCPLAN_COLUMN_MAJOR ? "column-major" : "row-major");
    emit_sizes(out, entry->problem);
    if (contraction_is_strided(contraction)) {
        char *strides = tcplan_strides_text(contraction);
        strbuf_add(out, "\nstrides %s", strides ? strides : "");
        out->failed = out->failed || !strides;
        free(strides);
    }
    strbuf_add(out, "\n%s\n", algorithm);
    if (entry->remark) strbuf_add(out, "%s\n", entry->remark);
    free(algorithm);
    free(text);
}

static void add_declaration(struct strbuf *out, const struct emitter *emitter, const char *comment) {
    strbuf_add(out, "\n");
    emit_comment(out, comment);
    emit_prototype(out, emitter, header_type(emitter->problem->dtype));
    strbuf_add(out, ";\n");
}

/** What a header, or a module, says of a function. */
static void add_interface(struct strbuf *out, enum tcplan_emit_library_file file, const struct tcplan_emit_library_entry *entry) {
    struct strbuf facts = {0};
    struct emitter emitter = {
        .out = out, .nest = entry->nest, .problem = entry->problem, .function = entry->function, .threads = entry->threads};
    emit_name_operands(&emitter);
    add_facts(&facts, entry);
    char *comment = strbuf_finish(&facts);
    if (!comment) out->failed = true;
    if (comment && file == TCPLAN_EMIT_LIBRARY_HEADER) add_declaration(out, &emitter, comment);
    if (comment && file == TCPLAN_EMIT_LIBRARY_FORTRAN) emit_fortran_function(out, &emitter, comment);
    free(comment);
}

static enum tcplan_status finish(char **out, struct strbuf *text, struct tcplan_error *error) {
    char *finished = strbuf_finish(text);
    if (!finished) return error_no_memory(error);
    *out = finished;
    return TCPLAN_OK;
}

enum tcplan_status tcplan_emit_library_begin(char **out, enum tcplan_emit_library_file file, struct tcplan_error *error) {
    struct strbuf text = {0};
    switch (file) {
    case TCPLAN_EMIT_LIBRARY_HEADER: strbuf_add(&text, "%s", header_begin); break;
    case TCPLAN_EMIT_LIBRARY_FORTRAN: strbuf_add(&text, "%s", fortran_begin); break;
    case TCPLAN_EMIT_LIBRARY_CMAKE: strbuf_add(&text, "%s", cmake_begin); break;
    case TCPLAN_EMIT_LIBRARY_TEST: emit_library_test_begin(&text); break;
    case TCPLAN_EMIT_LIBRARY_FILES: assert(false); break;
    }
    return finish(out, &text, error);
}

enum tcplan_status tcplan_emit_library_function(char **out, enum tcplan_emit_library_file file,
                                                const struct tcplan_emit_library_entry *entry, struct tcplan_error *error) {
    struct strbuf text = {0};
    switch (file) {
    case TCPLAN_EMIT_LIBRARY_HEADER:
    case TCPLAN_EMIT_LIBRARY_FORTRAN: add_interface(&text, file, entry); break;
    case TCPLAN_EMIT_LIBRARY_CMAKE: strbuf_add(&text, "    %s\n", entry->function); break;
    case TCPLAN_EMIT_LIBRARY_TEST: emit_library_test_row(&text, entry->function, entry->problem); break;
    case TCPLAN_EMIT_LIBRARY_FILES: assert(false); break;
    }
    return finish(out, &text, error);
}

enum tcplan_status tcplan_emit_library_end(char **out, enum tcplan_emit_library_file file, struct tcplan_error *error) {
    struct strbuf text = {0};
    switch (file) {
    case TCPLAN_EMIT_LIBRARY_HEADER: strbuf_add(&text, "%s", header_end); break;
    case TCPLAN_EMIT_LIBRARY_FORTRAN: strbuf_add(&text, "%s", fortran_end); break;
    case TCPLAN_EMIT_LIBRARY_CMAKE: strbuf_add(&text, "%s", cmake_end); break;
    case TCPLAN_EMIT_LIBRARY_TEST: emit_library_test_end(&text); break;
    case TCPLAN_EMIT_LIBRARY_FILES: assert(false); break;
    }
    return finish(out, &text, error);
}

enum tcplan_status tcplan_emit_library_source(char **out, const struct tcplan_emit_library_entry *entry, struct tcplan_error *error) {
    const struct tcplan_emit_options options = {.function = entry->function,
                                                .header = file_name[TCPLAN_EMIT_LIBRARY_HEADER],
                                                .threads = entry->threads,
                                                .blas_files = entry->blas_files};
    return tcplan_emit_c(out, entry->nest, entry->problem, &options, error);
}
