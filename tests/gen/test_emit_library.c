#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "support/emitted.h"
#include "support/golden.h"
#include "support/random_contraction.h"
#include "tcplan/emit_library.h"

/** A contraction and an algorithm for one function of a library. */
struct source {
    const char *function;
    const char *contraction;
    const char *sizes;
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    const char *algorithm;
    const char *remark;
};

/** All element types and orders; a diagonal, a scalar, copies, alpha and beta, and a result that is
 * too large to check every element. */
static const struct source sources[] = {
    {"contract_gemm", "C_abc=A_ai*B_ibc", "a=12,b=13,c=14,i=8", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR,
     "c-dgemm", "as /* seen */ in *a* paper"},
    {"contract_copies", "C_xacb=2*A_ija*B_jbicx-0.5*C_xacb", "a=12,b=13,c=14,i=8,j=9,x=3",
     TCPLAN_FLOAT, TCPLAN_COLUMN_MAJOR, "xb'i'-sgemm", NULL},
    {"contract_zdot", "C[I,row]=(0,-1)*A[I,for]*B[for,row]+(0.5,2)*C[I,row]", "I=3,for=4,row=5",
     TCPLAN_DOUBLE_COMPLEX, TCPLAN_ROW_MAJOR, "row.I-zdotu", NULL},
    {"contract_outer", "C_abc=A_ai*B_ibc", "a=12,b=13,c=14,i=1", TCPLAN_FLOAT_COMPLEX,
     TCPLAN_COLUMN_MAJOR, "ic-cgeru", NULL},
    {"contract_scalar", "C=A_i*B_i", "i=1000", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "ddot", NULL},
    {"contract_diagonal", "C_ab=A_iia*B_ib+C_ab", "a=20,b=30,i=5", TCPLAN_DOUBLE,
     TCPLAN_COLUMN_MAJOR, "ab-ddot", NULL},
    {"contract_large", "C_ab=A_ai*B_ib", "a=300,b=300,i=300", TCPLAN_DOUBLE, TCPLAN_ROW_MAJOR,
     "dgemm", NULL},
    {"contract_single", "C=A*B", "", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "ddot", NULL},
};
enum { SOURCES = sizeof sources / sizeof *sources };

typedef void entry_use(void *context, const struct tcplan_emit_library_entry *entry);

/** Calls `use` with the library entry of a source. */
static void with_entry(const struct source *source, entry_use *use, void *context) {
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_error error;
    random_contraction_given(&given, source->contraction, source->sizes, source->order,
                             source->dtype);
    if (tcplan_algorithm_parse(&algorithm, given.contraction, source->dtype, source->algorithm,
                               &error))
        fail_msg("%s", error.message);
    assert_int_equal(tcplan_nest_build(&nest, given.contraction, &algorithm, NULL), TCPLAN_OK);
    use(context, &(struct tcplan_emit_library_entry){.function = source->function,
                                                     .problem = &given.problem,
                                                     .nest = nest,
                                                     .remark = source->remark});
    tcplan_nest_free(nest);
    random_contraction_free(&given);
}

/** A file of a library while it is being written. */
struct making {
    struct strbuf text;
    enum tcplan_emit_library_file file;
};

/** Appends `piece` to the file, and frees `piece`. */
static void append(struct making *making, char *piece) {
    strbuf_add(&making->text, "%s", piece);
    free(piece);
}

static void append_function(void *context, const struct tcplan_emit_library_entry *entry) {
    struct making *making = context;
    char *piece = NULL;
    assert_int_equal(tcplan_emit_library_function(&piece, making->file, entry, NULL), TCPLAN_OK);
    append(making, piece);
}

/** Returns the text of one file of a library with the first `count` sources. */
static char *file_text(enum tcplan_emit_library_file file, int count) {
    struct making making = {.file = file};
    char *piece = NULL;
    assert_int_equal(tcplan_emit_library_begin(&piece, file, NULL), TCPLAN_OK);
    append(&making, piece);
    for (int s = 0; s < count; s++) with_entry(&sources[s], append_function, &making);
    assert_int_equal(tcplan_emit_library_end(&piece, file, NULL), TCPLAN_OK);
    append(&making, piece);
    return strbuf_finish(&making.text);
}

static void check_file(const char *golden, enum tcplan_emit_library_file file) {
    char *text = file_text(file, 3);
    golden_check(golden, text);
    free(text);
}

static void the_header_declares_the_functions_for_c_and_cpp(void **state) {
    (void)state;
    check_file("emit/library.h", TCPLAN_EMIT_LIBRARY_HEADER);
}

static void the_module_has_the_functions_for_fortran(void **state) {
    (void)state;
    check_file("emit/library.f90", TCPLAN_EMIT_LIBRARY_FORTRAN);
}

static void the_cmake_file_lists_the_functions(void **state) {
    (void)state;
    check_file("emit/library.cmake", TCPLAN_EMIT_LIBRARY_CMAKE);
}

