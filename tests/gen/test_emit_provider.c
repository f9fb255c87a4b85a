/*
 * Tests that emitted C with kernels of every provider compiles and equals naive loops. Providers
 * that were not installed at build time are skipped with a message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ast/algorithm/provider.h"
#include "ast/nest/refine.h"
#include "base/strbuf.h"
#include "gen/providers/linked_blas.h"
#include "gen/providers/provider.h"
#include "support/emitted.h"
#include "support/naive.h"
#include "support/random_contraction.h"
#include "tcplan/blas.h"
#include "tcplan/emit.h"
#include "tcplan/emit_library.h"

/** A contraction for which C is emitted. Together they have all types and orders, alpha and beta, a
 * copy, and accumulation. */
struct source {
    const char *contraction;
    const char *sizes;
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    const char *algorithm;
};

static const struct source sources[] = {
    {"C_abc=A_ai*B_ibc", "a=12,b=13,c=3,i=8", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "c-dgemm"},
    {"C_abc=A_ai*B_bic", "a=12,b=13,c=3,i=8", TCPLAN_FLOAT, TCPLAN_COLUMN_MAJOR, "c-sgemm"},
    {"C_ab+=A_ai*B_ib", "a=20,b=21,i=22", TCPLAN_DOUBLE, TCPLAN_ROW_MAJOR, "dgemm"},
    {"C_abc=A_ija*B_jbic", "a=9,b=8,c=7,i=6,j=5", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "ci'-dgemm"},
    {"C_ab=A_aik*B_kib", "a=9,b=8,i=7,k=3", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "k'-dgemm"},
    {"C_ab=2*A_ia*B_bi-0.5*C_ab", "a=7,b=8,i=9", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "dgemm"},
    {"C_ab=(0,-1)*A_ai*B_ib+(0.5,2)*C_ab", "a=7,b=8,i=9", TCPLAN_DOUBLE_COMPLEX,
     TCPLAN_COLUMN_MAJOR, "zgemm"},
    {"C_abc=A_ia*B_bic", "a=7,b=8,c=3,i=9", TCPLAN_FLOAT_COMPLEX, TCPLAN_ROW_MAJOR, "b-cgemm"},
};
enum { SOURCES = sizeof sources / sizeof *sources, COPIES = 4, COMPLEX = 6 };

static const char *const no_files[TCPLAN_PROVIDER_FILES] = {NULL};

/** A source with a loop nest whose kernel is of the tested provider. */
struct material {
    struct random_contraction given;
    struct tcplan_nest *nest;
    bool has; /* the provider has such a kernel */
};

static struct tcplan_node *find_kernel(const struct tcplan_node *node) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_KERNEL)
            return (struct tcplan_node *)(uintptr_t)node; /* casts const away: the nest was
                                                             allocated as writable memory */
        struct tcplan_node *inner =
            node->kind == TCPLAN_NODE_LOOP ? find_kernel(node->loop.body) : NULL;
        if (inner) return inner;
    }
    return NULL;
}

static void material_init(struct material *out, const struct source *source,
                          enum tcplan_provider provider) {
    struct tcplan_algorithm algorithm;
    struct tcplan_error error;
    struct blas_call call;
    random_contraction_given(&out->given, source->contraction, source->sizes, source->order,
                             source->dtype);
    if (tcplan_algorithm_parse(&algorithm, out->given.contraction, source->dtype, source->algorithm,
                               &error))
        fail_msg("%s", error.message);
    assert_int_equal(tcplan_nest_build(&out->nest, out->given.contraction, &algorithm, NULL),
                     TCPLAN_OK);
    struct tcplan_node *kernel = find_kernel(out->nest->body);
    kernel->kernel.provider = provider;
    kernel->kernel.streamed =
        provider_traits_of(provider)->streams && !kernel->kernel.slice[TCPLAN_C].temporary;
    const struct refined_problem refined =
        problem_refine(&out->given.problem, out->nest->refinement);
    assert_int_equal(blas_call_lower(&call, out->nest, &kernel->kernel, &refined,
                                     (struct blas_call_place){0}, NULL),
                     TCPLAN_OK);
    out->has = blas_call_provider_has(&call, source->dtype, provider);
}

static void material_free(struct material *material) {
    tcplan_nest_free(material->nest);
    random_contraction_free(&material->given);
}

static char *emit(const struct material *material, const struct tcplan_emit_options *options) {
    char *text = NULL;
    struct tcplan_error error;
    if (tcplan_emit_c(&text, material->nest, &material->given.problem, options, &error))
        fail_msg("%s", error.message);
    return text;
}

static void name_function(char name[32], int source) {
    snprintf(name, 32, "function_%d", source);
}

static void check_function(const struct emitted *emitted, const struct material *material,
                           int source) {
    struct naive_case naive;
    char name[32];
    name_function(name, source);
    naive_case_init(&naive, &material->given.problem, 1);
    naive_case_reset(&naive);
    assert_int_equal(emitted_compute(emitted, name, &naive), 0);
    if (naive_case_error(&naive) > naive_tolerance(&material->given.problem))
        fail_msg("%s: wrong", sources[source].contraction);
    naive_case_free(&naive);
}

