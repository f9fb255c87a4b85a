#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <tapp.h>
#include <tapp/tcplan.h>

#include "support/comma_locale.h"

/** Returns the text of an attribute of type text. */
static const char *text_of(TAPP_attr object, TAPP_key key) {
    void *value = NULL;
    assert_int_equal(TAPP_attr_get(object, key, &value), 0);
    assert_non_null(value);
    return value;
}

static int int_of(TAPP_attr object, TAPP_key key) {
    void *value = NULL;
    assert_int_equal(TAPP_attr_get(object, key, &value), 0);
    assert_non_null(value);
    return *(const int *)value;
}

static double double_of(TAPP_attr object, TAPP_key key) {
    void *value = NULL;
    assert_int_equal(TAPP_attr_get(object, key, &value), 0);
    assert_non_null(value);
    return *(const double *)value;
}

static void set_text(TAPP_attr object, TAPP_key key, const char *value) {
    char copy[64];
    strncpy(copy, value, sizeof copy - 1);
    copy[sizeof copy - 1] = '\0';
    assert_int_equal(TAPP_attr_set(object, key, copy), 0);
}

/** Removes environment variables that the user may have set. */
static int forget_environment(void **state) {
    (void)state;
    unsetenv("TCPLAN_EFFORT");
    unsetenv("TCPLAN_THREADS");
    setenv("TCPLAN_STORE", "", 1);
    setenv("TCPLAN_PLANS", "", 1);
    return 0;
}

static void handles_start_with_settings_of_the_environment(void **state) {
    TAPP_handle handle = 0;
    (void)state;
    assert_int_equal(TAPP_create_handle(&handle), 0);
    assert_string_equal(text_of(handle, TAPP_TCPLAN_EFFORT), "estimate");
    assert_int_equal(int_of(handle, TAPP_TCPLAN_THREADS), 1);
    assert_true(double_of(handle, TAPP_TCPLAN_TIME_LIMIT) == 0);
    assert_string_equal(text_of(handle, TAPP_TCPLAN_STORE), "");
    assert_int_equal(TAPP_destroy_handle(handle), 0);

    setenv("TCPLAN_EFFORT", "quick", 1);
    setenv("TCPLAN_THREADS", "2", 1);
    setenv("TCPLAN_STORE", "/somewhere", 1);
    assert_int_equal(TAPP_create_handle(&handle), 0);
    assert_string_equal(text_of(handle, TAPP_TCPLAN_EFFORT), "quick");
    assert_int_equal(int_of(handle, TAPP_TCPLAN_THREADS), 2);
    assert_string_equal(text_of(handle, TAPP_TCPLAN_STORE), "/somewhere");
    assert_int_equal(TAPP_destroy_handle(handle), 0);

    unsetenv("TCPLAN_STORE");
    setenv("XDG_CACHE_HOME", "/cache", 1);
    assert_int_equal(TAPP_create_handle(&handle), 0);
    assert_string_equal(text_of(handle, TAPP_TCPLAN_STORE), "/cache/tcplan");
    assert_int_equal(TAPP_destroy_handle(handle), 0);
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/home/somebody", 1);
    assert_int_equal(TAPP_create_handle(&handle), 0);
    assert_string_equal(text_of(handle, TAPP_TCPLAN_STORE), "/home/somebody/.cache/tcplan");
    assert_int_equal(TAPP_destroy_handle(handle), 0);
    forget_environment(NULL);
}

static void a_malformed_environment_is_reported(void **state) {
    char text[256];
    TAPP_handle handle = 1;
    (void)state;
    setenv("TCPLAN_EFFORT", "much", 1);
    assert_int_equal(TAPP_create_handle(&handle), TAPP_TCPLAN_ENVIRONMENT);
    assert_int_equal(handle, 0);
    TAPP_explain_error(TAPP_TCPLAN_ENVIRONMENT, sizeof text, text);
    assert_string_equal(
        text,
        "The variable TCPLAN_EFFORT is 'much': expected estimate, quick, normal or thorough.");
    unsetenv("TCPLAN_EFFORT");
    static const char *const malformed[] = {
        "0", "-1", "4097", "two", "2 ", " 2", "99999999999999999999"};
    for (size_t m = 0; m < sizeof malformed / sizeof *malformed; m++) {
        setenv("TCPLAN_THREADS", malformed[m], 1);
        assert_int_equal(TAPP_create_handle(&handle), TAPP_TCPLAN_ENVIRONMENT);
    }
    forget_environment(NULL);
}

