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

/** Types, threads, storage order and weight: the defaults of a library, or those of an item. */
struct library_settings {
    int dtype_count;
    enum tcplan_dtype dtype[TCPLAN_DTYPES];
    int thread_count;
    int threads[LIBRARY_THREADS_MAX];
    enum tcplan_order order;
    int64_t weight; /**< number of times that the contraction runs in one run of the library as a
                       program */
};

/** A contraction with its sizes: one point, or a sweep of several. */
struct library_item {
    const char *group;
    const char *name;
    const char *size_class;
    bool optional;
    const char *source;
    const char *formula;
    const char *strides; /**< strides; NULL or "": all tensors are dense */
    const char *sizes;
    /** texts about block-sparse tensors; NULL or "": the tensors are dense */
    const char *sections, *charge, *blocks;
    const char *shapes; /**< shapes of the arrays, which replace sizes; NULL: none */
    size_t line;
    struct library_settings settings;
    struct tcplan_error fault; /**< the first error; its status is TCPLAN_OK if there was none */
    const char *fault_text;    /**< the text in which `fault` marks a place */
};

/** A reader of one format. */
struct library_reader {
    enum tcplan_status (*open)(struct library_reader *reader, struct tcplan_error *error);
    /** Reads an item; *got is false after the last one. Its texts are valid until the next call. */
    enum tcplan_status (*next)(struct library_reader *reader, struct library_item *item, bool *got,
                               struct tcplan_error *error);
    void (*close)(struct library_reader *reader);
    struct line_input input;
    struct library_settings defaults;
    enum tcplan_library_format format;
    struct library_xml *xml; /**< state of the XML reader */
    struct arena texts;      /**< for lists: memory of the current item's texts */
    char *held; /**< for lists: a line that was read and belongs to the next item; NULL: no such
                   line */
};

/** Reads XML (library_xml.c). */
extern const struct library_reader library_reader_xml;

/** Reads lists (library_lines.c): plain lines by library_list.c, einsum lines by library_einsum.c,
 * TCCG's formats by library_tccg.c. */
extern const struct library_reader library_reader_lines;

/** Parses a line without a comment, and modifies it. The item's texts are copied into `arena`.
 * Returns false if memory runs out. */
bool library_read_list_line(struct library_item *item, char *line, struct arena *arena);
bool library_read_einsum_line(struct library_item *item, char *line, struct arena *arena);

/** Returns whether a non-empty line is in one of TCCG's formats. */
bool library_is_tccg_line(const char *line);

/**
 * Reads an item in one of TCCG's formats, which begins with `line` and may span several lines.
 * `reader->held` receives the line after the item.
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY; the status of line_input_next()
 */
enum tcplan_status library_read_tccg(struct library_item *item, struct library_reader *reader,
                                     char *line, struct tcplan_error *error);

/** Reads the next non-empty line of a list, without its comment and surrounding spaces; *out is
 * NULL at the end. */
enum tcplan_status library_next_text(char **out, struct library_reader *reader,
                                     struct tcplan_error *error);

/** Returns the formula `C_...=A_...*B_...`. `indices` has the letters of C, A and B. NULL if memory
 * runs out. */
const char *library_formula_of_indices(const char *const indices[3], struct arena *arena);

/** Records an error in `text`: `length` bytes at `offset`, counted from 0. An item stores only its
 * first error. */
void library_item_fault(struct library_item *item, const char *text, size_t offset, size_t length,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));

/** Returns the text without spaces at both ends; modifies the text. */
char *library_trim(char *text);

#endif
