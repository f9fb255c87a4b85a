#include "torture/execute.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tapp.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "support/rng.h"
#include "tcplan/emit.h"
#include "tcplan/nest.h"
#include "tcplan/program.h"
#include "tcplan/tcplan.h"
#include "torture/caller.h"
#include "torture/expression.h"
#include "torture/operands.h"

/** Returns whether a compiler accepts an option. */
static bool compiles(const char *compiler, const char *option) {
    char command[160];
    snprintf(command, sizeof command,
             "echo 'int main(void) { return 0; }' | %s %s -x c -o /dev/null - >/dev/null 2>&1",
             compiler, option);
    return system(command) == 0; /* NOLINT: the command line is a constant of this test */
}

static const char *native[2]; /* for each compiler: its option for code of this processor; empty if
                                 it compiles for another one */

int execute_compilers(const char *out[2]) {
    static const char *const names[] = {"gcc", "clang"};
    static const char *there[2];
    static int count = -1;
    const bool is_known = count >= 0;
    if (!is_known) count = 0;
    for (int c = 0; c < 2 && !is_known; c++) {
        if (!compiles(names[c], "")) continue;
        native[count] = compiles(names[c], "-march=native") ? "-march=native" : "";
        there[count++] = names[c];
    }
    for (int c = 0; c < count; c++) out[c] = there[c];
    return count;
}

static execute_note *note;

void execute_set_note(execute_note *function) {
    note = function;
}

enum execute_outcome execute_say(enum execute_outcome outcome, char *why, size_t size,
                                 const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(why, size, format, list);
    va_end(list);
    return outcome;
}

enum execute_outcome execute_refusal(enum tcplan_status status, const struct tcplan_error *error,
                                     char *why, size_t size) {
    const bool is_fine = status == TCPLAN_NOT_APPLICABLE || status == TCPLAN_NO_MEMORY;
    return execute_say(is_fine ? EXECUTE_SKIPPED : EXECUTE_WRONG, why, size, "status %d: %s",
                       (int)status, error->message);
}

static enum execute_outcome judge(struct operands *operands, char *why, size_t size) {
    const char *wrong = operands_wrong(operands);
    return wrong ? execute_say(EXECUTE_WRONG, why, size, "%s", wrong) : EXECUTE_RIGHT;
}

/* In this process. */

static enum tcplan_status build_nest(struct tcplan_nest **nest,
                                     const struct tcplan_contraction *contraction,
                                     const struct subject *subject, struct tcplan_error *error) {
    struct tcplan_algorithm algorithm;
    enum tcplan_status status =
        tcplan_algorithm_parse(&algorithm, contraction, subject->dtype, subject->algorithm, error);
    return status == TCPLAN_OK ? tcplan_nest_build(nest, contraction, &algorithm, error) : status;
}

static enum execute_outcome run_program(const struct subject *subject,
                                        const struct tcplan_problem *problem, char *why,
                                        size_t size) {
    struct tcplan_nest *nest = NULL;
    struct tcplan_program *program = NULL;
    struct operands operands = {0};
    struct tcplan_error error = {0};
    enum execute_outcome outcome = EXECUTE_SKIPPED;
    enum tcplan_status status = build_nest(&nest, problem->contraction, subject, &error);
    if (status == TCPLAN_OK) status = tcplan_program_build(&program, nest, problem, &error);
    if (status == TCPLAN_OK) status = tcplan_program_set_threads(program, subject->threads, &error);
    if (status == TCPLAN_OK &&
        operands_init(&operands, problem, subject, problem->alpha, problem->beta)) {
        status = tcplan_program_run_adding(
            program, operands_at(&operands, TCPLAN_A), operands_at(&operands, TCPLAN_B),
            operands_at(&operands, TCPLAN_ADDEND), operands_at(&operands, TCPLAN_C), &error);
        if (status == TCPLAN_OK) outcome = judge(&operands, why, size);
    }
    if (status != TCPLAN_OK) outcome = execute_refusal(status, &error, why, size);
    operands_free(&operands);
    tcplan_program_free(program);
    tcplan_nest_free(nest);
    return outcome;
}

