/**
 * Reads libraries of contractions entry by entry, in constant memory. Three formats:
 *
 *   <library format="1">...</library>          XML, schema contractions/schemas/library.rng
 *   NAME | abc | bda | dc | a=312 b=312 ...    plain list: result, first and second factor, extents
 *                                              or sweeps; one contraction a line
 *   NAME | C_ab+=2*A_ai*B_ib | a=b=9 i=8 ...   the same with a formula. Strides, `| A=1,9`, may
 *                                              follow, then type, order and weight,
 *                                              `| z row-major x12`
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
    TCPLAN_LIBRARY_ANY, /**< the format is recognised by the content: XML starts with `<`, a line of
                           a plain list has a `|` */
    TCPLAN_LIBRARY_XML,
    TCPLAN_LIBRARY_LIST,
    TCPLAN_LIBRARY_EINSUM,
    TCPLAN_LIBRARY_TCCG /**< TCCG's input files, and the lines that its benchmark prints */
};

enum { TCPLAN_LIBRARY_POINTS_MAX = 1000000 }; /**< maximum number of points of a sweep */

/** Defaults for entries that state no value. */
struct tcplan_library_options {
    enum tcplan_library_format format;
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    int threads;
};

/** One size point of one contraction, with one type and number of threads. Texts that the library
 * does not give are "". */
struct tcplan_library_entry {
    char id[TCPLAN_RESULT_ID_SIZE]; /**< hash of the members below except class, source and line, as
                                       16 hexadecimal digits */
    const char *library;            /**< file name without folders */
    const char *group;
    const char *name; /**< name of the entry; `line17` if the library gives none */
    const char *size_class;
    bool optional; /**< whether the entry is not selected by default */
    const char *source;
    size_t line;          /**< line in the library where the sizes or the list entry end */
    const char *formula;  /**< the contraction in its canonical text; as written if invalid */
    const char *strides;  /**< strides as `A=1,400`, empty if all tensors are dense; as written if
                             they are invalid */
    const char *sizes;    /**< the size point, such as `a=400,i=8`; as written if invalid */
    const char *sections; /**< sections of block-sparse tensors (tcplan/blocksparse.h), as written;
                             empty: the tensors are dense, and the next two members are empty */
    const char *charge;   /**< conservation rules, as written */
    const char *blocks;   /**< lists of blocks, such as `A:0 0|0 1; B:1 1` */
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    int threads;
    int64_t weight; /**< number of times that the contraction runs in one run of the library as a
                       program (tcplan/advise.h); default 1; not part of the id */
    const struct tcplan_contraction *contraction; /**< the contraction; NULL if the entry is invalid
                                                   */
    int64_t extent[TCPLAN_MAX_INDICES];           /**< extent of each index of the contraction */
    const struct tcplan_error *fault; /**< why the contraction or its sizes are invalid; NULL: they
                                         are valid. The texts of blocks are not checked. */
    const char *fault_text; /**< the text that contains the error; its place is in `fault` */
};

/** A library being read. */
struct tcplan_library;

/**
 * Opens a library.
 *
 * @param out   receives the library, to be closed with tcplan_library_close()
 * @param path  name of a file
 * @return TCPLAN_OK; TCPLAN_INVALID if it is not a library (`error` gives the line, its message
 *     also the name); TCPLAN_ENVIRONMENT if it cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_library_open(struct tcplan_library **out, const char *path,
                                                  const struct tcplan_library_options *options,
                                                  struct tcplan_error *error);

/**
 * Opens a library that is read through a callback. Returns a status of tcplan_library_open().
 *
 * @param read  called for the library's bytes until tcplan_library_close(); an entry is available
 *              once its last byte has been read
 * @param name  name of the library
 */
TCPLAN_API enum tcplan_status tcplan_library_from(struct tcplan_library **out, tcplan_read_fn *read,
                                                  void *context, const char *name,
                                                  const struct tcplan_library_options *options,
                                                  struct tcplan_error *error);

/**
 * Reads the next entry. An entry with an invalid contraction or sizes is returned once, with its
 * `fault`; reading continues after it. Input that is not a library (not well-formed, not valid, a
 * line without the parts of its format) ends the reading; in lists, only the line is rejected.
 *
 * @param out  receives the entry, valid until the next call; NULL after the last one
 * @return a status of tcplan_library_open()
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