static void attributes_of_handles_are_set_read_and_cleared(void **state) {
    TAPP_handle handle = 0;
    double limit = 2.5;
    int threads = 3;
    (void)state;
    assert_int_equal(TAPP_create_handle(&handle), 0);
    set_text(handle, TAPP_TCPLAN_EFFORT, "thorough");
    set_text(handle, TAPP_TCPLAN_STORE, "/a/folder");
    assert_int_equal(TAPP_attr_set(handle, TAPP_TCPLAN_TIME_LIMIT, &limit), 0);
    assert_int_equal(TAPP_attr_set(handle, TAPP_TCPLAN_THREADS, &threads), 0);
    assert_string_equal(text_of(handle, TAPP_TCPLAN_EFFORT), "thorough");
    assert_string_equal(text_of(handle, TAPP_TCPLAN_STORE), "/a/folder");
    assert_true(double_of(handle, TAPP_TCPLAN_TIME_LIMIT) == 2.5);
    assert_int_equal(int_of(handle, TAPP_TCPLAN_THREADS), 3);
    static const TAPP_key keys[] = {TAPP_TCPLAN_EFFORT, TAPP_TCPLAN_STORE, TAPP_TCPLAN_TIME_LIMIT,
                                    TAPP_TCPLAN_THREADS};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        assert_int_equal(TAPP_attr_clear(handle, keys[k]), 0);
    assert_string_equal(text_of(handle, TAPP_TCPLAN_EFFORT), "estimate");
    assert_string_equal(text_of(handle, TAPP_TCPLAN_STORE), "");
    assert_true(double_of(handle, TAPP_TCPLAN_TIME_LIMIT) == 0);
    assert_int_equal(int_of(handle, TAPP_TCPLAN_THREADS), 1);
    assert_int_equal(TAPP_destroy_handle(handle), 0);
}

static void unknown_attributes_and_bad_values_are_refused(void **state) {
    TAPP_handle handle = 0;
    TAPP_executor exec = 0;
    TAPP_tensor_info info = 0;
    char effort[] = "much";
    double limit = -1;
    int threads = 0;
    void *value = &threads;
    (void)state;
    assert_int_equal(TAPP_create_handle(&handle), 0);
    assert_int_equal(TAPP_create_executor(&exec), 0);
    assert_int_equal(TAPP_create_tensor_info(&info, TAPP_F64, 0, NULL, NULL), 0);
    assert_int_equal(TAPP_attr_set(handle, TAPP_TCPLAN_EFFORT, effort), TAPP_TCPLAN_ATTRIBUTE);
    assert_int_equal(TAPP_attr_set(handle, TAPP_TCPLAN_EFFORT, NULL), TAPP_TCPLAN_NULL_POINTER);
    assert_int_equal(TAPP_attr_set(handle, TAPP_TCPLAN_TIME_LIMIT, &limit), TAPP_TCPLAN_ATTRIBUTE);
    assert_int_equal(TAPP_attr_set(handle, TAPP_TCPLAN_THREADS, &threads), TAPP_TCPLAN_ATTRIBUTE);
    assert_int_equal(TAPP_attr_set(exec, TAPP_TCPLAN_THREADS, &threads), TAPP_TCPLAN_ATTRIBUTE);
    assert_int_equal(TAPP_attr_set(exec, TAPP_TCPLAN_EFFORT, effort), TAPP_TCPLAN_ATTRIBUTE);
    assert_int_equal(TAPP_attr_set(handle, TAPP_TCPLAN_SECONDS, &limit), TAPP_TCPLAN_ATTRIBUTE);
    assert_int_equal(TAPP_attr_set(info, TAPP_TCPLAN_THREADS, &threads), TAPP_TCPLAN_ATTRIBUTE);
    assert_int_equal(TAPP_attr_set(0, TAPP_TCPLAN_THREADS, &threads), TAPP_TCPLAN_NO_OBJECT);
    assert_int_equal(TAPP_attr_get(handle, 0, &value), TAPP_TCPLAN_ATTRIBUTE);
    assert_null(value);
    assert_int_equal(TAPP_attr_get(handle, TAPP_TCPLAN_EFFORT, NULL), TAPP_TCPLAN_NULL_POINTER);
    assert_int_equal(TAPP_attr_get(info, TAPP_TCPLAN_EFFORT, &value), TAPP_TCPLAN_ATTRIBUTE);
    assert_int_equal(TAPP_attr_clear(exec, TAPP_TCPLAN_EFFORT), TAPP_TCPLAN_ATTRIBUTE);
    assert_string_equal(text_of(handle, TAPP_TCPLAN_EFFORT), "estimate");
    assert_int_equal(TAPP_destroy_handle(handle), 0);
    assert_int_equal(TAPP_destroy_executor(exec), 0);
    assert_int_equal(TAPP_destroy_tensor_info(info), 0);
}