static void the_test_has_a_row_per_function(void **state) {
    (void)state;
    check_file("emit/library_test.c", TCPLAN_EMIT_LIBRARY_TEST);
}

/** An emitted library in a new folder of the working directory. */
struct folder {
    char path[64];
};

static void write_file(const struct folder *folder, const char *name, const char *extension,
                       char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s%s", folder->path, name, extension);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    free(text);
}

static void write_source(void *context, const struct tcplan_emit_library_entry *entry) {
    char *text = NULL;
    assert_int_equal(tcplan_emit_library_source(&text, entry, NULL), TCPLAN_OK);
    write_file(context, entry->function, ".c", text);
}

static void write_library(struct folder *folder) {
    *folder = (struct folder){.path = "library-XXXXXX"};
    assert_non_null(mkdtemp(folder->path));
    for (int f = 0; f < TCPLAN_EMIT_LIBRARY_FILES; f++) {
        const enum tcplan_emit_library_file file = (enum tcplan_emit_library_file)f;
        write_file(folder, tcplan_emit_library_file_name(file), "", file_text(file, SOURCES));
    }
    for (int s = 0; s < SOURCES; s++) with_entry(&sources[s], write_source, folder);
}

/** Runs a command in the library's folder, with its output in the file `log`. Returns the exit
 * status. */
