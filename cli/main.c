#include "cli/cleanup.h"
#include "cli/commands.h"

int main(int count, char *arguments[]) {
    cleanup_install();
    return (int)command_line_run(count, arguments);
}
