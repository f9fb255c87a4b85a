/*
 * Tests the pitfalls that Ofenbeck et al. list (Applying the Roofline Model, section III.E): code
 * that the compiler removes, pages that were never written, alignment, calls that return before
 * they are complete, and prefetching across runs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "microbench/providers/blas.h"
#include "roofline/timing/workspace.h"
#include "roofline/validation/subject.h"

enum { BYTES = 5 << 20 };

struct scene {
    struct team *team;
    struct workspace workspace;
};

static int open_scene(void **state) {
    struct tcplan_error error;
    struct scene *scene = calloc(1, sizeof *scene);
    if (!scene || team_new(&scene->team, 1, NULL, &error) != TCPLAN_OK) return -1;
    if (workspace_new(&scene->workspace, scene->team, 1, BYTES, false, (struct deadline){0},
                      &error) != TCPLAN_OK)
        return -1;
    *state = scene;
    return 0;
}

static int close_scene(void **state) {
    struct scene *scene = *state;
    workspace_free(&scene->workspace);
    team_free(scene->team);
    free(scene);
    return 0;
}

static struct subject subject_on(const struct scene *scene, enum tcplan_kernel kernel, int64_t n,
                                 int64_t replicas) {
    struct subject subject = {
        .kernel = kernel, .n = n, .memory = scene->workspace.region[0], .replicas = replicas};
    subject_bind(&subject);
    subject_scatter(&subject);
    return subject;
}

/* Dead code: every run changes its replica of the operands. The loop without the kernel changes
 * none. */
static void every_run_is_done(void **state) {
    const struct scene *scene = *state;
    struct subject subject = subject_on(scene, TCPLAN_AXPY, 256, 7);
    const double *memory = (const double *)subject.memory;
    const size_t elems = subject.replica_bytes / sizeof(double);
    double before[7];
    for (int r = 0; r < 7; r++) before[r] = memory[(size_t)r * elems + 256];
    subject.runs = 7;
    assert_true(subject_run_nothing(&subject, 0, 0));
    for (int r = 0; r < 7; r++) assert_true(memory[(size_t)r * elems + 256] == before[r]);
    assert_true(subject_run(&subject, 0, 0));
    for (int r = 0; r < 7; r++) assert_true(memory[(size_t)r * elems + 256] > before[r]);
}

/* Pages that were never written all map to one page of zeros, which stays in the cache. So every
 * page is written first. */
static void every_page_was_written(void **state) {
    const struct scene *scene = *state;
    const long page = sysconf(_SC_PAGESIZE);
    const size_t pages = scene->workspace.bytes / (size_t)page;
    unsigned char *resident = malloc(pages);
    assert_non_null(resident);
    assert_int_equal(mincore(scene->workspace.region[0], scene->workspace.bytes, resident), 0);
    for (size_t p = 0; p < pages; p++) {
        const double *first = (const double *)(scene->workspace.region[0] + p * (size_t)page);
        assert_true(resident[p] & 1);
        assert_true(*first > 0 && first[1] > 0 && first[0] != first[1]);
    }
    free(resident);
}

static void overwritten_operands_are_filled_again(void **state) {
    struct scene *scene = *state;
    double *memory = (double *)scene->workspace.region[0];
    const double first = memory[0], last = memory[scene->workspace.bytes / sizeof(double) - 1];
    memory[0] = memory[scene->workspace.bytes / sizeof(double) - 1] = -1;
    workspace_refill(&scene->workspace, scene->team);
    assert_true(memory[0] == first && memory[scene->workspace.bytes / sizeof(double) - 1] == last);
}

/* Alignment: each replica starts at a page, so replicas share no cache line. */
static void replicas_begin_with_a_page(void **state) {
    static const enum tcplan_kernel kernels[] = {TCPLAN_AXPY, TCPLAN_GEMV, TCPLAN_GEMM};
    const struct scene *scene = *state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (int64_t n = 1; n < 40; n++) {
            struct subject subject = subject_on(scene, kernels[k], n, 5);
            for (int r = 0; r < 5; r++)
                assert_true((uintptr_t)subject_next_memory(&subject) % 4096 == 0);
        }
    }
}

/* Prefetching: no run uses a replica that follows the previous one in memory. */
static void no_run_follows_the_last_one_in_memory(void **state) {
    const struct scene *scene = *state;
    for (int64_t replicas = 5; replicas < 200; replicas++) {
        bool used[200] = {false};
        struct subject subject = subject_on(scene, TCPLAN_AXPY, 64, replicas);
        int64_t last = -2;
        for (int64_t r = 0; r < replicas; r++) {
            const int64_t place =
                (subject_next_memory(&subject) - subject.memory) / (int64_t)subject.replica_bytes;
            if (place == last + 1)
                fail_msg("replica %lld follows its neighbour, of %lld", (long long)place,
                         (long long)replicas);
            assert_false(used[place]);
            used[place] = true;
            last = place;
        }
        assert_int_equal(subject.next, 0);
    }
}

/* Asynchronous calls: when a call returns, all threads have completed the result. */
static void results_are_there_when_calls_return(void **state) {
    const struct scene *scene = *state;
    enum { N = 256 }; /* 256 is a multiple of the block, and matrices are adjacent in memory */
    const struct blas_threads before = blas_take_threads(2);
    struct subject subject = subject_on(scene, TCPLAN_GEMM, N, 1);
    double *memory = (double *)subject.memory;
    const double *result = memory + 2 * (ptrdiff_t)N * N;
    for (int i = 0; i < 3 * N * N; i++) memory[i] = 1;
    subject.runs = 1;
    subject_run(&subject, 0, 0);
    for (int i = 0; i < N * N; i++) assert_true(fabs(result[i] - (1 + N * 1e-9)) < 1e-13);
    blas_put_threads_back(&before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_is_done),
        cmocka_unit_test(every_page_was_written),
        cmocka_unit_test(overwritten_operands_are_filled_again),
        cmocka_unit_test(replicas_begin_with_a_page),
        cmocka_unit_test(no_run_follows_the_last_one_in_memory),
        cmocka_unit_test(results_are_there_when_calls_return),
    };
    return cmocka_run_group_tests(tests, open_scene, close_scene);
}
