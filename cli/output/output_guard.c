#include "cli/output/output_guard.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "cli/commands/commands.h"
#include "cli/options/options_table.h"
#include "cli/output/printed.h"
#include "cli/render/results/results_writer.h"
#include "cli/shipped.h"

enum { NAMED = 80, MOST_LINKS = 40 };

/** A file that the command line names. */
struct named_file {
    enum file_role role;
    char by[NAMED];   /* the option that names the file, or `the argument` */
    const char *path; /* path; "-" is standard input or output */
    bool known; /* whether the following members are set: they are for regular files and for files
                   that do not exist */
    bool there;
    dev_t device; /* device of the file, or of its folder if it does not exist */
    ino_t inode;
    char name[NAME_MAX + 1]; /* name of the file in that folder */
};

/** All files that the command line names; the first is stdout. */
struct named_files {
    size_t count;
    struct named_file *file;
    char *recorded; /* owned */
};

/* Identity of files. */

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

/** Replaces a symbolic link by its target, one step; false if the path is not a link. */
static bool follow(char path[PATH_MAX]) {
    char target[PATH_MAX], *name = strrchr(path, '/');
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) return false;
    target[length] = '\0';
    const size_t folder = *target == '/' || !name ? 0 : (size_t)(name + 1 - path);
    if (folder + (size_t)length >= PATH_MAX) return false;
    memcpy(path + folder, target, (size_t)length + 1);
    return true;
}

/** Finds the folder in which a file that does not exist would be created. */
static void place_new(struct named_file *out) {
    char path[PATH_MAX];
    struct stat folder;
    if (strlen(out->path) >= sizeof path) return;
    memcpy(path, out->path, strlen(out->path) + 1);
    for (int links = 0; links < MOST_LINKS && follow(path);) links++;
    char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (strlen(name) > NAME_MAX) return;
    memcpy(out->name, name, strlen(name) + 1);
    if (slash) slash[slash == path] = '\0'; /* For a file in the root folder, the `/` remains. */
    if (stat(slash ? path : ".", &folder) != 0) return;
    out->device = folder.st_dev;
    out->inode = folder.st_ino;
    out->known = true;
}

/** Finds the device and inode of a file. They stay unset for devices and folders, because writing
 * to a device overwrites no data. */
static void look(struct named_file *out) {
    const int standard = out->role == FILE_INPUT ? STDIN_FILENO : STDOUT_FILENO;
    struct stat status;
    if ((is_standard(out->path) ? fstat(standard, &status) : stat(out->path, &status)) == 0) {
        out->known = out->there = S_ISREG(status.st_mode);
        out->device = status.st_dev;
        out->inode = status.st_ino;
    } else if (errno == ENOENT) {
        place_new(out);
    }
}

static bool is_same(const struct named_file *a, const struct named_file *b) {
    return a->known && b->known && a->there == b->there && a->device == b->device &&
           a->inode == b->inode && (a->there || strcmp(a->name, b->name) == 0);
}

/* The following functions collect the files that the command line names. */

static void add(struct named_files *files, enum file_role role, const char *by, const char *path) {
    struct named_file *file = &files->file[files->count];
    if (role == FILE_NONE || !path ||
        (role == FILE_OUTPUT && files->count > 0 && is_standard(path)))
        return;
    *file = (struct named_file){.role = role, .path = path};
    memcpy(file->by, by, strlen(by) + 1);
    look(file);
    files->count++;
}

/** Adds a file given as an argument. If the file does not exist, the argument may be the name of a
 * library installed with tcplan. */
static enum exit_status add_argument(struct named_files *files, enum file_role role,
                                     const char *path) {
    const bool may_be_shipped = role == FILE_INPUT && !is_standard(path);
    char *found = may_be_shipped ? shipped_find(path) : NULL;
    if (may_be_shipped && !found) return diagnose_no_memory();
    add(files, role, "the argument", found ? found : path);
    if (found)
        files->file[files->count - 1].path = path; /* messages show the path as the user typed it */
    free(found);
    return EXIT_DONE;
}