static int run(const struct folder *folder, const char *command) {
    char line[512];
    snprintf(line, sizeof line, "cd %s && { %s; } >log 2>&1", folder->path, command);
    const int status = system(line); /* NOLINT: the command line is a constant of this test */
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check_run(const struct folder *folder, const char *command, int expected) {
    char show[128];
    const int status = run(folder, command);
    if (status == expected) return;
    snprintf(show, sizeof show, "cat %s/log", folder->path);
    if (system(show)) fail_msg("no log"); /* NOLINT: the command line is a constant of this test */
    fail_msg("in %s: %s: exit status %d, expected %d", folder->path, command, status, expected);
}

static void remove_library(const struct folder *folder) {
    assert_int_equal(run(folder, "rm -rf \"$PWD\""), 0);
}

#define BUILD                                                                                      \
    TCPLAN_CC " -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror *.c -o program -lopenblas -lm"

static void the_test_passes_at_every_type_and_order(void **state) {
    (void)state;
    struct folder folder;
    write_library(&folder);
    check_run(&folder, BUILD, 0);
    check_run(&folder, "OPENBLAS_NUM_THREADS=1 ./program", 0);
    check_run(&folder, "test \"$(./program | grep -c ': passed: ')\" -eq 8", 0);
    check_run(
        &folder,
        "OPENBLAS_NUM_THREADS=1 ./program contract_large | grep -q ' 13981 of 90000 elements compared'",
        0);
    check_run(&folder, "./program contract_gemm contract_missing", 2);
    check_run(&folder, "CONTRACTIONS_TEST_BYTES=20000 ./program contract_gemm contract_single", 77);
    remove_library(&folder);
}

/** Changes a factor in one function: the library's own test must fail. */
static void the_test_notices_a_wrong_result(void **state) {
    (void)state;
    struct folder folder;
    write_library(&folder);
    check_run(
        &folder,
        "sed -i '0,/1\\.0, A/s//1.0001, A/' contract_gemm.c && sed -i 's/i_row < 5/i_row < 4/' contract_zdot.c",
        0);
    check_run(&folder, BUILD, 0);
    check_run(&folder, "./program contract_copies contract_scalar", 0);
    check_run(&folder, "./program contract_gemm", 1);
    check_run(&folder, "./program contract_zdot", 1);
    check_run(&folder, "./program", 1);
    remove_library(&folder);
}

static void cpp_programs_call_the_functions(void **state) {
    (void)state;
    struct folder folder;
    if (!emitted_has_compiler("c++")) skip();
    write_library(&folder);
    check_run(
        &folder,
        "printf '%s\\n' '#include \"contractions.h\"' 'int main() { const std::complex<double> A[12] = {2.0}, B[20] = {3.0};' "
        "'std::complex<double> C[15] = {};' "
        "'return contract_zdot(A, B, C) == 0 && C[0] == std::complex<double>(0, -6) ? 0 : 1; }' >user.cpp",
        0);
    check_run(&folder, TCPLAN_CC " -c contract_zdot.c", 0);
    check_run(
        &folder,
        "c++ -Wall -Wextra -Wpedantic -Werror user.cpp contract_zdot.o -o user -lopenblas && ./user",
        0);
    remove_library(&folder);
}

static const char *const ids[] = {"1a", "2b", "3c", "4d"};

static void check_names(const char *const texts[], const char *const expected[], size_t count) {
    char **names = NULL;
    struct tcplan_error error;
    if (tcplan_emit_library_names(&names, texts, ids, count, &error)) fail_msg("%s", error.message);
    for (size_t n = 0; n < count; n++) assert_string_equal(names[n], expected[n]);
    tcplan_emit_library_names_free(names, count);
}

static void names_are_made_of_the_letters_and_digits_of_a_text(void **state) {
    (void)state;
    check_names((const char *const[]){"ccsd/t1 a10 i5", "C_ab", "--int--", ""},
                (const char *const[]){"contract_ccsd_t1_a10_i5", "contract_C_ab", "contract_int",
                                      "contract"},
                4);
    check_names((const char *const[]){"2x", "\xC3\xA4\";*/"},
                (const char *const[]){"contract_2x", "contract"}, 2);
    check_names(NULL, NULL, 0);
}

static void names_that_would_be_the_same_end_in_the_id(void **state) {
    (void)state;
    check_names((const char *const[]){"a-b", "A_B", "a b c", "a+b"},
                (const char *const[]){"contract_a_b_1a", "contract_A_B_2b", "contract_a_b_c",
                                      "contract_a_b_4d"},
                4);
}

static void long_names_are_cut_and_stay_apart(void **state) {
    (void)state;
    char text[400];
    char **names = NULL;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_int_equal(
        tcplan_emit_library_names(&names, (const char *const[]){text, text}, ids, 2, NULL),
        TCPLAN_OK);
    assert_true(strlen(names[0]) <= 128);
    assert_string_equal(strrchr(names[0], '_'), "_1a");
    assert_string_equal(strrchr(names[1], '_'), "_2b");
    tcplan_emit_library_names_free(names, 2);
}

static void a_text_and_id_that_come_twice_are_refused(void **state) {
    (void)state;
    struct tcplan_error error = {0};
    char **names = NULL;
    assert_int_equal(tcplan_emit_library_names(&names, (const char *const[]){"one", "two", "one"},
                                               (const char *const[]){"7", "8", "7"}, 3, &error),
                     TCPLAN_INVALID);
    assert_null(names);
    assert_non_null(strstr(error.message, "\"one\" of id 7"));
}

static void names_without_memory_are_reported(void **state) {
    (void)state;
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    long successes = 0;
    for (; status == TCPLAN_NO_MEMORY && successes < 1000; successes++) {
        char **names = NULL;
        base_alloc_fail_after(successes);
        status = tcplan_emit_library_names(&names, (const char *const[]){"a-b", "a+b", "c"}, ids, 3,
                                           NULL);
        base_alloc_fail_after(-1);
        assert_true(status == TCPLAN_OK ? names != NULL : !names);
        tcplan_emit_library_names_free(names, 3);
    }
    assert_int_equal(status, TCPLAN_OK);
    assert_true(successes > 5);
}

static void fail_every_allocation(void *context, const struct tcplan_emit_library_entry *entry) {
    const enum tcplan_emit_library_file *file = context;
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    for (long successes = 0; status == TCPLAN_NO_MEMORY && successes < 1000; successes++) {
        char *text = NULL;
        base_alloc_fail_after(successes);
        status = tcplan_emit_library_function(&text, *file, entry, NULL);
        base_alloc_fail_after(-1);
        assert_true(status == TCPLAN_OK ? text != NULL : !text);
        free(text);
    }
    assert_int_equal(status, TCPLAN_OK);
}

static void files_without_memory_are_reported(void **state) {
    (void)state;
    for (int f = 0; f < TCPLAN_EMIT_LIBRARY_FILES; f++) {
        enum tcplan_emit_library_file file = (enum tcplan_emit_library_file)f;
        char *text = NULL;
        base_alloc_fail_after(0);
        assert_int_equal(tcplan_emit_library_begin(&text, file, NULL), TCPLAN_NO_MEMORY);
        assert_int_equal(tcplan_emit_library_end(&text, file, NULL), TCPLAN_NO_MEMORY);
        base_alloc_fail_after(-1);
        assert_null(text);
        with_entry(&sources[0], fail_every_allocation, &file);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_declares_the_functions_for_c_and_cpp),
        cmocka_unit_test(the_module_has_the_functions_for_fortran),
        cmocka_unit_test(the_cmake_file_lists_the_functions),
        cmocka_unit_test(the_test_has_a_row_per_function),
        cmocka_unit_test(the_test_passes_at_every_type_and_order),
        cmocka_unit_test(the_test_notices_a_wrong_result),
        cmocka_unit_test(cpp_programs_call_the_functions),
        cmocka_unit_test(names_are_made_of_the_letters_and_digits_of_a_text),
        cmocka_unit_test(names_that_would_be_the_same_end_in_the_id),
        cmocka_unit_test(long_names_are_cut_and_stay_apart),
        cmocka_unit_test(a_text_and_id_that_come_twice_are_refused),
        cmocka_unit_test(names_without_memory_are_reported),
        cmocka_unit_test(files_without_memory_are_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
