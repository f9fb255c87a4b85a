#include "cli/output/results_target.h"

#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/output/cleanup.h"
#include "cli/render/results/results_writer.h"

bool results_are_kept(const struct options *options) {
    const char *path = options->output;
    struct stat status;
    if (!path || strcmp(path, "-") == 0) return false;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

int results_format(const struct options *options) {
    if (options_name_format(options)) return options->format;
    const char *path = options->output;
    return path && strcmp(path, "-") != 0 ? results_format_of_path(path) : OUTPUT_TEXT;
}

char *results_kept_path(const struct options *options) {
    struct strbuf path = {0};
    strbuf_add(&path, "%s%s", options->output, results_format(options) == OUTPUT_XML ? "" : ".xml");
    return strbuf_finish(&path);
}

enum tcplan_status results_convert(const char *from, const char *to, int format,
                                   struct tcplan_error *error) {
    struct tcplan_results_summary summary;
    struct output_file output = {0};
    enum tcplan_status status = output_open(&output, to, error);
    if (status == TCPLAN_OK) {
        struct results_writer writer = {.file = output.file};
        results_writer_begin(&writer, format);
        status = tcplan_results_walk(from, results_writer_take, &writer, &summary, error);
        if (status == TCPLAN_OK) results_writer_end(&writer, &summary);
        if (status == TCPLAN_OK && writer.no_memory) status = error_no_memory(error);
    }
    if (status == TCPLAN_OK) status = output_file_commit(&output, error);
    output_file_discard(&output);
    return status;
}
