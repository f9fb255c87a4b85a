/**
 * Several threads: a planner is set up once and plans in all of them at the same time; then one
 * plan is executed by all of them at the same time, each thread with its own tensors.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <tcplan/tcplan.h>

enum { THREADS = 4, N = 40 };

/** Data of a thread. The planner and one plan are shared by all threads; everything else belongs to
 * the thread. */
struct work {
    struct tcplan_planner *planner;
    struct tcplan_plan *shared; /* plan of C_ab = A_ai * B_ib, shared by all threads */
    int number;
    double A[N * N], B[N * N], C[N * N];
    const char *failure;
};

/** Returns the largest difference between C and the sum over i of A_ai B_ib, or B_bi if B is
 * transposed. Tensors are column-major. */
static double largest_error(const struct work *work, int step_i, int step_b) {
    double largest = 0;
    for (int a = 0; a < N; a++) {
        for (int b = 0; b < N; b++) {
            double expected = 0;
            for (int i = 0; i < N; i++)
                expected += work->A[a + N * i] * work->B[step_i * i + step_b * b];
            largest = fmax(largest, fabs(work->C[a + N * b] - expected));
        }
    }
    return largest;
}

/** Plans a product that only this thread has, and executes the plan. */
static const char *plan_and_execute(struct work *work) {
    struct tcplan_product *product = NULL;
    struct tcplan_plan *plan = NULL;
    const char *failure = NULL;
    char sizes[32];
    snprintf(sizes, sizeof sizes, "a=%d,b=%d,i=%d", N, N, N);
    if (tcplan_product_parse(&product, "C_ab=A_ai*B_bi", sizes, NULL, TCPLAN_DOUBLE,
                             TCPLAN_COLUMN_MAJOR, NULL) != TCPLAN_OK ||
        tcplan_plan_new(&plan, work->planner, product, NULL) != TCPLAN_OK) {
        failure = "planning failed";
    } else if (tcplan_plan_execute(plan, work->A, work->B, work->C, NULL) != TCPLAN_OK ||
               largest_error(work, N, 1) > 1e-10) {
        failure = "the thread's own plan computed something else";
    }
    tcplan_plan_free(plan);
    tcplan_product_free(product);
    return failure;
}

static void *thread(void *argument) {
    struct work *work = argument;
    for (int i = 0; i < N * N; i++) {
        work->A[i] = cos(work->number + 0.1 * i);
        work->B[i] = sin(work->number - 0.3 * i);
    }
    for (int repetition = 0; !work->failure && repetition < 20; repetition++) {
        if (tcplan_plan_execute(work->shared, work->A, work->B, work->C, NULL) != TCPLAN_OK ||
            largest_error(work, 1, N) > 1e-10) {
            work->failure = "the shared plan computed something else";
        }
    }
    if (!work->failure) work->failure = plan_and_execute(work);
    return NULL;
}

/** Runs the threads. Returns the number of threads whose results are correct. */
static int run(struct tcplan_planner *planner, struct tcplan_plan *shared) {
    static struct work work[THREADS];
    pthread_t id[THREADS];
    int started = 0;
    int done = 0;
    for (; started < THREADS; started++) {
        work[started] = (struct work){.planner = planner, .shared = shared, .number = started};
        if (pthread_create(&id[started], NULL, thread, &work[started]) != 0) break;
    }
    for (int t = 0; t < started; t++) {
        pthread_join(id[t], NULL);
        if (work[t].failure)
            fprintf(stderr, "several_threads: thread %d: %s\n", t, work[t].failure);
        else
            done++;
    }
    return done;
}

int main(void) {
    struct tcplan_error error;
    struct tcplan_planner *planner = NULL;
    struct tcplan_product *product = NULL;
    struct tcplan_plan *plan = NULL;
    char sizes[32];
    snprintf(sizes, sizeof sizes, "a=%d,b=%d,i=%d", N, N, N);
    if (tcplan_planner_new(&planner, &error) != TCPLAN_OK ||
        tcplan_planner_set_effort(planner, TCPLAN_EFFORT_QUICK, NULL) != TCPLAN_OK ||
        tcplan_product_parse(&product, "C_ab=A_ai*B_ib", sizes, NULL, TCPLAN_DOUBLE,
                             TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK ||
        tcplan_plan_new(&plan, planner, product, &error) != TCPLAN_OK) {
        fprintf(stderr, "several_threads: %s\n", error.message);
    }
    const int done = plan ? run(planner, plan) : 0;
    if (plan)
        printf("%s: %d of %d threads computed what they should\n", tcplan_plan_algorithm(plan),
               done, THREADS);
    tcplan_plan_free(plan);
    tcplan_product_free(product);
    tcplan_planner_free(planner);
    return done == THREADS ? EXIT_SUCCESS : EXIT_FAILURE;
}
