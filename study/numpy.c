#include "study/numpy.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/process.h"
#include "base/strbuf.h"

enum { LETTERS = 52, ARGUMENTS = 16 };

/* The request. */

static char letter_of(int index) {
    return (char)(index < LETTERS / 2 ? 'a' + index : 'A' + index - LETTERS / 2);
}

/** Appends the letters of a tensor's dimensions, or their extents. */
static void add_tensor(struct strbuf *out, const struct tcplan_problem *problem,
                       enum tcplan_operand operand, bool extents) {
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[operand];
    for (int d = 0; d < tensor->rank; d++) {
        if (extents) {
            strbuf_add(out, "%lld,", (long long)problem->extent[tensor->dims[d]]);
        } else {
            strbuf_add(out, "%c", letter_of(tensor->dims[d]));
        }
    }
}

static void add_scalar(struct strbuf *out, struct tcplan_scalar scalar) {
    decimal_print(out, scalar.re);
    if (scalar.im != 0) {
        strbuf_add(out, "%s", signbit(scalar.im) ? "" : "+");
        decimal_print(out, scalar.im);
        strbuf_add(out, "j");
    }
}

/** Refuses contractions that numpy.einsum cannot compute. */
static enum tcplan_status check(const struct tcplan_contraction *contraction,
                                struct tcplan_error *error) {
    const struct tcplan_tensor *result = &contraction->tensor[TCPLAN_C];
    uint64_t met = 0;
    if (contraction->index_count > LETTERS) {
        return error_set(error, TCPLAN_NOT_APPLICABLE,
                         "numpy.einsum has letters for only %d indices", LETTERS);
    }
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        if (contraction->tensor[t].strided)
            return error_set(error, TCPLAN_NOT_APPLICABLE, "it is compared only for dense tensors");
    }
    for (int d = 0; d < result->rank; d++) {
        if (met & UINT64_C(1) << result->dims[d])
            return error_set(error, TCPLAN_NOT_APPLICABLE, "numpy.einsum writes no diagonals");
        met |= UINT64_C(1) << result->dims[d];
    }
    return TCPLAN_OK;
}

/** Returns the words of the command line after `python3 -c SCRIPT` in one text, each ended by a
 * NUL; NULL if memory runs out. */
static char *make_words(const struct tcplan_problem *problem, enum numpy_way way, int threads) {
    static const char *const ways[] = {"plain", "best", "matmul"};
    static const char *const dtypes[] = {[TCPLAN_FLOAT] = "f4",
                                         [TCPLAN_DOUBLE] = "f8",
                                         [TCPLAN_FLOAT_COMPLEX] = "c8",
                                         [TCPLAN_DOUBLE_COMPLEX] = "c16"};
    const struct tcplan_contraction *contraction = problem->contraction;
    struct strbuf out = {0};
    strbuf_add(&out, "%s\n%d\n%s\n%s\n", ways[way], threads, dtypes[problem->dtype],
               contraction->order == TCPLAN_ROW_MAJOR ? "C" : "F");
    add_tensor(&out, problem, TCPLAN_A, false);
    strbuf_add(&out, ",");
    add_tensor(&out, problem, TCPLAN_B, false);
    strbuf_add(&out, "->");
    add_tensor(&out, problem, TCPLAN_C, false);
    strbuf_add(&out, "\n");
    add_scalar(&out, contraction->alpha);
    strbuf_add(&out, "\n");
    add_scalar(&out, contraction->beta);
    strbuf_add(&out, "\n-");
    for (int t = 0; t < TCPLAN_TENSORS; t++)
        strbuf_add(&out, "%s",
                   contraction->tensor[t].conjugated ? (const char *[]){"A", "B", "C", "D"}[t]
                                                     : "");
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        strbuf_add(&out, "\n");
        add_tensor(&out, problem, (enum tcplan_operand)t, true);
    }
    for (int extents = 0; extents < 2 && tcplan_contraction_has_addend(contraction); extents++) {
        strbuf_add(&out, "\n");
        add_tensor(&out, problem, TCPLAN_ADDEND, extents > 0);
    }
    return strbuf_finish(&out);
}

/* The process. */

static bool start(struct numpy *numpy, int end, const char *const arguments[]) {
    const struct process_files files = {end, end, PROCESS_NOTHING};
    char *path = process_find(arguments[0], getenv("PATH"));
    const bool started =
        path && process_start(&numpy->process, path, arguments, &files, environ, false) == 0;
    free(path);
    if (!started) numpy->process = 0;
    return started;
}

static enum tcplan_status connect_to(struct numpy *numpy, char *words, struct tcplan_error *error) {
    const char *arguments[ARGUMENTS + 1] = {"python3", "-c", numpy_einsum};
    int ends[2], count = 3;
    char *rest = words;
    while (rest && count < ARGUMENTS) arguments[count++] = strsep(&rest, "\n");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return error_set(error, TCPLAN_NOT_APPLICABLE, "python3 could not be started: %s",
                         strerror(errno));
    }
    const bool started = start(numpy, ends[1], arguments);
    close(ends[1]);
    numpy->socket = ends[0];
    if (started) return TCPLAN_OK;
    close(ends[0]);
    return error_set(error, TCPLAN_NOT_APPLICABLE,
                     "there is no python3 with numpy (Debian: python3-numpy)");
}

