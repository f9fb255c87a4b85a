#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <tapp.h>
#include <tapp/tcplan.h>

#include "support/tapp_case.h"

enum { THREADS = 4, ROUNDS = 25, EXTENT = 6, ELEMENTS = EXTENT * EXTENT };

/** Makes D_ab = A_ai B_ib of doubles; with `converts`, A has floats and must be converted. */
static TAPP_tensor_product make_product(TAPP_handle handle, bool converts) {
    static const int64_t extents[2] = {EXTENT, EXTENT}, strides[2] = {1, EXTENT},
                         ai[2] = {'a', 'i'}, ib[2] = {'i', 'b'}, ab[2] = {'a', 'b'};
    TAPP_tensor_info info = 0, narrow = 0;
    TAPP_tensor_product product = 0;
    const TAPP_error made =
        TAPP_create_tensor_info(&info, TAPP_F64, 2, extents, strides) |
        TAPP_create_tensor_info(&narrow, converts ? TAPP_F32 : TAPP_F64, 2, extents, strides) |
        TAPP_create_tensor_product(&product, handle, 0, narrow, ai, 0, info, ib, 0, info, ab, 0,
                                   info, ab, TAPP_DEFAULT_PREC) |
        TAPP_destroy_tensor_info(info) | TAPP_destroy_tensor_info(narrow);
    return made == 0 ? product : 0;
}

/** Executes a product on small whole numbers, whose sums are exact, and compares the result. */
static bool executes(TAPP_tensor_product product, bool converts, TAPP_executor exec, int seed,
                     TAPP_status *status) {
    float narrow[ELEMENTS];
    double A[ELEMENTS], B[ELEMENTS], C[ELEMENTS], D[ELEMENTS] = {0};
    const double alpha = 2, beta = seed % 2;
    for (int e = 0; e < ELEMENTS; e++) {
        A[e] = (seed + e) % 5;
        B[e] = (seed + 3 * e) % 7;
        C[e] = (seed + 2 * e) % 3;
        narrow[e] = (float)A[e];
    }
    const void *left = converts ? (const void *)narrow : A;
    if (TAPP_execute_product(product, exec, status, &alpha, left, B, &beta, C, D) != 0)
        return false;
    for (int a = 0; a < EXTENT; a++) {
        for (int b = 0; b < EXTENT; b++) {
            double sum = beta * C[a + EXTENT * b];
            for (int i = 0; i < EXTENT; i++) sum += alpha * A[a + EXTENT * i] * B[i + EXTENT * b];
            if (sum != D[a + EXTENT * b]) return false;
        }
    }
    return true;
}

/** Arguments and result of a thread. */
struct work {
    pthread_t thread;
    int number;
    TAPP_tensor_product shared[2]; /* products that all threads execute, without and with
                                      conversions */
    TAPP_executor exec;
    bool right;
};

static void *work_on_one_product(void *argument) {
    struct work *work = argument;
    work->right = true;
    for (int round = 0; round < ROUNDS && work->right; round++) {
        const bool converts = round % 3 == 0;
        TAPP_status status = 0;
        work->right = executes(work->shared[converts], converts, work->exec, work->number + round,
                               round % 2 ? &status : NULL);
        if (status != 0 && TAPP_destroy_status(status) != 0) work->right = false;
    }
    return NULL;
}

static void *work_with_own_objects(void *argument) {
    struct work *work = argument;
    work->right = true;
    for (int round = 0; round < ROUNDS && work->right; round++) {
        const bool converts = (round + work->number) % 2 == 0;
        TAPP_handle handle = 0;
        TAPP_executor exec = 0;
        work->right = TAPP_create_handle(&handle) == 0 && TAPP_create_executor(&exec) == 0;
        const TAPP_tensor_product product = make_product(handle, converts);
        work->right = work->right && product != 0 &&
                      executes(product, converts, exec, round, NULL) &&
                      TAPP_destroy_handle(handle) == 0 && TAPP_destroy_executor(exec) == 0 &&
                      TAPP_destroy_tensor_product(product) == 0;
    }
    return NULL;
}

static void run_threads(struct work work[THREADS], void *function(void *)) {
    for (int t = 0; t < THREADS; t++) {
        work[t].number = t;
        assert_int_equal(pthread_create(&work[t].thread, NULL, function, &work[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_join(work[t].thread, NULL), 0);
    for (int t = 0; t < THREADS; t++) assert_true(work[t].right);
}

static void threads_execute_one_product_at_once(void **state) {
    struct work work[THREADS] = {{0}};
    (void)state;
    const TAPP_tensor_product products[2] = {make_product(0, false), make_product(0, true)};
    assert_true(products[0] != 0 && products[1] != 0);
    for (int t = 0; t < THREADS; t++) {
        work[t].shared[0] = products[0];
        work[t].shared[1] = products[1];
        int threads = 1 + t % 2; /* 1 or 2: the first thread that needs a plan makes it */
        assert_int_equal(TAPP_create_executor(&work[t].exec), 0);
        assert_int_equal(TAPP_attr_set(work[t].exec, TAPP_TCPLAN_THREADS, &threads), 0);
    }
    run_threads(work, work_on_one_product);
    for (int t = 0; t < THREADS; t++) assert_int_equal(TAPP_destroy_executor(work[t].exec), 0);
    for (int p = 0; p < 2; p++) assert_int_equal(TAPP_destroy_tensor_product(products[p]), 0);
}

static void threads_make_objects_of_their_own_at_once(void **state) {
    struct work work[THREADS] = {{0}};
    (void)state;
    run_threads(work, work_with_own_objects);
}

/** Returns whether a batch of four products on four threads has the right results. */
static bool executes_batch(TAPP_tensor_product product, TAPP_executor exec) {
    double A[ELEMENTS], D[4][ELEMENTS];
    const double alpha = 1, beta = 0;
    const void *factor[4] = {A, A, A, A};
    void *result[4] = {D[0], D[1], D[2], D[3]};
    for (int e = 0; e < ELEMENTS; e++) A[e] = 1;
    if (TAPP_execute_batched_product(product, exec, NULL, 4, &alpha, factor, factor, &beta, NULL,
                                     result) != 0)
        return false;
    for (int e = 0; e < 4 * ELEMENTS; e++) {
        if (D[e / ELEMENTS][e % ELEMENTS] != EXTENT) return false;
    }
    return true;
}

static void a_forked_process_executes_batches(void **state) {
    TAPP_handle handle = 0;
    TAPP_executor exec = 0;
    int threads = 4, ended = 0;
    (void)state;
    assert_int_equal(TAPP_create_handle(&handle) | TAPP_create_executor(&exec), 0);
    assert_int_equal(TAPP_attr_set(exec, TAPP_TCPLAN_THREADS, &threads), 0);
    const TAPP_tensor_product product = make_product(handle, false);
    assert_true(executes_batch(product, exec));
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60); /* ends the child if it waits for threads that fork() did not copy */
        _exit(executes_batch(product, exec) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    assert_true(executes_batch(product, exec));
    assert_int_equal(TAPP_destroy_tensor_product(product) | TAPP_destroy_executor(exec) |
                         TAPP_destroy_handle(handle),
                     0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_execute_one_product_at_once),
        cmocka_unit_test(threads_make_objects_of_their_own_at_once),
        cmocka_unit_test(a_forked_process_executes_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