static void pack_scalar(double out[2], struct tcplan_scalar scalar, enum tcplan_dtype dtype) {
    float *single = (float *)(void *)out;
    const bool is_single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    if (is_single) {
        single[0] = (float)scalar.re, single[1] = (float)scalar.im;
    } else {
        out[0] = scalar.re, out[1] = scalar.im;
    }
}

static struct tcplan_scalar other_scalar(enum tcplan_dtype dtype, uint64_t *random) {
    static const double parts[] = {0, -0.0, 1, -1, 2};
    return (struct tcplan_scalar){.re = parts[rng_below(random, 5)],
                                  .im = tcplan_dtype_is_complex(dtype) ? rng_below(random, 3) - 1
                                                                       : 0};
}

enum { AT_ONCE = 3 };

/** An execution of a plan, possibly at the same time as others: it has a result and sometimes a
 * workspace of its own. */
struct run {
    struct tcplan_plan *plan;
    struct tcplan_execution execution;
    struct operands operands;
    struct pages workspace;
    enum tcplan_status status;
    struct tcplan_error error;
};

/** Arguments of an execution other than tensors. */
struct run_options {
    bool has_factors, has_workspace;
    struct tcplan_scalar alpha, beta;
    double packed_alpha[2], packed_beta[2];
};

static bool conjugates_result(const struct subject *subject) {
    return subject->tensor[TCPLAN_C].conjugated && tcplan_dtype_is_complex(subject->dtype);
}

/** Returns alpha or beta as an execution must receive it. If the product conjugates its result, it
 * also conjugates these factors. */
static struct tcplan_scalar as_said(const struct subject *subject, struct tcplan_scalar factor) {
    if (conjugates_result(subject)) factor.im = -factor.im;
    return factor;
}

static struct run_options draw_options(const struct subject *subject,
                                       const struct tcplan_problem *problem) {
    uint64_t random = subject->seed ^ 0xfac705;
    struct run_options out = {.has_factors = rng_once_in(&random, 2),
                              .has_workspace = rng_once_in(&random, 2)};
    out.alpha = out.has_factors ? other_scalar(subject->dtype, &random) : problem->alpha;
    out.beta = out.has_factors ? other_scalar(subject->dtype, &random) : problem->beta;
    pack_scalar(out.packed_alpha, as_said(subject, out.alpha), subject->dtype);
    pack_scalar(out.packed_beta, as_said(subject, out.beta), subject->dtype);
    return out;
}

/** Prepares an execution. Its workspace has exactly the required size, contains NaN, and ends at an
 * inaccessible page. */
static bool run_init(struct run *run, const struct subject *subject,
                     const struct tcplan_problem *problem, struct tcplan_plan *plan,
                     const struct run_options *options) {
    const int64_t bytes =
        options->has_workspace ? tcplan_plan_workspace(plan, subject->threads) : 0;
    *run = (struct run){.plan = plan};
    if (bytes < 0 ||
        !operands_init(&run->operands, problem, subject, options->alpha, options->beta))
        return false;
    /* An addend that only the execution adds is on the right-hand side, all of which is
     * conjugated. */
    run->operands.conjugates_before =
        conjugates_result(subject) && problem->beta.re == 0 && problem->beta.im == 0;
    if (bytes > 0 && !pages_init(&run->workspace, (size_t)bytes, 0, 1, true)) return false;
    run->execution =
        (struct tcplan_execution){.size = sizeof run->execution,
                                  .A = operands_at(&run->operands, TCPLAN_A),
                                  .B = operands_at(&run->operands, TCPLAN_B),
                                  .C = operands_at(&run->operands, TCPLAN_ADDEND),
                                  .D = operands_at(&run->operands, TCPLAN_C),
                                  .alpha = options->has_factors ? options->packed_alpha : NULL,
                                  .beta = options->has_factors ? options->packed_beta : NULL,
                                  .workspace = run->workspace.memory,
                                  .workspace_bytes = bytes,
                                  .threads = subject->threads};
    return true;
}

