#include "tcplan/library.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "contractions/library_item.h"
#include "tcplan/shapes.h"
#include "tcplan/strides.h"

enum { NAME_BYTES = 100 };

struct tcplan_library {
    char name[NAME_BYTES]; /* name given by the caller, truncated, for messages */
    char *base_name;       /* file name without folders, for entries */
    int descriptor; /* descriptor of the file; -1: the library is read through the caller's function
                     */
    struct library_reader reader;
    struct library_item item;
    struct tcplan_contraction *contraction; /* contraction of the current item */
    char *formula;                          /* canonical text of the contraction */
    char *strides;                          /* canonical text of its strides */
    struct tcplan_sizes *sizes;
    char *point_text;
    int64_t combination; /* number of the next entry of the item */
    int64_t combinations;
    struct tcplan_error fault;
    struct tcplan_library_entry entry;
};

/* Opening. */

static ptrdiff_t read_descriptor(void *context, char *buffer, size_t size) {
    const struct tcplan_library *library = context;
    for (;;) {
        const ssize_t count = read(library->descriptor, buffer, size);
        if (count >= 0 || errno != EINTR) return count;
    }
}

/** Prefixes the message with the library's name and the line. */
static enum tcplan_status name_library(const struct tcplan_library *library,
                                       enum tcplan_status status, struct tcplan_error *error) {
    if (status != TCPLAN_INVALID || !error) return status;
    const struct tcplan_error plain = *error;
    error_set(error, status, "%s:%zu: %.200s", library->name, plain.line, plain.message);
    error->line = plain.line;
    return status;
}

static enum tcplan_status cannot_read(const struct tcplan_library *library, const char *why,
                                      struct tcplan_error *error) {
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot read '%s': %s", library->name, why);
}

static struct library_settings settings_of(const struct tcplan_library_options *options) {
    return (struct library_settings){.dtype_count = 1,
                                     .dtype = {options->dtype},
                                     .thread_count = 1,
                                     .threads = {options->threads},
                                     .order = options->order,
                                     .weight = 1};
}

/** Selects the reader of the format and opens it. */
static enum tcplan_status open_reader(struct tcplan_library *library, tcplan_read_fn *read,
                                      void *context, const struct tcplan_library_options *options,
                                      struct tcplan_error *error) {
    struct line_input input = {.read = read, .context = context};
    enum tcplan_library_format format = options->format;
    const char first = format == TCPLAN_LIBRARY_ANY ? line_input_peek(&input) : '\0';
    if (first == '<' || first == '\xfe' || first == '\xff')
        format = TCPLAN_LIBRARY_XML; /* 0xfe, 0xff: UTF-16, which the XML reader rejects */
    library->reader = format == TCPLAN_LIBRARY_XML ? library_reader_xml : library_reader_lines;
    library->reader.input = input;
    library->reader.format = format;
    library->reader.defaults = settings_of(options);
    enum tcplan_status status =
        name_library(library, library->reader.open(&library->reader, error), error);
    return status == TCPLAN_OK && library->reader.input.failed
               ? cannot_read(library, strerror(errno), error)
               : status;
}

static struct tcplan_library *allocate(const char *name) {
    struct tcplan_library *library = base_alloc(sizeof *library);
    const char *slash = strrchr(name, '/');
    if (!library) return NULL;
    *library = (struct tcplan_library){.descriptor = -1};
    snprintf(library->name, sizeof library->name, "%s", name);
    struct strbuf base_name = {0};
    strbuf_add(&base_name, "%s", slash ? slash + 1 : name);
    library->base_name = strbuf_finish(&base_name);
    if (library->base_name) return library;
    base_free(library);
    return NULL;
}

static enum tcplan_status hand_out(struct tcplan_library **out, struct tcplan_library *library,
                                   enum tcplan_status status) {
    if (status == TCPLAN_OK) {
        *out = library;
    } else {
        tcplan_library_close(library);
    }
    return status;
}

enum tcplan_status tcplan_library_from(struct tcplan_library **out, tcplan_read_fn *read,
                                       void *context, const char *name,
                                       const struct tcplan_library_options *options,
                                       struct tcplan_error *error) {
    struct tcplan_library *library = allocate(name);
    if (!library) return error_no_memory(error);
    return hand_out(out, library, open_reader(library, read, context, options, error));
}

enum tcplan_status tcplan_library_open(struct tcplan_library **out, const char *path,
                                       const struct tcplan_library_options *options,
                                       struct tcplan_error *error) {
    struct tcplan_library *library = allocate(path);
    if (!library) return error_no_memory(error);
    library->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    enum tcplan_status status =
        library->descriptor < 0 ? cannot_read(library, strerror(errno), error)
                                : open_reader(library, read_descriptor, library, options, error);
    return hand_out(out, library, status);
}

