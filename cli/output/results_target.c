#include "cli/output/results_target.h"

#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "cli/output/printed.h"
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

enum exit_status results_convert(const char *from, const char *to, int format) {
    struct tcplan_results_summary summary;
    struct output_file output = {0};
    enum exit_status status = output_begin(&output, to);
    if (status != EXIT_DONE) return status;
    struct results_writer writer = {.file = output.file};
    results_writer_begin(&writer, format);
    status = diagnosed(tcplan_results_walk(from, results_writer_take, &writer, &summary, &failure));
    if (status == EXIT_DONE) results_writer_end(&writer, &summary);
    if (status == EXIT_DONE && writer.no_memory) status = diagnose_no_memory();
    return output_end(&output, status);
}