static void *run_once(void *context) {
    struct run *run = context;
    run->status = tcplan_plan_run(run->plan, &run->execution, &run->error);
    return NULL;
}

static void run_at_once(struct run runs[], int count) {
    pthread_t thread[AT_ONCE];
    bool is_there[AT_ONCE] = {false};
    for (int r = 1; r < count; r++)
        is_there[r] = pthread_create(&thread[r], NULL, run_once, &runs[r]) == 0;
    run_once(&runs[0]);
    for (int r = 1; r < count; r++) {
        if (is_there[r]) pthread_join(thread[r], NULL);
        if (!is_there[r]) run_once(&runs[r]);
    }
}

/** Executes a plan twice, more often if executions try other algorithms; sometimes by several
 * threads at once. */
static enum execute_outcome run_plan(const struct subject *subject,
                                     const struct tcplan_problem *problem, struct tcplan_plan *plan,
                                     char *why, size_t size) {
    const int count =
        subject->seed / 11 % 8 == 0 ? 2 + (int)(subject->seed / 88 % (AT_ONCE - 1)) : 1;
    const int times = tcplan_plan_origin(plan) == TCPLAN_PLAN_NAMED ? 2 : 4;
    const struct run_options options = draw_options(subject, problem);
    struct run runs[AT_ONCE] = {0};
    bool is_ready = true;
    for (int r = 0; r < count && is_ready; r++)
        is_ready = run_init(&runs[r], subject, problem, plan, &options);
    enum execute_outcome outcome =
        is_ready ? EXECUTE_RIGHT : execute_say(EXECUTE_SKIPPED, why, size, "no memory");
    for (int time = 0; time < times && outcome == EXECUTE_RIGHT; time++) {
        for (int r = 0; r < count && time > 0; r++) operands_reset(&runs[r].operands);
        run_at_once(runs, count);
        for (int r = 0; r < count && outcome == EXECUTE_RIGHT; r++) {
            outcome = runs[r].status == TCPLAN_OK
                          ? judge(&runs[r].operands, why, size)
                          : execute_refusal(runs[r].status, &runs[r].error, why, size);
        }
    }
    for (int r = 0; r < count; r++) {
        operands_free(&runs[r].operands);
        pages_free(&runs[r].workspace);
    }
    return outcome;
}

/** Sets random options of a planner: an alignment, which arrays may lack, a limit on temporaries,
 * improvement by executions, planning by timing. */
static enum tcplan_status set_up(struct tcplan_planner *planner, const struct subject *subject,
                                 struct tcplan_error *error) {
    uint64_t random = subject->seed ^ 0xa119;
    const int64_t alignment = rng_once_in(&random, 2) ? INT64_C(8) << rng_below(&random, 10) : 0;
    const int64_t workspace = rng_once_in(&random, 6) ? INT64_C(1) << rng_below(&random, 16) : 0;
    const int improving = rng_once_in(&random, 3) ? 1 + rng_below(&random, 3) : 0;
    const bool is_timed = rng_once_in(&random, 25);
    enum tcplan_status status = tcplan_planner_set_threads(planner, subject->threads, NULL);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_effort(
            planner, is_timed ? TCPLAN_EFFORT_QUICK : TCPLAN_EFFORT_ESTIMATE, NULL);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_time_limit(planner, is_timed ? 0.05 : 0, NULL);
    if (status == TCPLAN_OK) status = tcplan_planner_set_alignment(planner, alignment, NULL);
    if (status == TCPLAN_OK) status = tcplan_planner_set_workspace(planner, workspace, NULL);
    if (status == TCPLAN_OK) status = tcplan_planner_set_improving(planner, improving, NULL);
    if (status != TCPLAN_OK && !*error->message)
        snprintf(error->message, sizeof error->message, "the planner cannot be set up");
    return status;
}