static void messages_have_decimal_points_in_every_locale(void **state) {
    TAPP_handle handle = 0;
    double limit = -0.5;
    char text[128];
    (void)state;
    if (!comma_locale_set()) skip();
    assert_int_equal(TAPP_create_handle(&handle), 0);
    const TAPP_error error = TAPP_attr_set(handle, TAPP_TCPLAN_TIME_LIMIT, &limit);
    TAPP_explain_error(error, sizeof text, text);
    assert_string_equal(localeconv()->decimal_point,
                        ","); /* TAPP functions do not change the program's locale */
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "The time limit is -0.5 seconds: expected 0 (none) or more.");
    assert_int_equal(TAPP_destroy_handle(handle), 0);
}

enum { SIZE = 8 };

/** Makes D_abc = A_aci B_ib of doubles, which has several algorithms with any libraries. */
static TAPP_error try_product(TAPP_handle handle, TAPP_tensor_product *product) {
    static const int64_t extents[3] = {SIZE, SIZE, SIZE}, strides[3] = {1, SIZE, SIZE * SIZE};
    static const int64_t aci[3] = {'a', 'c', 'i'}, ib[2] = {'i', 'b'}, abc[3] = {'a', 'b', 'c'};
    TAPP_tensor_info cube = 0, square = 0;
    assert_int_equal(TAPP_create_tensor_info(&cube, TAPP_F64, 3, extents, strides), 0);
    assert_int_equal(TAPP_create_tensor_info(&square, TAPP_F64, 2, extents, strides), 0);
    const TAPP_error error =
        TAPP_create_tensor_product(product, handle, 0, cube, aci, 0, square, ib, 0, cube, abc, 0,
                                   cube, abc, TAPP_DEFAULT_PREC);
    assert_int_equal(TAPP_destroy_tensor_info(cube) | TAPP_destroy_tensor_info(square), 0);
    return error;
}

static TAPP_tensor_product make_product(TAPP_handle handle) {
    TAPP_tensor_product product = 0;
    assert_int_equal(try_product(handle, &product), 0);
    return product;
}

static TAPP_status execute(TAPP_tensor_product product, TAPP_executor exec) {
    static double A[SIZE * SIZE * SIZE], B[SIZE * SIZE];
    static double D[SIZE * SIZE * SIZE];
    const double one = 1, zero = 0;
    TAPP_status status = 0;
    assert_int_equal(TAPP_execute_product(product, exec, &status, &one, A, B, &zero, NULL, D), 0);
    return status;
}

static void products_and_statuses_name_the_algorithm(void **state) {
    (void)state;
    const TAPP_tensor_product product = make_product(0);
    const TAPP_status status = execute(product, 0);
    const char *algorithm = text_of(product, TAPP_TCPLAN_ALGORITHM);
    assert_true(*algorithm != '\0');
    assert_string_equal(text_of(product, TAPP_TCPLAN_ORIGIN), "estimated");
    assert_non_null(strstr(text_of(product, TAPP_TCPLAN_DESCRIPTION), algorithm));
    assert_true(double_of(product, TAPP_TCPLAN_PLANNING_SECONDS) > 0);
    assert_int_equal(int_of(product, TAPP_TCPLAN_THREADS), 1);
    assert_string_equal(text_of(status, TAPP_TCPLAN_ALGORITHM), algorithm);
    assert_string_equal(text_of(status, TAPP_TCPLAN_ORIGIN), "estimated");
    assert_true(double_of(status, TAPP_TCPLAN_SECONDS) > 0);
    assert_int_equal(int_of(status, TAPP_TCPLAN_THREADS), 1);
    assert_int_equal(int_of(status, TAPP_TCPLAN_BATCHES), 1);
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
    assert_true(*text_of(status, TAPP_TCPLAN_ALGORITHM) != '\0'); /* readable although the product
                                                                     is destroyed */
    assert_int_equal(TAPP_destroy_status(status), 0);
}

