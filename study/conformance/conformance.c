/*
 * A case is a product. A fresh process (study/worker.h) opens the library, computes the product and
 * judges the result. This process never opens the library, so the library cannot harm it.
 */
#include "tcplan/study/conformance.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/deadline.h"
#include "base/error.h"
#include "study/conformance/cases.h"
#include "study/conformance/reduce.h"
#include "study/worker.h"

enum { FINDINGS_MAX = 24, FUNCTION_BYTES = 64 };
static const double usual_case_seconds = 10;
/* time limit of a reduction, as a multiple of that of a case */
static const double reduction_cases = 20;

struct tcplan_conformance {
    enum tcplan_conformance_kind kind;
    int rule_count;
    struct tcplan_conformance_rule rule[RULES_MAX];
    int finding_count;
    struct tcplan_conformance_finding finding[FINDINGS_MAX];
    struct arena texts;
};

/** A request to a process. */
struct request {
    bool only_opens;
    struct product product;
};

/** The answer of a process. */
struct answer {
    enum tcplan_status status; /* status of opening the library */
    enum tcplan_conformance_kind kind;
    struct judged judged;
    struct tcplan_error error;
};

/** State of checking one library. */
struct checker {
    const char *path;
    const struct tcplan_conformance_options *options;
    double case_seconds;
    FILE *errors;   /* receives the library's standard error; NULL: it is discarded */
    char *function; /* shared with processes: the name of the function that is being called */
    struct tcplan_conformance *out;
};

/** Answers the request for a case (a worker_answer_fn). */
static struct worker_message answer_case(void *context, const struct worker_message *message) {
    const struct checker *checker = context;
    const struct request *request = message->data;
    struct answer *answer = base_alloc_zero(1, sizeof *answer);
    struct library library;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (!answer) return (struct worker_message){0};
    library_let_crash();
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    if (checker->errors) dup2(fileno(checker->errors), STDERR_FILENO);
    answer->status = library_open(&library, checker->path, &answer->error);
    answer->kind = library.kind;
    library.tapp.function = checker->function;
    if (answer->status == TCPLAN_OK && !request->only_opens)
        answer->judged = library_judge(&library, &request->product);
    return (struct worker_message){.data = answer, .bytes = sizeof *answer};
}

/** Appends the function that was called last, and the first line that the library wrote to its
 * standard error. */
static void add_place(const struct checker *checker, char *why, size_t size) {
    char text[160];
    const ssize_t length =
        checker->errors ? pread(fileno(checker->errors), text, sizeof text - 1, 0) : 0;
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    const size_t used = strlen(why);
    snprintf(why + used, size - used, "%s%s%s%s", *checker->function ? " in " : "",
             checker->function, *text ? ": " : "", text);
}

/** Clears the function name and the error output of an earlier process. */
static void forget(struct checker *checker) {
    *checker->function = '\0';
    if (!checker->errors) return;
    rewind(checker->errors);
    if (ftruncate(fileno(checker->errors), 0) == 0) return;
    fclose(checker->errors);
    checker->errors = NULL;
}

/** Runs a case in a separate process. A crash or a timeout is also an answer, with the status
 * TCPLAN_OK. Another status means that no process could be started or memory ran out. */
static enum tcplan_status ask(struct answer *out, struct checker *checker,
                              const struct request *request, struct tcplan_error *error) {
    struct worker worker = {
        .answer = answer_case, .context = checker, .patience_seconds = checker->case_seconds};
    struct request copy = *request;
    const struct worker_message message = {.data = &copy, .bytes = sizeof copy};
    struct worker_message reply;
    struct tcplan_error reason = {0};
    forget(checker);
    const double begin = monotonic_seconds();
    const enum worker_end end = worker_ask(&worker, &message, &reply, &reason);
    worker_stop(&worker);
    *out = (struct answer){0};
    if (end == WORKER_ANSWERED && reply.bytes == sizeof *out) {
        memcpy(out, reply.data, sizeof *out);
        free(reply.data);
        return TCPLAN_OK;
    }
    if (end == WORKER_ANSWERED) return error_no_memory(error);
    if (end == WORKER_UNAVAILABLE) {
        if (error) *error = reason;
        return reason.status;
    }
    const bool is_late = monotonic_seconds() - begin >= checker->case_seconds &&
                         strncmp(reason.message, "ended", 5) == 0;
    out->judged.outcome = is_late ? TCPLAN_CONFORMANCE_HUNG : TCPLAN_CONFORMANCE_CRASHED;
    if (is_late)
        snprintf(out->judged.why, sizeof out->judged.why, "no answer within %g s",
                 checker->case_seconds);
    else
        snprintf(out->judged.why, sizeof out->judged.why, "%s", reason.message);
    add_place(checker, out->judged.why, sizeof out->judged.why);
    return TCPLAN_OK;
}

