#include "cli/output/gnuplot.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/process.h"

#define MOST_SECONDS 20.0

/** Returns the path of gnuplot, which the caller frees; NULL after a message if gnuplot is not
 * found. */
static char *find(void) {
    char *path = process_find("gnuplot", getenv("PATH"));
    if (!path)
        diagnose(
            "gnuplot not found; install it (Debian: gnuplot-nox) or use --plot FILE.svg, which does not need it");
    return path;
}

enum exit_status gnuplot_check(void) {
    char *path = find();
    free(path);
    return path ? EXIT_DONE : EXIT_ENVIRONMENT;
}

/* Running it. */

/** Waits for a process. Returns its exit status, or -1 if it was killed because it exceeded the
 * time limit. */
static int wait_for(pid_t process) {
    int status = 0;
    const int reason = process_wait(&status, process, deadline_in(MOST_SECONDS));
    if (reason == 0) return status;
    if (reason == ETIMEDOUT) {
        kill(process, SIGKILL);
        process_collect(&status, process);
    }
    return -1;
}

/** Reads the first line of gnuplot's messages that is not empty, without its newline; "" if there
 * is none. */
static void first_line(char *out, size_t size, FILE *said) {
    rewind(said);
    *out = '\0';
    while (fgets(out, (int)size, said)) {
        out[strcspn(out, "\r\n")] = '\0';
        if (out[strspn(out, " \t")] != '\0') return;
    }
    *out = '\0';
}

/** Copies the drawing as plain text. Removes control characters, trailing blanks, and empty lines
 * at the beginning and the end. */
static void copy(FILE *out, FILE *drawn) {
    size_t lines = 0, blanks = 0;
    bool any = false;
    rewind(drawn);
    for (int c = fgetc(drawn); c != EOF; c = fgetc(drawn)) {
        if (c == '\n') {
            lines++;
            blanks = 0;
        } else if (c == ' ') {
            blanks++;
        } else if (c > ' ' && c != 127) {
            for (; lines > 0; lines--) {
                if (any) fputc('\n', out);
            }
            for (; blanks > 0; blanks--) fputc(' ', out);
            fputc(c, out);
            any = true;
        }
    }
    if (any) fputc('\n', out);
}

static enum exit_status judge(int status, FILE *said) {
    char reason[160];
    if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return EXIT_DONE;
    first_line(reason, sizeof reason, said);
    if (status == -1) {
        diagnose("gnuplot did not end within %.0f s; --plot FILE.svg does not need it",
                 MOST_SECONDS);
    } else {
        diagnose("gnuplot failed%s%s; --plot FILE.svg does not need it", *reason ? ": " : "",
                 reason);
    }
    return EXIT_ENVIRONMENT;
}

static enum exit_status run(const char *path, FILE *script, FILE *drawn, FILE *said, FILE *out) {
    const char *const arguments[] = {"gnuplot", "-d", "-",
                                     NULL}; /* -d: gnuplot ignores the user's settings */
    const struct process_files files = {fileno(script), fileno(drawn), fileno(said)};
    pid_t process;
    rewind(script);
    fflush(NULL);
    lseek(fileno(script), 0, SEEK_SET);
    const int reason = process_start(&process, path, arguments, &files, environ, false);
    if (reason != 0)
        return diagnose_as(EXIT_ENVIRONMENT, "cannot start gnuplot: %s", strerror(reason));
    const enum exit_status status = judge(wait_for(process), said);
    if (status == EXIT_DONE) copy(out, drawn);
    return status;
}

enum exit_status gnuplot_draw(FILE *script, FILE *out) {
    char *path = find();
    if (!path) return EXIT_ENVIRONMENT;
    FILE *drawn = tmpfile(), *said = tmpfile();
    enum exit_status status = EXIT_ENVIRONMENT;
    if (drawn && said) {
        status = run(path, script, drawn, said, out);
    } else {
        diagnose("cannot create a temporary file: %s", strerror(errno));
    }
    if (drawn) fclose(drawn);
    if (said) fclose(said);
    free(path);
    return status;
}
