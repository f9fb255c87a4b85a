/*
 * Measures algorithms in a separate program, because tcplan itself is not linked with MPI, and
 * users run such a program. $MPICC (default: mpicc) compiles it, $MPIRUN (default: mpirun) starts
 * it; both may contain arguments.
 */
#include "cli/commands/tensors/distributed_measure.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/process.h"
#include "base/strbuf.h"
#include "cli/output/printed.h"

enum { WORDS = 64, MOST_OUTPUT_BYTES = 1 << 20, LEAST_SECONDS = 2, MOST_ROUNDS = 64 };

/** A temporary folder with the program and its output. */
struct workshop {
    char folder[TEMPORARY_FOLDER], source[240], program[240], printed[240];
};

static enum exit_status workshop_open(struct workshop *out) {
    const enum exit_status status = temporary_folder_make(out->folder);
    if (status != EXIT_DONE) return status;
    snprintf(out->source, sizeof out->source, "%s/measure.c", out->folder);
    snprintf(out->program, sizeof out->program, "%s/measure", out->folder);
    snprintf(out->printed, sizeof out->printed, "%s/printed", out->folder);
    return EXIT_DONE;
}

static void workshop_close(const struct workshop *workshop) {
    if (!*workshop->folder) return;
    unlink(workshop->source);
    unlink(workshop->program);
    unlink(workshop->printed);
    rmdir(workshop->folder);
}

/* Programs. */

/** The words of a command line, ended by NULL. */
struct command_words {
    char *text; /* copy of the environment variable's value that the words point into */
    int count;
    const char *word[WORDS];
};

static void add_word(struct command_words *words, const char *word) {
    if (words->count < WORDS - 1) words->word[words->count++] = word;
    words->word[words->count] = NULL;
}