void numpy_stop(struct numpy *numpy) {
    int status;
    if (numpy->process <= 0) return;
    close(numpy->socket);
    kill(numpy->process, SIGKILL);
    process_collect(&status, numpy->process);
    numpy->process = 0;
}

/** Waits for something to read; false if nothing comes in time. */
static bool await(const struct numpy *numpy, struct deadline deadline) {
    struct pollfd descriptor = {.fd = numpy->socket, .events = POLLIN};
    for (;;) {
        const double left = fmin(deadline_left_seconds(deadline), 1);
        if (poll(&descriptor, 1, (int)ceil(1000 * left)) > 0) return true;
        if (deadline_is_over(deadline)) return false;
    }
}

/** Takes the next line from the received bytes; returns false if there is no complete one. */
static bool take_line(struct numpy *numpy, char out[NUMPY_LINE_SIZE]) {
    const char *end = memchr(numpy->line, '\n', numpy->length);
    if (!end) return false;
    const size_t bytes = (size_t)(end - numpy->line);
    memcpy(out, numpy->line, bytes);
    out[bytes] = '\0';
    numpy->length -= bytes + 1;
    memmove(numpy->line, end + 1, numpy->length);
    return true;
}

static enum tcplan_status read_line(struct numpy *numpy, char out[NUMPY_LINE_SIZE],
                                    double patience_seconds, struct tcplan_error *error) {
    const struct deadline deadline = deadline_in(patience_seconds);
    while (!take_line(numpy, out)) {
        if (!await(numpy, deadline))
            return error_set(error, TCPLAN_NOT_APPLICABLE, "it did not answer within %.3g s",
                             patience_seconds);
        const size_t room = sizeof numpy->line - numpy->length;
        const ssize_t bytes =
            room > 0 ? recv(numpy->socket, numpy->line + numpy->length, room, 0) : 0;
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes <= 0)
            return error_set(error, TCPLAN_NOT_APPLICABLE, "python3 ended without an answer");
        numpy->length += (size_t)bytes;
    }
    if (strncmp(out, "error ", strlen("error ")) == 0)
        return error_set(error, TCPLAN_NOT_APPLICABLE, "numpy says: %s", out + strlen("error "));
    return TCPLAN_OK;
}

static enum tcplan_status refuse_missing(struct tcplan_error *error) {
    return error_set(error, TCPLAN_NOT_APPLICABLE, "python3 has no numpy (Debian: python3-numpy)");
}

bool numpy_is_missing(double patience_seconds, struct tcplan_error *error) {
    char line[NUMPY_LINE_SIZE],
        words[] = "plain\n1"; /* the script reads only these words before it loads numpy */
    struct numpy numpy = {0};
    if (connect_to(&numpy, words, error) != TCPLAN_OK) return true;
    const bool missing = read_line(&numpy, line, patience_seconds, NULL) == TCPLAN_OK &&
                         strcmp(line, "missing") == 0;
    numpy_stop(&numpy);
    if (missing) refuse_missing(error);
    return missing;
}

static enum tcplan_status greet(struct numpy *numpy, double patience_seconds,
                                struct tcplan_error *error) {
    char line[NUMPY_LINE_SIZE];
    enum tcplan_status status = read_line(numpy, line, patience_seconds, error);
    if (status == TCPLAN_OK && strcmp(line, "missing") == 0) return refuse_missing(error);
    if (status != TCPLAN_OK) return status;
    snprintf(numpy->version, sizeof numpy->version, "%.60s", line);
    status = read_line(numpy, line, patience_seconds, error);
    if (status == TCPLAN_OK && strcmp(line, "ready") != 0) {
        return error_set(error, TCPLAN_NOT_APPLICABLE,
                         "expected python3 to say 'ready', found '%.60s'", line);
    }
    return status;
}

enum tcplan_status numpy_start(struct numpy *out, const struct tcplan_problem *problem,
                               enum numpy_way way, int threads, double patience_seconds,
                               struct tcplan_error *error) {
    *out = (struct numpy){0};
    enum tcplan_status status = check(problem->contraction, error);
    if (status != TCPLAN_OK) return status;
    char *words = make_words(problem, way, threads);
    if (!words) return error_no_memory(error);
    status = connect_to(out, words, error);
    free(words);
    if (status == TCPLAN_OK) status = greet(out, patience_seconds, error);
    if (status != TCPLAN_OK) numpy_stop(out);
    return status;
}

enum tcplan_status numpy_sample(struct numpy *numpy, double *seconds, double patience_seconds,
                                struct tcplan_error *error) {
    char line[NUMPY_LINE_SIZE];
    if (send(numpy->socket, "\n", 1, MSG_NOSIGNAL) != 1)
        return error_set(error, TCPLAN_NOT_APPLICABLE, "python3 ended without an answer");
    enum tcplan_status status = read_line(numpy, line, patience_seconds, error);
    if (status != TCPLAN_OK) return status;
    if (decimal_read(seconds, line, strlen(line)) && *seconds > 0 && isfinite(*seconds))
        return TCPLAN_OK;
    return error_set(error, TCPLAN_NOT_APPLICABLE,
                     "expected a time in seconds from python3, found '%.60s'", line);
}