static enum exit_status add_arguments(struct named_files *files, const struct options *options,
                                      enum file_role role) {
    const int first = options->action ? 1 : 0;
    enum exit_status status = EXIT_DONE;
    if (role == FILE_NONE) return EXIT_DONE;
    if (options->argument) status = add_argument(files, role, options->argument);
    for (int a = first; a < options->argument_count && status == EXIT_DONE; a++) {
        status = add_argument(files, role, options->arguments[a]);
    }
    return status;
}

static void add_option(struct named_files *files, const struct given_option *given) {
    char by[NAMED];
    if (given->option->letter) snprintf(by, sizeof by, "-%c", given->option->letter);
    if (!given->option->letter) snprintf(by, sizeof by, "--%s", given->option->name);
    add(files, given->option->role, by, given->value);
}

/** Adds the .xml file in which a batch records its results if its output has another format. */
static enum exit_status add_recorded(struct named_files *files, const struct options *options,
                                     const struct command *command) {
    if (command->bit != COMMAND(BATCH) || !options->output) return EXIT_DONE;
    files->recorded = results_path(options);
    if (!files->recorded) return diagnose_no_memory();
    if (strcmp(files->recorded, options->output) != 0)
        add(files, FILE_OUTPUT, "-o", files->recorded);
    return EXIT_DONE;
}

static enum exit_status collect(struct named_files *out, const struct options *options,
                                const struct command *command) {
    const enum file_role role =
        options->action ? options->action->arguments_role : command->arguments_role;
    const size_t room = (size_t)options->given_count + (size_t)options->argument_count +
                        3; /* stdout, one argument, and the file of recorded results */
    *out = (struct named_files){.file = base_alloc(room * sizeof *out->file)};
    if (!out->file) return diagnose_no_memory();
    add(out, FILE_OUTPUT, "stdout", "-");
    for (int g = 0; g < options->given_count; g++) add_option(out, &options->given[g]);
    const enum exit_status status = add_arguments(out, options, role);
    return status == EXIT_DONE ? add_recorded(out, options, command) : status;
}

/* Conflicts. */

static enum exit_status refuse(const struct named_file *file, const struct named_file *written,
                               bool is_stdout) {
    if (file->role == FILE_OUTPUT) {
        diagnose("%s and %s would both write '%.200s'", file->by, written->by, written->path);
    } else if (is_stdout) {
        diagnose("'%.200s' is both an input and stdout", file->path);
    } else {
        diagnose("%s '%.200s' would replace the input '%.200s'", written->by, written->path,
                 file->path);
    }
    return EXIT_USAGE;
}

/** Returns whether two files must differ, because the command writes one of them and reads or
 * writes the other. Several outputs may be stdout. */
static bool exclude(const struct named_files *files, size_t a, size_t b) {
    const struct named_file *one = &files->file[a], *other = &files->file[b];
    const bool read = one->role == FILE_INPUT || other->role == FILE_INPUT;
    const bool written = one->role == FILE_OUTPUT || other->role == FILE_OUTPUT;
    return written && (read || (a > 0 && strcmp(one->by, other->by) != 0)) && is_same(one, other);
}

static enum exit_status check_pairs(const struct named_files *files) {
    for (size_t a = 0; a < files->count; a++) {
        for (size_t b = a + 1; b < files->count; b++) {
            const bool swapped = files->file[b].role == FILE_INPUT;
            if (!exclude(files, a, b)) continue;
            return refuse(&files->file[swapped ? b : a], &files->file[swapped ? a : b], a == 0);
        }
    }
    return EXIT_DONE;
}

enum exit_status output_guard(const struct options *options, const struct command *command) {
    struct named_files files;
    enum exit_status status = collect(&files, options, command);
    if (status == EXIT_DONE) status = check_pairs(&files);
    base_free(files.file);
    free(files.recorded);
    return status;
}

bool results_go_to_file(const struct options *options) {
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

char *results_path(const struct options *options) {
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
