#include "cli/output/gnuplot.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/strbuf.h"

#define MOST_SECONDS 20.0

enum { LOOK_NS = 2000000 };

/* Where it is. */

/** Whether a folder of $PATH, `length` characters, has the program. */
static bool has_program(const char *folder, size_t length) {
    struct strbuf path = {0};
    strbuf_append(&path, folder, length);
    strbuf_add(&path, "%sgnuplot", length > 0 ? "/" : "");
    char *text = strbuf_finish(&path);
    const bool found = text && access(text, X_OK) == 0;
    free(text);
    return found;
}

enum exit_status gnuplot_check(void) {
    const char *folder = getenv("PATH");
    while (folder && *folder) {
        const size_t length = strcspn(folder, ":");
        if (has_program(folder, length)) return EXIT_DONE;
        folder += length + (folder[length] == ':');
    }
    diagnose("--plot - draws by gnuplot, which is not there (Debian: gnuplot-nox); --plot FILE.svg needs no other program");
    return EXIT_ENVIRONMENT;
}

/* Running it. */

static bool start(pid_t *out, FILE *script, FILE *drawn, FILE *said) {
    static char program[] = "gnuplot", defaults[] = "-d", input[] = "-"; /* nobody's own settings */
    char *arguments[] = {program, defaults, input, NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    const bool started = posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO) == 0 &&
                         posix_spawn_file_actions_adddup2(&actions, fileno(drawn), STDOUT_FILENO) == 0 &&
                         posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO) == 0 &&
                         posix_spawnp(out, program, &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

/** The status of its end; -1: it did not end in time, and was ended. */
static int wait_for(pid_t process) {
    const struct deadline limit = deadline_in(MOST_SECONDS);
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    int status = 0;
    for (;;) {
        const pid_t ended = waitpid(process, &status, WNOHANG);
        if (ended == process) return status;
        if (ended < 0 && errno != EINTR) return -1;
        if (deadline_is_over(limit)) {
            kill(process, SIGKILL);
            while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
            return -1;
        }
        nanosleep(&pause, NULL);
    }
}

/** The first line that says something, without its end; "" where nothing was said. */
static void first_line(char *out, size_t size, FILE *said) {
    rewind(said);
    *out = '\0';
    while (fgets(out, (int)size, said)) {
        out[strcspn(out, "\r\n")] = '\0';
        if (out[strspn(out, " \t")] != '\0') return;
    }
    *out = '\0';
}

/** What was drawn: lines of text, control characters of any kind and blanks at the ends of lines left out, and empty lines at either end. */
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
        diagnose("gnuplot did not end within %.0f s: --plot FILE.svg needs no other program", MOST_SECONDS);
    } else {
        diagnose("gnuplot failed%s%s; --plot FILE.svg needs no other program", *reason ? ": " : "", reason);
    }
    return EXIT_ENVIRONMENT;
}

static enum exit_status run(FILE *script, FILE *drawn, FILE *said, FILE *out) {
    pid_t process;
    rewind(script);
    fflush(NULL);
    lseek(fileno(script), 0, SEEK_SET);
    if (!start(&process, script, drawn, said)) {
        diagnose("gnuplot cannot be started: %s", strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    const enum exit_status status = judge(wait_for(process), said);
    if (status == EXIT_DONE) copy(out, drawn);
    return status;
}

enum exit_status gnuplot_draw(FILE *script, FILE *out) {
    FILE *drawn = tmpfile(), *said = tmpfile();
    enum exit_status status = EXIT_ENVIRONMENT;
    if (drawn && said) {
        status = run(script, drawn, said, out);
    } else {
        diagnose("no temporary file can be had: %s", strerror(errno));
    }
    if (drawn) fclose(drawn);
    if (said) fclose(said);
    return status;
}
