/**
 * Libraries of contractions, read entry by entry in memory that does not grow with them. Three
 * formats:
 *
 *   <library format="1">...</library>          XML, schema contractions/schemas/library.rng
 *   NAME | abc | bda | dc | a=312 b=312 ...    plain list: result, first and second factor, extents
 *                                              or sweeps; one contraction a line
 *   NAME | C_ab+=2*A_ai*B_ib | a=b=9 i=8 ...   the same with a formula; maybe `| A=1,9` (strides)
 *                                              and `| z row-major x12` (type, order, weight) behind
 *   NAME: ai,ibc->abc 64,8 8,64,64             einsum with the shapes of both factors; `NAME:` may
 *                                              be left out
 *
 * In lists and einsum lines `#` starts a comment; both may be in one file. docs/libraries.md
 * describes the formats.
 */
#ifndef TCPLAN_LIBRARY_H
#define TCPLAN_LIBRARY_H

#include "tcplan/problem.h"
#include "tcplan/results.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tcplan_library_format {
    TCPLAN_LIBRARY_ANY, /**< recognised by its content: XML starts with `<`, a line of a plain list
                           has a `|` */
    TCPLAN_LIBRARY_XML,
    TCPLAN_LIBRARY_LIST,
    TCPLAN_LIBRARY_EINSUM,
    TCPLAN_LIBRARY_TCCG /**< TCCG's input files, and the lines that its benchmark prints */
};

enum { TCPLAN_LIBRARY_POINTS_MAX = 1000000 }; /**< of one sweep */

/** Defaults for entries that state no value. */
struct tcplan_library_options {
    enum tcplan_library_format format;
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    int threads;
};

/** One size point of one contraction, with one type and number of threads. Texts are "" if there is
 * none. */
struct tcplan_library_entry {
    char id[TCPLAN_RESULT_ID_SIZE]; /**< 16 hexadecimal digits, of all that follows but class,
                                       source and line */
    const char *library;            /**< its name, without folders */
    const char *group;
    const char *name; /**< `line17` where the library gives none */
    const char *size_class;
    bool optional; /**< for callers that select by class */
    const char *source;
    size_t line;         /**< of the library, where sizes or list entry end */
    const char *formula; /**< the contraction in its canonical text; as written if invalid */
    const char *strides; /**< as `A=1,400`, empty if all tensors are dense; as written where they
                            are at fault */
    const char *sizes;   /**< the point, as `a=400,i=8`; as written where they are at fault */
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    int threads;
    int64_t weight; /**< number of times it runs in one run of the library as a program
                       (tcplan/advise.h); default 1. No part of the id */
    const struct tcplan_contraction *contraction; /**< NULL where the entry is at fault */
    int64_t extent[TCPLAN_MAX_INDICES];           /**< of its indices */
    const struct tcplan_error *fault; /**< why the contraction or its sizes are refused; NULL: they
                                         are good */
    const char *fault_text;           /**< the text that the fault marks a place in */
};

/** A library being read. */
struct tcplan_library;

/**
 * Opens a library.
 *
 * @param out   receives the library, to be closed with tcplan_library_close()
 * @param path  name of a file
 * @return TCPLAN_OK; TCPLAN_INVALID if it is no library (`error` tells the line, its message the
 *         name too); TCPLAN_ENVIRONMENT if it cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_library_open(struct tcplan_library **out, const char *path,
                                                  const struct tcplan_library_options *options,
                                                  struct tcplan_error *error);

/**
 * The same for a library from anywhere.
 *
 * @param read  called for its bytes until tcplan_library_close(); entries are given as soon as
 *              their last byte was read
 * @param name  of the library
 */
TCPLAN_API enum tcplan_status tcplan_library_from(struct tcplan_library **out, tcplan_read_fn *read,
                                                  void *context, const char *name,
                                                  const struct tcplan_library_options *options,
                                                  struct tcplan_error *error);

/**
 * The next entry. One whose contraction or sizes are refused comes with its `fault`, once, and
 * reading continues after it. Input that is not a library (not well-formed, not valid, a line
 * without the parts of its format) ends the reading; in lists, only the line is rejected.
 *
 * @param out  receives the entry, valid until the next call; NULL behind the last one
 * @return as tcplan_library_open()
 */
TCPLAN_API enum tcplan_status tcplan_library_next(struct tcplan_library *library,
                                                  const struct tcplan_library_entry **out,
                                                  struct tcplan_error *error);

/** Closes a library; NULL is fine. */
TCPLAN_API void tcplan_library_close(struct tcplan_library *library);

#ifdef __cplusplus
}
#endif

#endif
