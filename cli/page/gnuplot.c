#include "cli/page/gnuplot.h"

#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static bool start(pid_t *child, int script, int out) {
    char name[] = "gnuplot";
    char *const arguments[] = {name, NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    const bool connected = posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO) == 0 &&
                           posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) == 0;
    const bool started = connected && posix_spawnp(child, name, &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

enum gnuplot_result gnuplot_draw(FILE *script, int out) {
    pid_t child;
    int status;
    if (fflush(script) != 0 || lseek(fileno(script), 0, SEEK_SET) != 0) return GNUPLOT_FAILED;
    if (!start(&child, fileno(script), out)) return GNUPLOT_MISSING;
    if (waitpid(child, &status, 0) != child) return GNUPLOT_FAILED;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? GNUPLOT_DONE : GNUPLOT_FAILED;
}