/** Emits all sources for which the provider has kernels to one file, compiles it, runs it, and
 * compares the results. */
static void check_provider(enum tcplan_provider provider, int least) {
    struct material material[SOURCES];
    struct strbuf all = {0};
    int count = 0;
    for (int s = 0; s < SOURCES; s++) {
        char name[32];
        name_function(name, s);
        material_init(&material[s], &sources[s], provider);
        if (!material[s].has) continue;
        char *text = emit(&material[s], &(struct tcplan_emit_options){.function = name});
        strbuf_add(&all, "%s\n", text);
        free(text);
        count++;
    }
    assert_true(count >= least);
    char *text = strbuf_finish(&all);
    assert_non_null(text);
    struct emitted *emitted = emitted_build(NULL, text);
    for (int s = 0; s < SOURCES; s++) {
        if (material[s].has) check_function(emitted, &material[s], s);
        material_free(&material[s]);
    }
    emitted_free(emitted);
    free(text);
}

/** Emits a source with the driver, compiles it and runs it: the driver contains the function for
 * two sets of extents. */
static void check_driver(enum tcplan_provider provider, const struct source *source) {
    struct material material;
    char output[2000];
    material_init(&material, source, provider);
    char *text = emit(&material, &(struct tcplan_emit_options){.with_main = true});
    const int status = emitted_run_unoptimized(NULL, text, output, sizeof output);
    if (status != 0 || !strstr(output, "check passed"))
        fail_msg("exit status %d: %s", status, output);
    free(text);
    material_free(&material);
}

static bool is_there(enum tcplan_provider provider) {
    struct tcplan_provider_info info;
    return tcplan_provider_info(&info, provider);
}

static void need(enum tcplan_provider provider) {
    if (is_there(provider)) return;
    print_message("%s is not there\n", tcplan_provider_name(provider));
    skip();
}

static void kernels_of_libxsmm_compile_and_are_right(void **state) {
    (void)state;
    need(TCPLAN_PROVIDER_LIBXSMM);
    check_provider(TCPLAN_PROVIDER_LIBXSMM, 3);
    check_driver(TCPLAN_PROVIDER_LIBXSMM, &sources[COPIES]);
}

static void kernels_of_blis_compile_and_are_right(void **state) {
    (void)state;
    need(TCPLAN_PROVIDER_BLIS);
    check_provider(TCPLAN_PROVIDER_BLIS, SOURCES);
    check_driver(TCPLAN_PROVIDER_BLIS, &sources[COPIES]);
    check_driver(TCPLAN_PROVIDER_BLIS, &sources[COMPLEX]);
}

static void kernels_of_emitted_compile_and_are_right(void **state) {
    (void)state;
    check_provider(TCPLAN_PROVIDER_EMITTED, 3);
    check_driver(TCPLAN_PROVIDER_EMITTED, &sources[COPIES]);
    check_driver(TCPLAN_PROVIDER_EMITTED, &sources[COMPLEX]);
}

/** BLIS would read its number of threads from environment variables, so emitted functions set it.
 */
static void calls_of_blis_by_threads_are_one_threads(void **state) {
    static const struct source shared = {"C_abc=A_ai*B_ibc", "a=12,b=13,c=4,i=8", TCPLAN_DOUBLE,
                                         TCPLAN_COLUMN_MAJOR, "c|-dgemm"};
    (void)state;
    need(TCPLAN_PROVIDER_BLIS);
    struct material material;
    material_init(&material, &shared, TCPLAN_PROVIDER_BLIS);
    for (int threads = 1; threads <= 2; threads++) {
        char *text = emit(&material, &(struct tcplan_emit_options){.threads = threads});
        assert_int_equal(strstr(text, "bli_rntm_set_num_threads(1, ") != NULL, threads == 2);
        assert_int_equal(strstr(text, "bli_dgemm_ex(") != NULL, threads == 2);
        emitted_check(NULL, text);
        free(text);
    }
    material_free(&material);
}

/** Without a file, links the library that the linker finds as openblas. */
static void kernels_of_a_file_compile_and_are_right(void **state) {
    (void)state;
    check_provider(TCPLAN_PROVIDER_FILE_1, SOURCES);
}

static void assert_holds(const struct material *material, const char *const *files,
                         const char *line) {
    char *text = emit(material, &(struct tcplan_emit_options){.blas_files = files});
    if (!strstr(text, line)) fail_msg("no '%s' in\n%s", line, text);
    free(text);
}

static void a_file_is_linked_by_its_path(void **state) {
    (void)state;
    const char *files[TCPLAN_PROVIDER_FILES] = {"/opt/mkl/lib/libmkl_rt.so",
                                                "/opt/its own/lib'x.so"};
    struct material material;
    material_init(&material, &sources[0], TCPLAN_PROVIDER_FILE_1);
    assert_holds(&material, files, "link: /opt/mkl/lib/libmkl_rt.so -Wl,-rpath,/opt/mkl/lib\n");
    struct strbuf line = {0};
    strbuf_add(&line, "link: ");
    emit_linked_blas(&line);
    strbuf_add(&line, "\n");
    char *linked = strbuf_finish(&line);
    assert_holds(&material, no_files, linked);
    assert_holds(&material, NULL, linked);
    free(linked);
    material_free(&material);
    material_init(&material, &sources[0], TCPLAN_PROVIDER_FILE_2);
    assert_holds(&material, files, "link: '/opt/its own/lib'\\''x.so' -Wl,-rpath,'/opt/its own'\n");
    material_free(&material);
}