static bool is_failure(enum tcplan_conformance_outcome outcome) {
    return outcome != TCPLAN_CONFORMANCE_PASSED && outcome != TCPLAN_CONFORMANCE_SKIPPED;
}

/* Reducing. */

/** Makes a failing product smaller as long as it fails in the same way, until the time limit. */
static enum tcplan_status reduce(struct product *product, struct judged *judged,
                                 struct checker *checker, struct tcplan_error *error) {
    const double end = monotonic_seconds() + reduction_cases * checker->case_seconds;
    struct request request;
    struct answer answer;
    int step = 0;
    memset(&request, 0, sizeof request);
    for (;;) {
        const int found = product_reduce(&request.product, product, step++);
        if (found < 0 || monotonic_seconds() >= end) return TCPLAN_OK;
        if (found == 0) continue;
        const enum tcplan_status status = ask(&answer, checker, &request, error);
        if (status != TCPLAN_OK) return status;
        if (answer.judged.outcome != judged->outcome) continue;
        *product = request.product;
        *judged = answer.judged;
        step = 0;
    }
}

/* Results. */

static struct tcplan_conformance_rule *rule_of(struct tcplan_conformance *out, const char *name) {
    int r = 0;
    while (strcmp(out->rule[r].name, name) != 0) r++;
    return &out->rule[r];
}

/** Moves a text into the memory of the result; returns NULL if that runs out. */
static const char *keep(struct tcplan_conformance *out, struct strbuf *text) {
    const char *kept = text->failed ? NULL : arena_strndup(&out->texts, text->text, text->length);
    strbuf_free(text);
    return kept;
}

/** Finds the finding of a rule or, if `einsum` is not NULL, the finding that was reduced to this
 * product. */
static struct tcplan_conformance_finding *find(struct tcplan_conformance *out, const char *rule,
                                               const char *einsum) {
    for (int f = 0; f < out->finding_count; f++) {
        struct tcplan_conformance_finding *finding = &out->finding[f];
        const bool is_same =
            einsum ? strcmp(finding->einsum, einsum) == 0 : strcmp(finding->rule, rule) == 0;
        if (is_same) return finding;
    }
    return NULL;
}

static enum tcplan_status add_finding(struct checker *checker, struct named_product *named,
                                      struct judged judged, struct tcplan_error *error) {
    struct tcplan_conformance *out = checker->out;
    struct strbuf einsum = {0}, code = {0};
    const bool is_random = strcmp(named->rule, "random") == 0;
    struct tcplan_conformance_finding *known = is_random ? NULL : find(out, named->rule, NULL);
    if (known) {
        known->count++;
        return TCPLAN_OK;
    }
    if (out->finding_count == FINDINGS_MAX) return TCPLAN_OK;
    const enum tcplan_status status = reduce(&named->product, &judged, checker, error);
    if (status != TCPLAN_OK) return status;
    product_add_einsum(&einsum, &named->product);
    if (!einsum.failed && is_random) known = find(out, named->rule, einsum.text);
    if (known) {
        known->count++;
        strbuf_free(&einsum);
        return TCPLAN_OK;
    }
    product_add_code(&code, &named->product, judged.why);
    struct tcplan_conformance_finding finding = {
        .rule = rule_of(out, named->rule)->name,
        .name = arena_strndup(&out->texts, named->name, strlen(named->name)),
        .outcome = judged.outcome,
        .why = arena_strndup(&out->texts, judged.why, strlen(judged.why)),
        .einsum = keep(out, &einsum),
        .code = keep(out, &code),
        .count = 1};
    if (!finding.name || !finding.why || !finding.einsum || !finding.code)
        return error_no_memory(error);
    out->finding[out->finding_count++] = finding;
    return TCPLAN_OK;
}

/** Runs one case, and adds its result. */
static enum tcplan_status check(struct checker *checker, struct named_product *named,
                                struct tcplan_error *error) {
    struct tcplan_conformance_rule *rule = rule_of(checker->out, named->rule);
    struct request request;
    struct answer answer;
    memset(&request, 0, sizeof request);
    request.product = named->product;
    const enum tcplan_status status = ask(&answer, checker, &request, error);
    if (status != TCPLAN_OK) return status;
    if (answer.status != TCPLAN_OK) { /* unexpected: recognise() opened the library before */
        if (error) *error = answer.error;
        return answer.status;
    }
    const enum tcplan_conformance_outcome outcome = answer.judged.outcome;
    const bool is_choice = outcome == TCPLAN_CONFORMANCE_REFUSED && rule->optional;
    if (is_choice) rule->refused++;
    if (outcome == TCPLAN_CONFORMANCE_SKIPPED) rule->skipped++;
    if (outcome == TCPLAN_CONFORMANCE_PASSED) rule->passed++;
    if (is_choice || !is_failure(outcome)) return TCPLAN_OK;
    rule->failed++;
    return add_finding(checker, named, answer.judged, error);
}