static enum execute_outcome run_api(const struct subject *subject,
                                    const struct tcplan_problem *problem, char *why, size_t size) {
    char *notation = subject_notation(subject), *sizes = subject_sizes(subject),
         *strides = subject_strides(subject);
    struct tcplan_product *product = NULL;
    struct tcplan_planner *planner = NULL;
    struct tcplan_plan *plan = NULL;
    struct tcplan_error error = {0};
    enum tcplan_status status = tcplan_product_parse(&product, notation, sizes, strides,
                                                     subject->dtype, subject->order, &error);
    if (status == TCPLAN_OK) status = tcplan_planner_new(&planner, &error);
    if (status == TCPLAN_OK) status = set_up(planner, subject, &error);
    if (status == TCPLAN_OK) {
        status = subject->way == SUBJECT_API
                     ? tcplan_plan_named(&plan, planner, product, subject->algorithm, &error)
                     : tcplan_plan_new(&plan, planner, product, &error);
    }
    const enum execute_outcome outcome = status == TCPLAN_OK
                                             ? run_plan(subject, problem, plan, why, size)
                                             : execute_refusal(status, &error, why, size);
    tcplan_plan_free(plan);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
    free(notation);
    free(sizes);
    free(strides);
    return outcome;
}

/* Describes a tensor for TAPP: D is the result, C the addend. Without an addend of its own, the
 * product adds D. */

static void describe_tensor(const struct tcplan_problem *problem, int t, int64_t extent[],
                            int64_t stride[], int64_t label[]) {
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[t];
    int64_t dense = 1;
    for (int d = 0; d < tensor->rank; d++) {
        label[d] = tensor->dims[d];
        extent[d] = problem->extent[tensor->dims[d]];
        stride[d] = tensor->stride[d];
    }
    for (int step = 0; step < tensor->rank && !tensor->strided; step++) {
        const int d =
            problem->contraction->order == TCPLAN_ROW_MAJOR ? tensor->rank - 1 - step : step;
        stride[d] = dense;
        dense *= extent[d];
    }
}

/** Sorts the dimensions of C like those of D. Returns false if an index occurs twice in D: C then
 * has other indices. */
static bool order_addend(int64_t extent[][TCPLAN_MAX_RANK], int64_t stride[][TCPLAN_MAX_RANK],
                         int64_t label[][TCPLAN_MAX_RANK], int rank_C, int rank_D) {
    int64_t ordered[TCPLAN_MAX_RANK] = {0};
    if (rank_C != rank_D) return false;
    for (int d = 0; d < rank_D; d++) {
        for (int own = 0; own < rank_C; own++) {
            if (label[2][own] == label[3][d]) ordered[d] = stride[2][own];
        }
    }
    memcpy(stride[2], ordered, sizeof ordered);
    memcpy(extent[2], extent[3], sizeof ordered);
    memcpy(label[2], label[3], sizeof ordered);
    return true;
}

