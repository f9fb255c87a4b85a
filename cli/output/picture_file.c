#include "cli/output/picture_file.h"

#include <string.h>

#include "cli/output/cleanup.h"
#include "cli/output/printed.h"

enum exit_status picture_file_check(const char *option, const char *path) {
    const size_t length = strlen(path);
    struct output_file out = {0};
    struct tcplan_error error;
    if (length <= 4 || strcmp(path + length - 4, ".svg") != 0) {
        diagnose("%s: expected the name of a file that ends in .svg, found '%s'", option, path);
        return EXIT_USAGE;
    }
    if (output_open(&out, path, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    output_file_discard(&out);
    return EXIT_DONE;
}

enum exit_status picture_file_end(struct output_file *out, bool printed) {
    const enum exit_status status = printed ? printed_complete(out) : diagnose_no_memory();
    output_file_discard(out);
    return status;
}
