/*
 * The child process computes a call on whole numbers, so that results are exact. It writes its
 * verdict and a text for messages to memory that both processes share.
 */
#include "microbench/providers/tapp_trial.h"

#include <complex.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/complex_of.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/process.h"
#include "base/random.h"

static const double trial_seconds = 10;
enum { CHECKED = 64 }; /* number of elements that are checked in a large result */
static const int64_t most_elems = (int64_t)1
                                  << 26; /* maximum number of elements of a tensor in a trial;
                                            larger calls count as right without a trial */

struct memory {
    char *elements;
    int64_t elems; /* number of elements that the tensor spans */
    int64_t first; /* position of the element whose indices are all 0 */
};

static double complex get(const void *memory, int64_t at, enum tcplan_dtype dtype) {
    switch (dtype) {
    case TCPLAN_FLOAT: return ((const float *)memory)[at];
    case TCPLAN_FLOAT_COMPLEX: return ((const float complex *)memory)[at];
    case TCPLAN_DOUBLE_COMPLEX: return ((const double complex *)memory)[at];
    case TCPLAN_DOUBLE:
    case TCPLAN_DTYPES: break;
    }
    return ((const double *)memory)[at];
}

static void put(void *memory, int64_t at, enum tcplan_dtype dtype, double complex value) {
    switch (dtype) {
    case TCPLAN_FLOAT: ((float *)memory)[at] = (float)creal(value); return;
    case TCPLAN_FLOAT_COMPLEX: ((float complex *)memory)[at] = (float complex)value; return;
    case TCPLAN_DOUBLE_COMPLEX: ((double complex *)memory)[at] = value; return;
    case TCPLAN_DOUBLE:
    case TCPLAN_DTYPES: break;
    }
    ((double *)memory)[at] = creal(value);
}

/** Returns the value of an element: a whole number from -3 to 3; for complex types, another such
 * number is the imaginary part. */
static double complex number_at(int part, int64_t at, enum tcplan_dtype dtype) {
    const double re = (double)((at * 5 + part * 3) % 7 - 3), im = (double)((at + part) % 5 - 2);
    return tcplan_dtype_is_complex(dtype) ? complex_of(re, im) : re;
}

/** Returns how many elements a tensor spans and the position of its first element; allocates
 * nothing. */
static struct memory span_of(const struct blas_call *call, int part) {
    struct memory span = {.elems = 1};
    for (int l = 0; l < call->loop_count; l++) {
        const int64_t reach = call->loop[l].stride[part] * (call->loop[l].extent - 1);
        span.elems += llabs(reach);
        if (reach < 0) span.first -= reach;
    }
    return span;
}

static bool make(struct memory *out, const struct blas_call *call, enum tcplan_dtype dtype,
                 int part) {
    *out = span_of(call, part);
    out->elements = calloc((size_t)out->elems, tcplan_dtype_bytes(dtype));
    for (int64_t e = 0; out->elements && e < out->elems; e++)
        put(out->elements, e, dtype, number_at(part, e, dtype));
    return out->elements != NULL;
}

static char *start_of(const struct memory *memory, enum tcplan_dtype dtype) {
    return memory->elements + memory->first * (int64_t)tcplan_dtype_bytes(dtype);
}

/** Advances the loops over summed indices, or those over the result's indices, by one step;
 * returns false after the last step. */
static bool advance(const struct blas_call *call, int64_t step[BLAS_CALL_LOOPS], bool summed) {
    for (int l = 0; l < call->loop_count; l++) {
        if ((call->loop[l].stride[2] == 0) != summed) continue;
        if (++step[l] < call->loop[l].extent) return true;
        step[l] = 0;
    }
    return false;
}

static int64_t offset_of(const struct blas_call *call, const int64_t *step, int part) {
    int64_t offset = 0;
    for (int l = 0; l < call->loop_count; l++) offset += step[l] * call->loop[l].stride[part];
    return offset;
}