static void handles_set_the_effort_of_planning(void **state) {
    TAPP_handle handle = 0;
    double limit = 0.2;
    (void)state;
    assert_int_equal(TAPP_create_handle(&handle), 0);
    set_text(handle, TAPP_TCPLAN_EFFORT, "quick");
    assert_int_equal(TAPP_attr_set(handle, TAPP_TCPLAN_TIME_LIMIT, &limit), 0);
    const TAPP_tensor_product product = make_product(handle);
    assert_string_not_equal(text_of(product, TAPP_TCPLAN_ORIGIN), "estimated");
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
    assert_int_equal(TAPP_destroy_handle(handle), 0);
}

static void products_improve_themselves_if_a_handle_allows(void **state) {
    enum { EXECUTIONS = 6 };
    int executions = -1;
    TAPP_handle handle = 0;
    (void)state;
    assert_int_equal(TAPP_create_handle(&handle), 0);
    assert_int_equal(int_of(handle, TAPP_TCPLAN_IMPROVE), 0);
    assert_int_equal(TAPP_attr_set(handle, TAPP_TCPLAN_IMPROVE, &executions),
                     TAPP_TCPLAN_ATTRIBUTE);
    executions = EXECUTIONS;
    assert_int_equal(TAPP_attr_set(handle, TAPP_TCPLAN_IMPROVE, &executions), 0);
    assert_int_equal(int_of(handle, TAPP_TCPLAN_IMPROVE), EXECUTIONS);
    const TAPP_tensor_product product = make_product(handle);
    assert_int_equal(TAPP_attr_clear(handle, TAPP_TCPLAN_IMPROVE), 0);
    assert_int_equal(int_of(handle, TAPP_TCPLAN_IMPROVE), 0);
    const char *before = text_of(product, TAPP_TCPLAN_DESCRIPTION);
    for (int e = 0; e < EXECUTIONS; e++) {
        assert_string_equal(text_of(product, TAPP_TCPLAN_ORIGIN), "estimated");
        assert_int_equal(TAPP_destroy_status(execute(product, 0)), 0);
    }
    assert_string_equal(text_of(product, TAPP_TCPLAN_ORIGIN), "improved");
    assert_non_null(strstr(text_of(product, TAPP_TCPLAN_DESCRIPTION),
                           "the fastest algorithm that executions tried"));
    assert_null(strstr(before, "the fastest algorithm that executions tried")); /* a text read
                                                                         before does not change */
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
    assert_int_equal(TAPP_destroy_handle(handle), 0);
}

static void plans_are_stored_in_the_file_of_a_handle(void **state) {
    char folder[] = "/tmp/tapp_plans.XXXXXX", file[64], broken[64];
    TAPP_handle handle = 0;
    TAPP_tensor_product refused = 0;
    double limit = 60; /* long enough for a slow machine; an estimate would not be stored */
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/plans", folder);
    snprintf(broken, sizeof broken, "%s/text", folder);
    assert_int_equal(TAPP_create_handle(&handle), 0);
    set_text(handle, TAPP_TCPLAN_PLANS, file);
    set_text(handle, TAPP_TCPLAN_EFFORT, "quick");
    assert_int_equal(TAPP_attr_set(handle, TAPP_TCPLAN_TIME_LIMIT, &limit), 0);
    const TAPP_tensor_product first = make_product(handle);
    assert_string_not_equal(text_of(first, TAPP_TCPLAN_ORIGIN), "stored");
    assert_int_equal(TAPP_destroy_handle(handle), 0);
    assert_int_equal(TAPP_create_handle(&handle),
                     0); /* a handle with the file of plans, but without a store */
    set_text(handle, TAPP_TCPLAN_PLANS, file);
    const TAPP_tensor_product second = make_product(handle);
    assert_string_equal(text_of(second, TAPP_TCPLAN_ORIGIN), "stored");
    assert_string_equal(text_of(second, TAPP_TCPLAN_ALGORITHM),
                        text_of(first, TAPP_TCPLAN_ALGORITHM));
    const TAPP_status status = execute(second, 0);
    assert_string_equal(text_of(status, TAPP_TCPLAN_ORIGIN), "stored");

    FILE *text = fopen(broken, "w");
    assert_non_null(text);
    assert_true(fputs("no plans\n", text) >= 0 && fclose(text) == 0);
    set_text(handle, TAPP_TCPLAN_PLANS, broken);
    assert_int_equal(try_product(handle, &refused), TAPP_TCPLAN_PLANNING);
    setenv("TCPLAN_PLANS", broken, 1); /* ignored: an invalid file that the environment names */
    assert_int_equal(TAPP_attr_clear(handle, TAPP_TCPLAN_PLANS), 0);
    assert_string_equal(text_of(handle, TAPP_TCPLAN_PLANS), broken);
    const TAPP_tensor_product third = make_product(handle);
    assert_string_equal(text_of(third, TAPP_TCPLAN_ORIGIN), "estimated");
    forget_environment(NULL);

    assert_int_equal(TAPP_destroy_status(status), 0);
    assert_int_equal(TAPP_destroy_tensor_product(first) | TAPP_destroy_tensor_product(second) |
                         TAPP_destroy_tensor_product(third),
                     0);
    assert_int_equal(TAPP_destroy_handle(handle), 0);
    assert_int_equal(unlink(file) | unlink(broken) | rmdir(folder), 0);
}