/* Items. */

static void free_item(struct tcplan_library *library) {
    tcplan_sizes_free(library->sizes);
    tcplan_contraction_free(library->contraction);
    free(library->formula);
    free(library->strides);
    free(library->point_text);
    library->sizes = NULL;
    library->contraction = NULL;
    library->formula = NULL;
    library->strides = NULL;
    library->point_text = NULL;
}

/** Returns whether a failure is caused by the item, not by tcplan or its environment. */
static bool is_fault(enum tcplan_status status) {
    return status == TCPLAN_INVALID || status == TCPLAN_OVERFLOW;
}

/** Checks that the last point, which is the largest, is a valid problem for every type. */
static enum tcplan_status check_largest(struct tcplan_library *library) {
    int64_t extent[TCPLAN_MAX_INDICES];
    struct tcplan_problem problem;
    enum tcplan_status status = TCPLAN_OK;
    tcplan_sizes_point(library->sizes, tcplan_sizes_count(library->sizes) - 1, extent);
    for (int d = 0; d < library->item.settings.dtype_count && status == TCPLAN_OK; d++) {
        status = tcplan_problem_init(&problem, library->contraction, extent,
                                     library->item.settings.dtype[d], &library->fault);
    }
    return status;
}

static bool is_given(const char *text) {
    return text && *text;
}

/** Parses the contraction, the strides, and the sizes or shapes. */
static enum tcplan_status parse_texts(struct tcplan_library *library, struct tcplan_shapes *shapes,
                                      const char **fault_text) {
    const struct library_item *item = &library->item;
    struct tcplan_error *fault = &library->fault;
    *fault_text = item->formula;
    enum tcplan_status status = tcplan_contraction_parse_shaped(
        &library->contraction, item->formula, shapes, item->settings.order, fault);
    if (status != TCPLAN_OK) return status;
    *fault_text = item->strides ? item->strides : "";
    status = tcplan_strides_parse(library->contraction, *fault_text, fault);
    if (status != TCPLAN_OK) return status;
    if (is_given(item->sections) && is_given(item->strides))
        return error_set(
            fault, TCPLAN_INVALID,
            "block-sparse tensors have no strides; expected sections or strides, found both");
    *fault_text = item->sizes;
    return shapes ? tcplan_shapes_sizes(&library->sizes, shapes, library->contraction, fault)
                  : tcplan_sizes_parse(&library->sizes, library->contraction, item->sizes, fault);
}

/** Parses the contraction and sizes of the item. After a failure, *fault_text is the text that
 * contains the error. */
static enum tcplan_status parse_item(struct tcplan_library *library, const char **fault_text) {
    const struct library_item *item = &library->item;
    struct tcplan_shapes *shapes = NULL;
    enum tcplan_status status = TCPLAN_OK;
    *fault_text = item->sizes;
    if (item->shapes) status = tcplan_shapes_parse(&shapes, item->shapes, &library->fault);
    if (status == TCPLAN_OK) status = parse_texts(library, shapes, fault_text);
    tcplan_shapes_free(shapes);
    if (status != TCPLAN_OK) return status;
    if (tcplan_sizes_count(library->sizes) > TCPLAN_LIBRARY_POINTS_MAX) {
        return error_set(&library->fault, TCPLAN_INVALID,
                         "a sweep of %" PRId64 " points, expected at most %d",
                         tcplan_sizes_count(library->sizes), TCPLAN_LIBRARY_POINTS_MAX);
    }
    /* Block-sparse tensors may be larger than any dense one. */
    status = is_given(item->sections) ? TCPLAN_OK : check_largest(library);
    if (status != TCPLAN_OK) return status;
    library->formula = tcplan_contraction_text(library->contraction);
    library->strides = tcplan_strides_text(library->contraction);
    return library->formula && library->strides ? TCPLAN_OK : error_no_memory(&library->fault);
}

/** Prepares the entries of the item. An item with an error has a single entry. */
static enum tcplan_status begin_item(struct tcplan_library *library, struct tcplan_error *error) {
    struct library_item *item = &library->item;
    library->combination = 0;
    library->combinations = 1;
    if (item->fault.status != TCPLAN_OK) {
        library->fault = item->fault;
        library->entry.fault_text = item->fault_text;
        return TCPLAN_OK;
    }
    enum tcplan_status status = parse_item(library, &library->entry.fault_text);
    if (status == TCPLAN_OK) {
        library->fault.status = TCPLAN_OK;
        library->combinations = tcplan_sizes_count(library->sizes) * item->settings.dtype_count *
                                item->settings.thread_count;
    }
    if (status == TCPLAN_OK || is_fault(status)) return TCPLAN_OK;
    if (error) *error = library->fault;
    return status;
}

/* Entries. */