/** Computes an element of the result by nested loops; *size becomes the sum of magnitudes. */
static double complex expected(const struct blas_call *call, enum tcplan_dtype dtype,
                               const struct memory memory[TCPLAN_OPERANDS], int64_t *step,
                               double *size) {
    const double complex alpha = complex_of(call->alpha.re, call->alpha.im),
                         beta = complex_of(call->beta.re, call->beta.im);
    const double complex old = number_at(2, memory[2].first + offset_of(call, step, 2), dtype);
    double complex sum = 0;
    *size = cabs(beta * old);
    do {
        double complex factor[2];
        for (int f = 0; f < 2; f++) {
            factor[f] = get(memory[f].elements, memory[f].first + offset_of(call, step, f), dtype);
            if (call->conjugated[f]) factor[f] = conj(factor[f]);
        }
        sum += factor[0] * factor[1];
        *size += cabs(alpha * factor[0] * factor[1]);
    } while (advance(call, step, true));
    return alpha * sum + beta * old;
}

static bool is_right(const struct blas_call *call, enum tcplan_dtype dtype,
                     const struct memory memory[TCPLAN_OPERANDS], char *why, size_t bytes) {
    const bool is_single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    const bool checks_all = memory[2].elems <= CHECKED * 4;
    struct random random = {1};
    int64_t step[BLAS_CALL_LOOPS] = {0};
    for (int c = 0; checks_all || c < CHECKED; c++) {
        double size;
        const int64_t at = memory[2].first + offset_of(call, step, 2);
        const double complex want = expected(call, dtype, memory, step, &size);
        const double complex got = get(memory[2].elements, at, dtype);
        if (!(cabs(got - want) <= (size + 1) * (is_single ? 1e-4 : 1e-11))) {
            snprintf(why, bytes, "computes wrongly: an element is %g%+gi, expected %g%+gi",
                     creal(got), cimag(got), creal(want), cimag(want));
            return false;
        }
        if (checks_all && !advance(call, step, false)) break;
        for (int l = 0; !checks_all && l < call->loop_count; l++)
            step[l] =
                call->loop[l].stride[2] != 0 ? random_below(&random, call->loop[l].extent) : 0;
    }
    return true;
}

static bool fits(const struct blas_call *call) {
    int64_t most = 0;
    for (int part = 0; part < TCPLAN_OPERANDS; part++) {
        const int64_t elems = span_of(call, part).elems;
        most = elems > most ? elems : most;
    }
    return most <= most_elems;
}

/** Computes a call and compares the result with nested loops. Runs in the child. */
static struct tapp_trial try_here(const struct tapp_functions *functions,
                                  const struct blas_call *call, enum tcplan_dtype dtype) {
    struct tapp_trial trial = {.verdict = TAPP_REFUSED};
    struct memory memory[TCPLAN_OPERANDS];
    struct tapp_planned product;
    double complex alpha = 0, beta = 0;
    put(&alpha, 0, dtype, complex_of(call->alpha.re, call->alpha.im));
    put(&beta, 0, dtype, complex_of(call->beta.re, call->beta.im));
    for (int part = 0; part < TCPLAN_OPERANDS; part++) {
        if (make(&memory[part], call, dtype, part)) continue;
        snprintf(trial.why, sizeof trial.why, "too little memory to try it");
        return trial;
    }
    if (!tapp_planned_make(&product, functions, call, dtype) ||
        !tapp_planned_execute(&product, &alpha, start_of(&memory[0], dtype),
                              start_of(&memory[1], dtype), &beta, start_of(&memory[2], dtype))) {
        snprintf(trial.why, sizeof trial.why, "%s", product.why);
        return trial;
    }
    trial.verdict =
        is_right(call, dtype, memory, trial.why, sizeof trial.why) ? TAPP_RIGHT : TAPP_BROKEN;
    tapp_planned_free(&product);
    for (int part = 0; part < TCPLAN_OPERANDS; part++) free(memory[part].elements);
    return trial;
}

/** The trial that a child process makes: one call, or the small products if `call` is NULL. */
struct task {
    const char *path;
    const struct blas_call *call;
    enum tcplan_dtype dtype;
};

/** Two matrix products that differ in their storage, a product with a batch index, C_cba = A_aib
 * B_icb (column-major), and a product of scalars. */