static void executors_say_how_many_threads_compute(void **state) {
    TAPP_executor exec = 0;
    int threads = 2;
    (void)state;
    assert_int_equal(TAPP_create_executor(&exec), 0);
    assert_int_equal(int_of(exec, TAPP_TCPLAN_THREADS), 0); /* 0: as set for the handle */
    assert_int_equal(TAPP_attr_set(exec, TAPP_TCPLAN_THREADS, &threads), 0);
    const TAPP_tensor_product product = make_product(0);
    const TAPP_status status = execute(product, exec);
    assert_int_equal(int_of(status, TAPP_TCPLAN_THREADS), 2);
    assert_int_equal(int_of(product, TAPP_TCPLAN_THREADS), 1);
    assert_int_equal(TAPP_attr_clear(exec, TAPP_TCPLAN_THREADS), 0);
    const TAPP_status other = execute(product, exec);
    assert_int_equal(int_of(other, TAPP_TCPLAN_THREADS), 1);
    assert_int_equal(TAPP_destroy_status(status), 0);
    assert_int_equal(TAPP_destroy_status(other), 0);
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
    assert_int_equal(TAPP_destroy_executor(exec), 0);
}

static void old_undestroyed_statuses_are_dropped(void **state) {
    (void)state;
    const TAPP_tensor_product product = make_product(0);
    void *value = NULL;
    const TAPP_status first = execute(product, 0);
    for (int e = 0; e < 4095; e++) execute(product, 0);
    assert_int_equal(TAPP_attr_get(first, TAPP_TCPLAN_SECONDS, &value), 0);
    const TAPP_status last = execute(product, 0);
    assert_int_equal(TAPP_attr_get(first, TAPP_TCPLAN_SECONDS, &value), TAPP_TCPLAN_NO_OBJECT);
    assert_int_equal(TAPP_attr_get(last, TAPP_TCPLAN_SECONDS, &value), 0);
    assert_int_equal(TAPP_destroy_status(first), 0);
    for (int e = 0; e < 4096; e++) assert_int_equal(TAPP_destroy_status(execute(product, 0)), 0);
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_start_with_settings_of_the_environment),
        cmocka_unit_test(a_malformed_environment_is_reported),
        cmocka_unit_test(attributes_of_handles_are_set_read_and_cleared),
        cmocka_unit_test(unknown_attributes_and_bad_values_are_refused),
        cmocka_unit_test(messages_have_decimal_points_in_every_locale),
        cmocka_unit_test(products_and_statuses_name_the_algorithm),
        cmocka_unit_test(handles_set_the_effort_of_planning),
        cmocka_unit_test(products_improve_themselves_if_a_handle_allows),
        cmocka_unit_test(plans_are_stored_in_the_file_of_a_handle),
        cmocka_unit_test(executors_say_how_many_threads_compute),
        cmocka_unit_test(old_undestroyed_statuses_are_dropped),
    };
    return cmocka_run_group_tests(tests, forget_environment, NULL);
}