/** Appends the words of a text, which is modified. */
static void add_words(struct command_words *words, char *text) {
    char *rest = NULL;
    for (char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
        add_word(words, word);
}

/** Begins a command with the words of an environment variable; if it is unset, with those of its
 * default. */
static bool begin_words(struct command_words *words, const char *variable, const char *usual) {
    const char *named = getenv(variable);
    *words = (struct command_words){.text = strdup(named && *named ? named : usual)};
    if (!words->text) return false;
    add_words(words, words->text);
    return words->count > 0;
}

/** Runs a command and redirects its output to a file. */
static enum exit_status run(const struct command_words *words, const char *variable,
                            const char *output, double limit_seconds) {
    char *path = process_find(words->word[0], getenv("PATH"));
    if (!path && strchr(words->word[0], '/')) path = strdup(words->word[0]);
    if (!path) {
        diagnose("%s not found: measure --processes needs MPI (Debian: libopenmpi-dev); $%s names "
                 "another program",
                 words->word[0], variable);
        return EXIT_ENVIRONMENT;
    }
    const int file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const struct process_files files = {PROCESS_NOTHING, file, PROCESS_SAME};
    pid_t process;
    int status = 0;
    int failed = process_start(&process, path, words->word, &files, environ, true);
    if (failed == 0) failed = process_wait_group(&status, process, deadline_in(limit_seconds));
    if (file >= 0) close(file);
    free(path);
    if (failed == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return EXIT_DONE;
    if (failed != 0) {
        diagnose("%s: %s", words->word[0], strerror(failed));
    } else if (WIFSIGNALED(status)) {
        diagnose("%s was ended by signal %d", words->word[0], WTERMSIG(status));
    } else {
        diagnose("%s failed with exit status %d", words->word[0], WEXITSTATUS(status));
    }
    return EXIT_ENVIRONMENT;
}

static enum exit_status compile(const struct workshop *workshop, const char *text) {
    struct command_words words;
    char links[400] = "";
    const char *from = strstr(text, "link: ");
    FILE *file = fopen(workshop->source, "w");
    const bool written = file && fputs(text, file) >= 0;
    if (!file || fclose(file) != 0 || !written) {
        diagnose("cannot write %s", workshop->source);
        return EXIT_ENVIRONMENT;
    }
    if (from) sscanf(from, "link: %399[^*]", links);
    if (!begin_words(&words, "MPICC", "mpicc")) return diagnose_no_memory();
    add_word(&words, "-std=c11");
    add_word(&words, "-O2");
    add_word(&words, workshop->source);
    add_word(&words, "-o");
    add_word(&words, workshop->program);
    add_words(&words, links);
    add_word(&words, "-lm");
    const enum exit_status status = run(&words, "MPICC", workshop->printed, 300);
    free(words.text);
    return status;
}

static enum exit_status start(const struct workshop *workshop, int processes, double seconds) {
    struct command_words words;
    char number[16];
    snprintf(number, sizeof number, "%d", processes);
    if (!begin_words(&words, "MPIRUN", "mpirun")) return diagnose_no_memory();
    add_word(&words, "-n");
    add_word(&words, number);
    add_word(&words, workshop->program);
    const enum exit_status status = run(&words, "MPIRUN", workshop->printed, 600 + 20 * seconds);
    free(words.text);
    return status;
}

/* Results. */

static int compare_numbers(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/** The output of the program about one algorithm. */
struct printed {
    int rounds;
    double seconds[MOST_ROUNDS];
    char result[16];
    int64_t sent[TCPLAN_COLLECTIVES], received[TCPLAN_COLLECTIVES];
    int64_t all_sent; /* bytes sent by all MPI calls, including the messages of ScaLAPACK */
};

static void read_line(struct printed printed[], int count, const char *line) {
    char name[32];
    int place = -1;
    long long sent, received;
    double seconds;
    if (sscanf(line, "result %d %15s", &place, name) == 2 && place >= 0 && place < count)
        snprintf(printed[place].result, sizeof printed->result, "%.15s", name);
    if (sscanf(line, "seconds %d %lf", &place, &seconds) == 2 && place >= 0 && place < count &&
        printed[place].rounds < MOST_ROUNDS)
        printed[place].seconds[printed[place].rounds++] = seconds;
    if (sscanf(line, "bytes %d %31s %lld %lld", &place, name, &sent, &received) != 4 || place < 0 ||
        place >= count)
        return;
    printed[place].all_sent += sent;
    for (int c = 0; c < TCPLAN_COLLECTIVES; c++) {
        if (strcmp(name, tcplan_collective_name((enum tcplan_collective)c)) != 0) continue;
        printed[place].sent[c] = sent;
        printed[place].received[c] = received;
    }
}

/** Returns whether rank 0 passed exactly the predicted bytes to every collective. */
static bool is_as_predicted(const struct printed *printed,
                            const struct distributed_subject *subject) {
    bool same = true;
    for (int c = 0; c < TCPLAN_COLLECTIVES; c++) {
        const char *name = tcplan_collective_name((enum tcplan_collective)c);
        int64_t sent = 0, received = 0;
        for (int k = 0; k < subject->calls; k++) {
            if (strcmp(subject->call[k].collective, name) != 0) continue;
            sent += subject->call[k].sent;
            received += subject->call[k].received;
        }
        same = same && sent == printed->sent[c] && received == printed->received[c];
    }
    return same;
}

static enum exit_status take(struct distributed_measured out[], const struct workshop *workshop,
                             const struct distributed_subject subject[], int count) {
    struct printed *printed = base_alloc_zero((size_t)count, sizeof *printed);
    char *text = NULL, *rest = NULL;
    size_t length;
    if (!printed) return diagnose_no_memory();
    enum exit_status status = diagnosed(
        input_file_read(&text, &length, "output ", workshop->printed, MOST_OUTPUT_BYTES, &failure));
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        read_line(printed, count, line);
    for (int a = 0; a < count && status == EXIT_DONE; a++) {
        struct printed *of = &printed[a];
        if (of->rounds == 0 || strcmp(of->result, "passed") != 0) {
            diagnose("algorithm %s: %s", subject[a].name,
                     strcmp(of->result, "wrong") == 0 ? "the result is wrong"
                                                      : "a rank ran out of memory");
            status = EXIT_ENVIRONMENT;
            continue;
        }
        qsort(of->seconds, (size_t)of->rounds, sizeof *of->seconds, compare_numbers);
        out[a] = (struct distributed_measured){.rounds = of->rounds,
                                               .seconds = of->seconds[of->rounds / 2],
                                               .fastest = of->seconds[0],
                                               .slowest = of->seconds[of->rounds - 1],
                                               .sent = of->all_sent,
                                               .as_predicted = is_as_predicted(of, &subject[a])};
    }
    base_free(text);
    base_free(printed);
    return status;
}

double distributed_measure_seconds(double seconds) {
    return seconds > 0 ? seconds : LEAST_SECONDS;
}

enum exit_status distributed_measure(struct distributed_measured out[], const char *text,
                                     int processes, const struct distributed_subject subject[],
                                     int count, double seconds) {
    struct workshop workshop = {.folder = ""};
    enum exit_status status = workshop_open(&workshop);
    if (status == EXIT_DONE) status = compile(&workshop, text);
    if (status == EXIT_DONE) status = start(&workshop, processes, seconds);
    if (status == EXIT_DONE) status = take(out, &workshop, subject, count);
    workshop_close(&workshop);
    return status;
}