/** Computes the id: a hash of the texts, each including its terminator. */
static void set_id(struct tcplan_library_entry *entry) {
    char settings[32];
    snprintf(settings, sizeof settings, "%c %d %d", tcplan_dtype_letter(entry->dtype),
             (int)entry->order, entry->threads);
    const char *const texts[] = {entry->library,
                                 entry->group,
                                 entry->name,
                                 entry->formula,
                                 entry->sizes,
                                 *entry->strides ? entry->strides : NULL,
                                 *entry->sections ? entry->sections : NULL,
                                 *entry->sections ? entry->charge : NULL,
                                 *entry->sections ? entry->blocks : NULL,
                                 settings,
                                 entry->fault ? entry->fault_text : NULL};
    uint64_t hash = HASH_OF_NOTHING;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        if (texts[t]) hash = hash_add(hash, texts[t], strlen(texts[t]) + 1);
    }
    snprintf(entry->id, sizeof entry->id, "%016" PRIx64, hash_spread(hash));
}

/** Returns the sizes as text, such as "a=400,i=8"; NULL if memory runs out. */
static char *point_text(const struct tcplan_library *library) {
    struct strbuf out = {0};
    for (int i = 0; i < library->contraction->index_count; i++) {
        strbuf_add(&out, "%s%s=%" PRId64, i > 0 ? "," : "", library->contraction->index[i].name,
                   library->entry.extent[i]);
    }
    return strbuf_finish(&out);
}

/** Sets sizes, type and threads of the item's next entry. The point of the sweep changes fastest.
 * Returns false if memory runs out. */
static bool set_combination(struct tcplan_library *library) {
    struct tcplan_library_entry *entry = &library->entry;
    const struct library_settings *settings = &library->item.settings;
    const int64_t points = tcplan_sizes_count(library->sizes);
    const int64_t variant = library->combination / points;
    tcplan_sizes_point(library->sizes, library->combination % points, entry->extent);
    entry->dtype = settings->dtype[variant % settings->dtype_count];
    entry->threads = settings->threads[variant / settings->dtype_count];
    free(library->point_text);
    library->point_text = point_text(library);
    entry->sizes = library->point_text;
    return entry->sizes != NULL;
}

static bool make_entry(struct tcplan_library *library) {
    const struct library_item *item = &library->item;
    const bool faulty = library->fault.status != TCPLAN_OK;
    struct tcplan_library_entry *entry = &library->entry;
    const char *fault_text = entry->fault_text;
    *entry = (struct tcplan_library_entry){.library = library->base_name,
                                           .group = item->group,
                                           .name = item->name,
                                           .size_class = item->size_class,
                                           .optional = item->optional,
                                           .source = item->source,
                                           .line = item->line,
                                           .formula = faulty ? item->formula : library->formula,
                                           .strides = !faulty         ? library->strides
                                                      : item->strides ? item->strides
                                                                      : "",
                                           .sizes = item->sizes,
                                           .sections = item->sections ? item->sections : "",
                                           .charge = item->charge ? item->charge : "",
                                           .blocks = item->blocks ? item->blocks : "",
                                           .dtype = item->settings.dtype[0],
                                           .threads = item->settings.threads[0],
                                           .order = item->settings.order,
                                           .weight = item->settings.weight,
                                           .contraction = faulty ? NULL : library->contraction,
                                           .fault = faulty ? &library->fault : NULL,
                                           .fault_text = fault_text};
    if (!faulty && !set_combination(library)) return false;
    set_id(entry);
    library->combination++;
    return true;
}

/** Reads the next item; *got is false after the last one. */
static enum tcplan_status next_item(struct tcplan_library *library, bool *got,
                                    struct tcplan_error *error) {
    free_item(library);
    enum tcplan_status status = name_library(
        library, library->reader.next(&library->reader, &library->item, got, error), error);
    if (status == TCPLAN_OK && library->reader.input.failed)
        return cannot_read(library, strerror(errno), error);
    return status == TCPLAN_OK && *got ? begin_item(library, error) : status;
}

enum tcplan_status tcplan_library_next(struct tcplan_library *library,
                                       const struct tcplan_library_entry **out,
                                       struct tcplan_error *error) {
    *out = NULL;
    if (library->combination == library->combinations) {
        bool got = false;
        enum tcplan_status status = next_item(library, &got, error);
        if (status != TCPLAN_OK || !got) return status;
    }
    if (!make_entry(library)) return error_no_memory(error);
    *out = &library->entry;
    return TCPLAN_OK;
}

void tcplan_library_close(struct tcplan_library *library) {
    if (!library) return;
    free_item(library);
    if (library->reader.close) library->reader.close(&library->reader);
    line_input_free(&library->reader.input);
    if (library->descriptor >= 0) close(library->descriptor);
    free(library->base_name);
    base_free(library);
}