static enum execute_outcome run_tapp(const struct subject *subject,
                                     const struct tcplan_problem *problem, char *why, size_t size) {
    static const int source[TCPLAN_TENSORS] = {TCPLAN_A, TCPLAN_B, TCPLAN_ADDEND, TCPLAN_C};
    static const TAPP_datatype type[TCPLAN_DTYPES] = {[TCPLAN_FLOAT] = TAPP_F32,
                                                      [TCPLAN_DOUBLE] = TAPP_F64,
                                                      [TCPLAN_FLOAT_COMPLEX] = TAPP_C32,
                                                      [TCPLAN_DOUBLE_COMPLEX] = TAPP_C64};
    static TAPP_handle handle;
    static TAPP_executor executor;
    int64_t extent[TCPLAN_TENSORS][TCPLAN_MAX_RANK], stride[TCPLAN_TENSORS][TCPLAN_MAX_RANK],
        label[TCPLAN_TENSORS][TCPLAN_MAX_RANK];
    TAPP_tensor_info info[TCPLAN_TENSORS] = {0};
    TAPP_element_op op[TCPLAN_TENSORS] = {TAPP_IDENTITY, TAPP_IDENTITY, TAPP_IDENTITY,
                                          TAPP_IDENTITY};
    TAPP_tensor_product product = 0;
    TAPP_error error = 0;
    double alpha[2], beta[2];
    int rank[TCPLAN_TENSORS];
    char text[300] = "";
    if (!handle && (TAPP_create_handle(&handle) || TAPP_create_executor(&executor)))
        return execute_say(EXECUTE_WRONG, why, size, "no handle");
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const int from = t == 2 && !subject->has_addend ? TCPLAN_C : source[t];
        const struct tcplan_tensor *tensor = &problem->contraction->tensor[from];
        describe_tensor(problem, from, extent[t], stride[t], label[t]);
        rank[t] = tensor->rank;
        if (t < 3 && tensor->conjugated) op[t] = TAPP_CONJUGATE;
    }
    if (subject->has_addend && !order_addend(extent, stride, label, rank[2], rank[3]))
        return execute_say(EXECUTE_SKIPPED, why, size, "a diagonal");
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        error = error ? error
                      : TAPP_create_tensor_info(&info[t], type[subject->dtype], rank[t], extent[t],
                                                stride[t]);
    }
    if (!error) {
        error = TAPP_create_tensor_product(&product, handle, op[0], info[0], label[0], op[1],
                                           info[1], label[1], op[2], info[2], label[2], op[3],
                                           info[3], label[3], TAPP_DEFAULT_PREC);
    }
    struct operands operands = {0};
    const bool is_ready =
        !error && operands_init(&operands, problem, subject, problem->alpha, problem->beta);
    pack_scalar(alpha, problem->alpha, subject->dtype);
    pack_scalar(beta, problem->beta, subject->dtype);
    if (is_ready) {
        void *D = operands_at(&operands, TCPLAN_C), *C = operands_at(&operands, TCPLAN_ADDEND);
        error =
            TAPP_execute_product(product, executor, NULL, alpha, operands_at(&operands, TCPLAN_A),
                                 operands_at(&operands, TCPLAN_B), beta, C ? C : D, D);
    }
    if (error) TAPP_explain_error(error, sizeof text, text);
    const enum execute_outcome outcome =
        error      ? execute_say(EXECUTE_WRONG, why, size, "TAPP: %d, %s", error, text)
        : is_ready ? judge(&operands, why, size)
                   : execute_say(EXECUTE_SKIPPED, why, size, "no memory");
    operands_free(&operands);
    if (product) TAPP_destroy_tensor_product(product);
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        if (info[t]) TAPP_destroy_tensor_info(info[t]);
    }
    return outcome;
}

/* Emitted C. */

typedef int plain_function(const void *A, const void *B, void *C);
typedef int adding_function(const void *A, const void *B, const void *C, void *D);

static bool is_expression(const struct subject *subject) {
    return subject->way == SUBJECT_NETWORK;
}

static enum execute_outcome emit(struct strbuf *all, const struct subject *subject, int number,
                                 char *why, size_t size) {
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
    struct tcplan_error error = {0};
    struct tcplan_nest *nest = NULL;
    char name[32], *text = NULL;
    snprintf(name, sizeof name, "f%d", number);
    if (is_expression(subject)) return expression_emit(all, subject, name, why, size);
    const struct tcplan_emit_options options = {.function = name, .threads = subject->threads};
    if (!subject_problem(&contraction, &problem, subject, &error))
        return execute_say(EXECUTE_WRONG, why, size, "refused: %s", error.message);
    enum tcplan_status status = build_nest(&nest, contraction, subject, &error);
    if (status == TCPLAN_OK) status = tcplan_emit_c(&text, nest, &problem, &options, &error);
    if (status == TCPLAN_OK) strbuf_add(all, "%s\n", text);
    free(text);
    tcplan_nest_free(nest);
    tcplan_contraction_free(contraction);
    return status == TCPLAN_OK ? EXECUTE_RIGHT : execute_refusal(status, &error, why, size);
}

