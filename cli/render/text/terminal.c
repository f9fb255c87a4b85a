#include "cli/render/text/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_COLUMNS = 80 };

static bool wants_colour(void) {
    const char *no_colour = getenv("NO_COLOR"), *kind = getenv("TERM");
    return !(no_colour && *no_colour) && kind && *kind && strcmp(kind, "dumb") != 0;
}

static FILE *announced_file;
static int announced_descriptor;

void terminal_announce(FILE *file, int descriptor) {
    const bool shown = isatty(descriptor);
    if (!shown && file != announced_file) return;
    announced_file = shown ? file : NULL;
    announced_descriptor = descriptor;
}

static int descriptor_of(FILE *file) {
    return file == announced_file ? announced_descriptor : fileno(file);
}

void terminal_pass_on(FILE *from, FILE *to) {
    announced_descriptor = descriptor_of(from);
    announced_file = to;
}

struct terminal terminal_of(FILE *file) {
    const int descriptor = descriptor_of(file);
    struct winsize size;
    if (descriptor < 0 || !isatty(descriptor)) return (struct terminal){0};
    const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return (struct terminal){.columns = known ? size.ws_col : USUAL_COLUMNS,
                             .coloured = wants_colour()};
}

void terminal_style(FILE *file, const struct terminal *terminal, enum terminal_style style) {
    static const char *const codes[] = {[STYLE_PLAIN] = "0",
                                        [STYLE_HEADING] = "1",
                                        [STYLE_BEST] = "1;32",
                                        [STYLE_GOOD] = "32",
                                        [STYLE_BAD] = "1;31"};
    if (terminal->coloured) fprintf(file, "\x1b[%sm", codes[style]);
}