static struct blas_call small_call(int number) {
    static const struct blas_call_loop loop[][4] = {
        {{5, {1, 0, 1}}, {4, {0, 1, 5}}, {3, {5, 4, 0}}},
        {{5, {3, 0, 4}}, {4, {0, 3, 1}}, {3, {1, 1, 0}}},
        {{3, {1, 0, 8}}, {4, {6, 4, 2}}, {2, {3, 1, 0}}, {2, {0, 2, 1}}},
        {{1, {0, 0, 0}}},
    };
    static const int count[] = {3, 3, 4, 0};
    struct blas_call call = {.kernel = TCPLAN_LOOPS,
                             .loop_count = count[number],
                             .alpha = {number == 1 ? 2 : 1, 0},
                             .beta = {number == 1 ? -1 : 0, 0}};
    memcpy(call.loop, loop[number], sizeof loop[number]);
    return call;
}
enum { SMALL_CALLS = 4 };

/** Returns TAPP_RIGHT if the library computes all small products of at least one type correctly.
 * That suffices, because each other product is tried before it is used. */
static struct tapp_trial try_small(const struct tapp_functions *functions) {
    struct tapp_trial trial = {.verdict = TAPP_RIGHT};
    for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
        int right = 0;
        for (int number = 0; number < SMALL_CALLS; number++) {
            const struct blas_call call = small_call(number);
            const struct tapp_trial one = try_here(functions, &call, (enum tcplan_dtype)dtype);
            right += one.verdict == TAPP_RIGHT;
            if (one.verdict != TAPP_RIGHT && trial.verdict != TAPP_BROKEN) trial = one;
        }
        if (right == SMALL_CALLS) return (struct tapp_trial){.verdict = TAPP_RIGHT};
    }
    return trial;
}

static void run_child(struct tapp_trial *out, const struct task *task) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    struct tapp_functions functions = {0};
    struct tcplan_error error;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (size_t s = 0; s < sizeof signals / sizeof *signals; s++) signal(signals[s], SIG_DFL);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    void *library = tapp_library_open(task->path);
    struct tapp_trial trial = {.verdict = TAPP_BROKEN};
    if (!library) {
        snprintf(trial.why, sizeof trial.why, "cannot be opened: %.150s", dlerror());
    } else if (tapp_functions_find(&functions, library, task->path, &error) != TCPLAN_OK) {
        snprintf(trial.why, sizeof trial.why, "lacks a function of TAPP");
    } else {
        trial = task->call ? try_here(&functions, task->call, task->dtype) : try_small(&functions);
    }
    *out = trial;
    _exit(0);
}

/** Waits for the child. If it crashed, ended with another status than 0 or exceeded the time limit,
 * `*out` becomes TAPP_BROKEN with the reason. */
static void judge_end(struct tapp_trial *out, pid_t child) {
    int status = 0;
    const int waited = process_wait(&status, child, deadline_in(trial_seconds));
    if (waited == ETIMEDOUT) {
        kill(child, SIGKILL);
        process_collect(&status, child);
        out->verdict = TAPP_BROKEN;
        snprintf(out->why, sizeof out->why, "does not answer within %g s", trial_seconds);
    } else if (waited == 0 && WIFSIGNALED(status)) {
        out->verdict = TAPP_BROKEN;
        snprintf(out->why, sizeof out->why, "crashes (signal %d)", WTERMSIG(status));
    } else if (waited == 0 && WEXITSTATUS(status) != 0) {
        out->verdict = TAPP_BROKEN;
        snprintf(out->why, sizeof out->why, "ends the process (status %d)", WEXITSTATUS(status));
    }
}

static struct tapp_trial try_apart(const struct task *task) {
    struct tapp_trial trial = {.verdict = TAPP_REFUSED,
                               .why = "the process that tries it cannot be started"};
    struct tapp_trial *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return trial;
    *shared = (struct tapp_trial){.verdict = TAPP_BROKEN, .why = "ends the process"};
    const pid_t child = fork();
    if (child == 0) run_child(shared, task);
    if (child > 0) {
        judge_end(shared, child);
        trial = *shared;
    }
    munmap(shared, sizeof *shared);
    return trial;
}

struct tapp_trial tapp_try(const char *path, const struct blas_call *call,
                           enum tcplan_dtype dtype) {
    if (!fits(call)) return (struct tapp_trial){.verdict = TAPP_RIGHT};
    return try_apart(&(struct task){.path = path, .call = call, .dtype = dtype});
}

struct tapp_trial tapp_try_library(const char *path) {
    return try_apart(&(struct task){.path = path});
}