/** Collects the linker options of all functions in a text, each once. */
static void find_libraries(char *out, size_t size, const char *text) {
    static const char mark[] = "link: ";
    size_t length = 0;
    *out = '\0';
    for (const char *at = strstr(text, mark); at; at = strstr(at, mark)) {
        const char *end = at + strcspn(at, "\n");
        at += sizeof mark - 1;
        for (int word; at < end; at += word + (at[word] == ' ')) {
            char option[100];
            word = (int)strcspn(at, " \n");
            snprintf(option, sizeof option, " %.*s", word, at);
            if (!strstr(out, option) && length + strlen(option) < size)
                length += (size_t)snprintf(out + length, size - length, "%s", option);
        }
    }
}

/** Runs a command like system(), but in a separate process group. A signal to this process's
 * group then does not end a compiler, which would look like a failed check. */
static bool run_command(const char *command) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Removes a compilation folder. Its name is torture-PROCESS-XXXXXX, with the number of the
 * watching process, or failed-XXXXXX if its text is to be inspected. */

static void remove_folder(const char *folder) {
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (!run_command(command)) perror(folder);
}

void execute_sweep(void) {
    DIR *here = opendir(".");
    for (const struct dirent *entry; here && (entry = readdir(here));) {
        int process, length = 0;
        if (sscanf(entry->d_name, "torture-%d-%*6[A-Za-z0-9]%n", &process, &length) != 1 ||
            length == 0 || entry->d_name[length])
            continue;
        if (process == getpid() || (kill(process, 0) != 0 && errno == ESRCH))
            remove_folder(entry->d_name);
    }
    if (here) closedir(here);
}

/** Compiles and loads a text with the compiler of the check; to be closed with dlclose(). NULL if
 * the text does not compile: `why` receives the message. */
static void *compile(const struct subject *subject, const char *text, char *why, size_t size) {
    const char *compilers[2];
    const int count = execute_compilers(compilers);
    char folder[32], failed[] = "failed-XXXXXX", path[64], libraries[300], command[900];
    void *handle = NULL;
    snprintf(folder, sizeof folder, "torture-%d-XXXXXX", (int)getppid());
    if (count == 0 || !mkdtemp(folder)) return NULL;
    find_libraries(libraries, sizeof libraries, text);
    snprintf(path, sizeof path, "%s/text.c", folder);
    FILE *file = fopen(path, "w");
    const bool is_written = file && fputs(text, file) >= 0;
    if (file) fclose(file);
    /* BLIS's header needs POSIX definitions, which an earlier header may have disabled. */
    snprintf(
        command, sizeof command,
        "cd %s && %s -std=c11 -D_POSIX_C_SOURCE=200809L -O%d %s -Wall -Wextra -Wpedantic -Werror -shared -fPIC text.c -o text.so%s "
        ">log 2>&1",
        folder, compilers[subject->compiler % count], subject->level,
        subject->seed / 7 % 2 ? native[subject->compiler % count] : "", libraries);
    snprintf(path, sizeof path, "./%s/text.so", folder);
    const bool is_built = is_written && run_command(command);
    if (is_built) handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        if (!mkdtemp(failed) || rename(folder, failed) != 0) perror(failed);
        execute_say(EXECUTE_WRONG, why, size, "does not compile: %.400s (%s/log)", command, failed);
        return NULL;
    }
    remove_folder(folder);
    return handle;
}

