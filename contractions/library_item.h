/**
 * The common interface of the library formats: each yields items, which library.c turns into
 * entries.
 */
#ifndef CONTRACTIONS_LIBRARY_ITEM_H
#define CONTRACTIONS_LIBRARY_ITEM_H

#include "base/arena.h"
#include "contractions/line_input.h"
#include "tcplan/library.h"

enum { LIBRARY_THREADS_MAX = 16 };

/** Types, threads and storage order that hold somewhere in a library. */
struct library_settings {
    int dtype_count;
    enum tcplan_dtype dtype[TCPLAN_DTYPES];
    int thread_count;
    int threads[LIBRARY_THREADS_MAX];
    enum tcplan_order order;
    int64_t weight; /**< how often it runs */
};

/** A contraction with sizes that are one point or a sweep. */
struct library_item {
    const char *group;
    const char *name;
    const char *size_class;
    bool optional;
    const char *source;
    const char *formula;
    const char *strides; /**< NULL or "": all tensors are dense */
    const char *sizes;
    const char *shapes; /**< instead of sizes; NULL: none */
    size_t line;
    struct library_settings settings;
    struct tcplan_error fault; /**< status TCPLAN_OK: none so far */
    const char *fault_text;    /**< that it marks a place in */
};

/** A reader of one format. */
struct library_reader {
    enum tcplan_status (*open)(struct library_reader *reader, struct tcplan_error *error);
    /** *got is false behind the last item. Texts live until the next call. */
    enum tcplan_status (*next)(struct library_reader *reader, struct library_item *item, bool *got,
                               struct tcplan_error *error);
    void (*close)(struct library_reader *reader);
    struct line_input input;
    struct library_settings defaults;
    enum tcplan_library_format format;
    struct library_xml *xml; /**< of XML */
    struct arena texts;      /**< of the item, in lists */
    char *held; /**< in lists: a line that was read and belongs to the next item; NULL: none */
};

/** XML: library_xml.c. */
extern const struct library_reader library_reader_xml;

/** Lists: library_lines.c. Plain lines are read by library_list.c, einsum lines by
 * library_einsum.c, TCCG's formats by library_tccg.c. */
extern const struct library_reader library_reader_lines;

/** Parses a line into `arena`; returns false if out of memory. `line` has no comment, and is
 * modified. */
bool library_read_list_line(struct library_item *item, char *line, struct arena *arena);
bool library_read_einsum_line(struct library_item *item, char *line, struct arena *arena);

/** Returns whether a line, which is not empty, is in one of TCCG's formats. */
bool library_is_tccg_line(const char *line);

/**
 * Reads an item of TCCG, which begins with `line` and may span several lines. The next line is left
 * in `reader->held`.
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY; the status of line_input_next()
 */
enum tcplan_status library_read_tccg(struct library_item *item, struct library_reader *reader,
                                     char *line, struct tcplan_error *error);

/** The next line of a list that is not empty, without comment and spaces around it; NULL at the
 * end. */
enum tcplan_status library_next_text(char **out, struct library_reader *reader,
                                     struct tcplan_error *error);

/** Returns the formula `C_...=A_...*B_...` for the indices of result and factors, a letter each;
 * NULL if out of memory. */
const char *library_formula_of_indices(const char *const indices[3], struct arena *arena);

/** Enters a fault of an item: `length` bytes at 0-based `offset` of `text`. */
void library_item_fault(struct library_item *item, const char *text, size_t offset, size_t length,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));

/** Cuts spaces off both ends of a text. */
char *library_trim(char *text);

#endif