static void tell(const struct checker *checker, int done, int total) {
    const struct tcplan_conformance_options *options = checker->options;
    if (options->progress) options->progress(options->progress_context, "checking", done, total);
}

static int count_cases(enum tcplan_conformance_kind kind) {
    struct named_product named;
    int count = 0;
    while (case_of(&named, kind, count)) count++;
    return count;
}

static enum tcplan_status check_all(struct checker *checker, struct tcplan_error *error) {
    const enum tcplan_conformance_kind kind = checker->out->kind;
    const int named_count = count_cases(kind), total = named_count + checker->options->random_count;
    enum tcplan_status status = TCPLAN_OK;
    struct named_product named;
    for (int n = 0; n < total && status == TCPLAN_OK; n++) {
        if (n < named_count)
            case_of(&named, kind, n);
        else
            case_draw(&named, kind, checker->options->seed, n - named_count);
        tell(checker, n, total);
        status = check(checker, &named, error);
    }
    return status;
}

/** Determines the kind of the library, in a process of its own. */
static enum tcplan_status recognise(struct checker *checker, struct tcplan_error *error) {
    struct request request;
    struct answer answer;
    memset(&request, 0, sizeof request);
    request.only_opens = true;
    const enum tcplan_status status = ask(&answer, checker, &request, error);
    if (status != TCPLAN_OK) return status;
    if (is_failure(answer.judged.outcome))
        return error_set(error, TCPLAN_INVALID, "'%.120s' cannot be opened: %.180s", checker->path,
                         answer.judged.why);
    if (answer.status != TCPLAN_OK) {
        if (error) *error = answer.error;
        return answer.status;
    }
    struct tcplan_conformance *out = checker->out;
    const struct tcplan_conformance_rule *rules = rules_of(answer.kind);
    out->kind = answer.kind;
    while (rules[out->rule_count].name) {
        out->rule[out->rule_count] = rules[out->rule_count];
        out->rule_count++;
    }
    return TCPLAN_OK;
}

/** Allocates the result, and the memory shared with the processes. */
static bool prepare(struct checker *checker) {
    void *shared =
        mmap(NULL, FUNCTION_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    checker->function = shared == MAP_FAILED ? NULL : shared;
    checker->out = base_alloc_zero(1, sizeof *checker->out);
    checker->errors = tmpfile();
    return checker->function && checker->out;
}

enum tcplan_status tcplan_conformance_run(struct tcplan_conformance **out, const char *path,
                                          const struct tcplan_conformance_options *options,
                                          struct tcplan_error *error) {
    struct checker checker = {.path = path,
                              .options = options,
                              .case_seconds = options->case_seconds > 0 ? options->case_seconds
                                                                        : usual_case_seconds};
    enum tcplan_status status = prepare(&checker) ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK) status = recognise(&checker, error);
    if (status == TCPLAN_OK) status = check_all(&checker, error);
    if (checker.errors) fclose(checker.errors);
    if (checker.function) munmap(checker.function, FUNCTION_BYTES);
    if (status == TCPLAN_OK)
        *out = checker.out;
    else
        tcplan_conformance_free(checker.out);
    return status;
}

void tcplan_conformance_free(struct tcplan_conformance *conformance) {
    if (!conformance) return;
    arena_free(&conformance->texts);
    base_free(conformance);
}

enum tcplan_conformance_kind tcplan_conformance_kind(const struct tcplan_conformance *conformance) {
    return conformance->kind;
}

bool tcplan_conformance_holds(const struct tcplan_conformance *conformance) {
    for (int r = 0; r < conformance->rule_count; r++) {
        if (conformance->rule[r].failed > 0) return false;
    }
    return true;
}

const struct tcplan_conformance_rule *tcplan_conformance_rules(
    const struct tcplan_conformance *conformance, int *count) {
    *count = conformance->rule_count;
    return conformance->rule;
}

const struct tcplan_conformance_finding *tcplan_conformance_findings(
    const struct tcplan_conformance *conformance, int *count) {
    *count = conformance->finding_count;
    return conformance->finding;
}
