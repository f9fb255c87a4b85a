#include "ast/problem/sizes.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "ast/problem/extent.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

/** The extents that one or more indices share: first, first + step, ... */
struct range {
    int64_t first;
    int64_t step;
    int64_t points;
};

struct tcplan_sizes {
    int64_t points;
    int range_count;
    int index_count;
    int *range_of;        /* the range of each index; -1: not given yet */
    struct range range[]; /* ranges, at most one for each index */
};

/** The state of the parser. */
struct reader {
    struct scan scan;
    const char *const *name; /* names of the indices */
    struct tcplan_sizes *sizes;
    char *unused; /* receives names that are not indices; NULL: such names are rejected */
};

enum { LIST_BYTES = TCPLAN_SIZES_UNUSED };

/** A list of index names short enough for a message. */
struct name_list {
    char text[LIST_BYTES];
};

/** Lists all names if `all` is true, else the names without an extent. */
static struct name_list list_names(const struct reader *reader, bool all) {
    struct name_list list = {.text = "none"};
    size_t length = 0;
    for (int index = 0; index < reader->sizes->index_count; index++) {
        if (!all && reader->sizes->range_of[index] >= 0) continue;
        const char *name = reader->name[index], *separator = length > 0 ? ", " : "";
        size_t need = strlen(separator) + strlen(name);
        bool fits = length + need + sizeof ", ..." <= LIST_BYTES;
        length += (size_t)snprintf(list.text + length, LIST_BYTES - length, "%s%s", separator,
                                   fits ? name : "...");
        if (!fits) break;
    }
    return list;
}

static int find_index(const struct reader *reader, struct word name) {
    int index = 0;
    while (index < reader->sizes->index_count && !word_equal(word_of(reader->name[index]), name))
        index++;
    return index;
}

static bool is_name_start(char c) {
    return scan_is_letter(c) || c == '_';
}

/** Appends a name that is no index to the list of such names, if there is room. */
static void add_unused(struct reader *reader, struct word name) {
    const size_t length = strlen(reader->unused);
    if (length + name.length + sizeof ", " > LIST_BYTES) return;
    snprintf(reader->unused + length, LIST_BYTES - length, "%s%.*s", length > 0 ? ", " : "",
             (int)name.length, name.text);
}

/* name = ( letter | "_" ) { letter | digit | "_" } ; the name of an index that has no range yet
 * or, if unused names are accepted, of no index. `known` becomes true if it is an index */
static bool read_name(struct reader *reader, bool *known) {
    if (!is_name_start(scan_peek(&reader->scan)))
        return scan_expected(&reader->scan, "an index name");
    struct word name = scan_run(&reader->scan, scan_is_name);
    int index = find_index(reader, name);
    if (reader->sizes->index_count == 0) {
        return scan_refuse(
            &reader->scan, name,
            "the contraction has no indices; write them after an underscore, as in C_ab=A_ai*B_ib, or in einsum notation, as in ai,ib->ab");
    }
    if (index == reader->sizes->index_count && reader->unused) {
        add_unused(reader, name);
        return true;
    }
    *known = true;
    if (index == reader->sizes->index_count) {
        return scan_refuse(&reader->scan, name, "the contraction has no index %s; its indices: %s",
                           scan_excerpt(name).text, list_names(reader, true).text);
    }
    if (reader->sizes->range_of[index] >= 0) {
        return scan_refuse(&reader->scan, name, "index %s has an extent already",
                           scan_excerpt(name).text);
    }
    reader->sizes->range_of[index] = reader->sizes->range_count;
    return true;
}

/* number = digit { digit } ; from `least` to the largest BLAS integer. `what` is an extent or a
 * step */
static bool read_number(struct reader *reader, const char *what, int64_t least, int64_t *out) {
    return extent_read(out, &reader->scan, scan_run(&reader->scan, extent_belongs), what, least);
}

/* sweep = ":" last ":" step ; the first ":" has been read */
static bool read_sweep(struct reader *reader, struct range *range, struct word start) {
    int64_t last;
    if (!read_number(reader, "the last extent", 0, &last)) return false;
    if (last < range->first) {
        return scan_refuse(&reader->scan, scan_since(&reader->scan, start),
                           "the last extent %lld is smaller than the first, %lld", (long long)last,
                           (long long)range->first);
    }
    if (!scan_accept(&reader->scan, ":"))
        return scan_expected(&reader->scan, "':' and the step (first:last:step)");
    if (!read_number(reader, "a step", 1, &range->step)) return false;
    range->points = (last - range->first) / range->step + 1;
    return true;
}

/* range = first [ sweep ] ; a range whose names are no indices adds no points */
static bool read_range(struct reader *reader, bool known) {
    scan_peek(&reader->scan);
    struct word start = {reader->scan.at, 0};
    struct range unused;
    struct range *range = known ? &reader->sizes->range[reader->sizes->range_count++] : &unused;
    *range = (struct range){.step = 1, .points = 1};
    if (!read_number(reader, "an extent", 0, &range->first)) return false;
    if (scan_accept(&reader->scan, ":") && !read_sweep(reader, range, start)) return false;
    if (!known) return true;
    if (checked_mul_i64(reader->sizes->points, range->points, &reader->sizes->points)) return true;
    struct word word = scan_since(&reader->scan, start);
    reader->scan.status =
        error_at(reader->scan.error, TCPLAN_OVERFLOW, (size_t)(start.text - reader->scan.text),
                 word.length, "with the sweep %s there are more than %lld size points",
                 scan_excerpt(word).text, (long long)INT64_MAX);
    return false;
}