static void check_libraries(const char *const *library, const char *expected) {
    struct strbuf out = {0};
    emit_libraries(&out, library);
    char *text = strbuf_finish(&out);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void linked_libraries_are_named_as_the_linker_takes_them(void **state) {
    (void)state;
    check_libraries((const char *[]){"openblas", NULL}, "-lopenblas");
    check_libraries((const char *[]){"blis", "lapack", NULL}, "-lblis -llapack");
    check_libraries((const char *[]){"/opt/its own/libblas.so.3", "-lm", NULL},
                    "'/opt/its own/libblas.so.3' -Wl,-rpath,'/opt/its own' -lm");
}

static void kernels_missing_from_the_provider_are_refused(void **state) {
    (void)state;
    struct material material;
    struct tcplan_error error;
    char *text = NULL;
    material_init(&material, &sources[COMPLEX], TCPLAN_PROVIDER_LIBXSMM);
    assert_false(material.has);
    assert_int_equal(tcplan_emit_c(&text, material.nest, &material.given.problem, NULL, &error),
                     TCPLAN_NOT_APPLICABLE);
    assert_non_null(strstr(error.message, "libxsmm has no routine"));
    assert_null(text);
    material_free(&material);
}

static void write_file(const char *folder, const char *name, char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    free(text);
}

typedef enum tcplan_status make_part(char **out, enum tcplan_emit_library_file file,
                                     struct tcplan_error *error);

static void write_parts(const char *folder, make_part *make) {
    for (int f = 0; f < TCPLAN_EMIT_LIBRARY_FILES; f++) {
        char *text = NULL;
        const enum tcplan_emit_library_file file = (enum tcplan_emit_library_file)f;
        assert_int_equal(make(&text, file, NULL), TCPLAN_OK);
        write_file(folder, tcplan_emit_library_file_name(file), text);
    }
}

static void write_function(const char *folder, const struct source *source,
                           enum tcplan_provider provider) {
    struct material material;
    char name[64], source_name[72];
    char *text = NULL;
    snprintf(name, sizeof name, "contract_%s", tcplan_provider_name(provider));
    snprintf(source_name, sizeof source_name, "%s.c", name);
    material_init(&material, source, provider);
    const struct tcplan_emit_library_entry entry = {
        .function = name, .problem = &material.given.problem, .nest = material.nest};
    assert_int_equal(tcplan_emit_library_source(&text, &entry, NULL), TCPLAN_OK);
    write_file(folder, source_name, text);
    for (int f = 0; f < TCPLAN_EMIT_LIBRARY_FILES; f++) {
        const enum tcplan_emit_library_file file = (enum tcplan_emit_library_file)f;
        assert_int_equal(tcplan_emit_library_function(&text, file, &entry, NULL), TCPLAN_OK);
        write_file(folder, tcplan_emit_library_file_name(file), text);
    }
    material_free(&material);
}

static void a_library_of_functions_of_all_providers_builds_and_is_right(void **state) {
    (void)state;
    char folder[] = "library-XXXXXX", command[512];
    assert_non_null(mkdtemp(folder));
    write_parts(folder, tcplan_emit_library_begin);
    for (int p = TCPLAN_PROVIDER_BLAS; p < TCPLAN_PROVIDER_FILE_1; p++) {
        if (is_there((enum tcplan_provider)p)) {
            write_function(folder, &sources[0], (enum tcplan_provider)p);
        } else {
            print_message("%s is not there\n", tcplan_provider_name((enum tcplan_provider)p));
        }
    }
    write_parts(folder, tcplan_emit_library_end);
    snprintf(
        command, sizeof command,
        "cd %s && { cmake -S . -B build -DCMAKE_C_COMPILER=%s && cmake --build build && cd build && ctest --output-on-failure; } >log 2>&1 "
        "|| { cat log; false; }",
        folder, TCPLAN_CC);
    assert_int_equal(system(command), 0); /* NOLINT: the command line is a constant of this test */
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0); /* NOLINT */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_emitted_compile_and_are_right),
        cmocka_unit_test(kernels_of_libxsmm_compile_and_are_right),
        cmocka_unit_test(kernels_of_blis_compile_and_are_right),
        cmocka_unit_test(calls_of_blis_by_threads_are_one_threads),
        cmocka_unit_test(kernels_of_a_file_compile_and_are_right),
        cmocka_unit_test(a_file_is_linked_by_its_path),
        cmocka_unit_test(linked_libraries_are_named_as_the_linker_takes_them),
        cmocka_unit_test(kernels_missing_from_the_provider_are_refused),
        cmocka_unit_test(a_library_of_functions_of_all_providers_builds_and_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