static enum execute_outcome run_emitted(const struct subject *subject, void *handle, int number,
                                        char *why, size_t size) {
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
    struct tcplan_error error = {0};
    struct operands operands;
    char name[32];
    plain_function *plain;
    adding_function *adding;
    if (note) note(subject);
    snprintf(name, sizeof name, "%sf%d", is_expression(subject) ? "call_" : "", number);
    void *symbol = dlsym(handle, name);
    if (!symbol) return execute_say(EXECUTE_WRONG, why, size, "no function %s", name);
    if (is_expression(subject)) return expression_run_emitted(subject, symbol, why, size);
    if (!subject_problem(&contraction, &problem, subject, &error))
        return execute_say(EXECUTE_WRONG, why, size, "refused: %s", error.message);
    memcpy(&plain, &symbol, sizeof plain);
    memcpy(&adding, &symbol, sizeof adding);
    enum execute_outcome outcome = execute_say(EXECUTE_SKIPPED, why, size, "no memory");
    if (operands_init(&operands, &problem, subject, problem.alpha, problem.beta)) {
        const void *A = operands_at(&operands, TCPLAN_A), *B = operands_at(&operands, TCPLAN_B),
                   *C = operands_at(&operands, TCPLAN_ADDEND);
        void *D = operands_at(&operands, TCPLAN_C);
        const int code = subject->has_addend ? adding(A, B, C, D) : plain(A, B, D);
        outcome = code ? execute_say(EXECUTE_SKIPPED, why, size, "returned %d", code)
                       : judge(&operands, why, size);
    }
    operands_free(&operands);
    tcplan_contraction_free(contraction);
    return outcome;
}

void execute_emitted(const struct subject subjects[], int count, enum execute_outcome outcome[],
                     char *why, size_t size) {
    struct strbuf all = {0};
    bool is_any = false;
    const char *compilers[2];
    if (execute_compilers(compilers) == 0) {
        for (int s = 0; s < count; s++)
            outcome[s] = execute_say(EXECUTE_SKIPPED, why, size, "neither gcc nor clang is here");
        return;
    }
    for (int s = 0; s < count; s++) {
        outcome[s] = emit(&all, &subjects[s], s, why, size);
        if (outcome[s] == EXECUTE_WRONG) break;
        is_any = is_any || outcome[s] == EXECUTE_RIGHT;
    }
    char *text = strbuf_finish(&all);
    void *handle = text && is_any ? compile(&subjects[0], text, why, size) : NULL;
    for (int s = 0; s < count && is_any; s++) {
        if (outcome[s] == EXECUTE_RIGHT)
            outcome[s] = handle ? run_emitted(&subjects[s], handle, s, why, size) : EXECUTE_WRONG;
        if (outcome[s] == EXECUTE_WRONG) break;
    }
    if (handle) dlclose(handle);
    free(text);
}

static enum execute_outcome execute_product(const struct subject *subject, char *why, size_t size) {
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
    struct tcplan_error error = {0};
    enum execute_outcome outcome = EXECUTE_SKIPPED;
    if (!subject_problem(&contraction, &problem, subject, &error))
        return execute_say(EXECUTE_WRONG, why, size, "refused: %s", error.message);
    if (subject->way == SUBJECT_PROGRAM) {
        outcome = run_program(subject, &problem, why, size);
    } else if (subject->way == SUBJECT_TAPP) {
        outcome = run_tapp(subject, &problem, why, size);
    } else {
        outcome = run_api(subject, &problem, why, size);
    }
    tcplan_contraction_free(contraction);
    return outcome;
}

enum execute_outcome execute(const struct subject *subject, char *why, size_t size) {
    enum execute_outcome outcome = EXECUTE_SKIPPED;
    struct caller caller;
    *why = '\0';
    caller_record(&caller);
    if (subject->way == SUBJECT_EMITTED ||
        (is_expression(subject) && subject->expression.is_emitted)) {
        execute_emitted(subject, 1, &outcome, why, size);
    } else if (is_expression(subject)) {
        outcome = expression_execute(subject, why, size);
    } else {
        outcome = execute_product(subject, why, size);
    }
    const char *changed = caller_changed(&caller);
    if (changed && outcome != EXECUTE_WRONG)
        outcome = execute_say(EXECUTE_WRONG, why, size, "%s", changed);
    return outcome;
}