/* group = name "=" { name "=" } range */
static bool read_group(struct reader *reader) {
    bool known = false;
    do {
        if (!read_name(reader, &known)) return false;
        if (!scan_accept(&reader->scan, "="))
            return scan_expected(&reader->scan, "'=' and an extent");
    } while (is_name_start(scan_peek(&reader->scan)));
    return read_range(reader, known);
}

/* sizes = [ group { [ "," ] group } [ "," ] ] ; blanks separate groups without a comma;
 * check_complete() rejects missing indices */
static bool read_sizes(struct reader *reader) {
    if (scan_peek(&reader->scan) == '\0') return true;
    do {
        if (!read_group(reader)) return false;
        scan_accept(&reader->scan, ",");
    } while (is_name_start(scan_peek(&reader->scan)));
    return scan_peek(&reader->scan) == '\0' ||
           scan_expected(&reader->scan, "an index name or the end");
}

static bool check_complete(struct reader *reader) {
    const struct tcplan_sizes *sizes = reader->sizes;
    int index = 0;
    while (index < sizes->index_count && sizes->range_of[index] >= 0) index++;
    if (index == sizes->index_count) return true;
    const bool has_unused = reader->unused && *reader->unused;
    int missing = 0;
    for (int i = index; i < sizes->index_count; i++) missing += sizes->range_of[i] < 0;
    reader->scan.status = error_set(reader->scan.error, TCPLAN_INVALID,
                                    "no extent for ind%s %s; expected one for every index%s%s",
                                    missing == 1 ? "ex" : "ices", list_names(reader, false).text,
                                    has_unused ? "; the contraction has no index " : "",
                                    has_unused ? reader->unused : "");
    return false;
}

/** Returns sizes without a range; NULL if out of memory. */
static struct tcplan_sizes *new_sizes(int index_count) {
    struct tcplan_sizes *sizes = base_alloc(
        sizeof *sizes + (size_t)index_count * (sizeof sizes->range[0] + sizeof *sizes->range_of));
    if (!sizes) return NULL;
    *sizes = (struct tcplan_sizes){.points = 1, .index_count = index_count};
    sizes->range_of = (int *)(sizes->range + index_count);
    for (int index = 0; index < index_count; index++) sizes->range_of[index] = -1;
    return sizes;
}

enum tcplan_status sizes_parse_names(struct tcplan_sizes **out, const char *const name[], int count,
                                     const char *text, char *unused, struct tcplan_error *error) {
    struct reader reader = {.name = name, .unused = unused};
    if (unused) *unused = '\0';
    if (!scan_init(&reader.scan, text, error)) return reader.scan.status;
    reader.sizes = new_sizes(count);
    if (!reader.sizes) return error_no_memory(error);
    if (!read_sizes(&reader) || !check_complete(&reader)) {
        tcplan_sizes_free(reader.sizes);
        return reader.scan.status;
    }
    *out = reader.sizes;
    return TCPLAN_OK;
}

enum tcplan_status tcplan_sizes_parse(struct tcplan_sizes **out,
                                      const struct tcplan_contraction *contraction,
                                      const char *text, struct tcplan_error *error) {
    return tcplan_sizes_parse_more(out, contraction, text, NULL, error);
}

enum tcplan_status tcplan_sizes_parse_more(struct tcplan_sizes **out,
                                           const struct tcplan_contraction *contraction,
                                           const char *text, char unused[TCPLAN_SIZES_UNUSED],
                                           struct tcplan_error *error) {
    const char *name[TCPLAN_MAX_INDICES];
    for (int index = 0; index < contraction->index_count; index++)
        name[index] = contraction->index[index].name;
    return sizes_parse_names(out, name, contraction->index_count, text, unused, error);
}

void tcplan_sizes_free(struct tcplan_sizes *sizes) {
    base_free(sizes);
}

int64_t tcplan_sizes_count(const struct tcplan_sizes *sizes) {
    return sizes->points;
}

void sizes_point_names(const struct tcplan_sizes *sizes, int64_t point, int64_t extent[]) {
    assert(point >= 0 && point < sizes->points);
    for (int r = sizes->range_count - 1; r >= 0; r--) {
        const struct range *range = &sizes->range[r];
        const int64_t value = range->first + point % range->points * range->step;
        point /= range->points;
        for (int index = 0; index < sizes->index_count; index++) {
            if (sizes->range_of[index] == r) extent[index] = value;
        }
    }
}

void tcplan_sizes_point(const struct tcplan_sizes *sizes, int64_t point,
                        int64_t extent[TCPLAN_MAX_INDICES]) {
    memset(extent, 0, TCPLAN_MAX_INDICES * sizeof *extent);
    sizes_point_names(sizes, point, extent);
}
