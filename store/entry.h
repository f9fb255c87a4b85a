/**
 * The text of one entry:
 *
 *   tcplan store 1
 *   entry kind=ceilings version=1 key=threads-1 made=1795317619 tcplan=0.2.0
 *   of CPU=... cores=... caches=... BLAS=... libxsmm=..., and so on for every library
 *   the kind's content, any number of lines
 *   checksum 1a2b3c4d
 *
 * The checksum covers all lines before its own.
 */
#ifndef STORE_ENTRY_H
#define STORE_ENTRY_H

#include "store/fields.h"
#include "store/kinds.h"
#include "tcplan/store.h"

enum { ENTRY_MOST_BYTES = 4 << 20, ENTRY_HEAD_LINES = 3 };

struct entry {
    char kind_name[TCPLAN_STORE_NAME];
    int version;
    char key[TCPLAN_STORE_NAME];
    int64_t made; /**< time of creation in seconds since 1970 */
    char tcplan[TCPLAN_STORE_NAME];
    struct tcplan_fingerprint fingerprint;
    const struct store_kind *kind; /**< kind of the entry; NULL: unknown */
    size_t skipped;                /**< number of unreadable lines in its log */
    const char *content; /**< content of the entry; after reading, it points into the text that was
                            read */
    size_t length;
};

/** A field for every part of a fingerprint, followed by one without a name. */
struct fingerprint_fields {
    struct field part[TCPLAN_FINGERPRINT_PARTS + 1];
};

struct fingerprint_fields fingerprint_fields(void);

/** Returns the text of an entry with a value of the entry's kind, from all members of `entry`
 * but the last two; NULL if out of memory. */
char *entry_text(const struct entry *entry, const void *value);

/**
 * Reads the text of an entry without parsing its content.
 * @param out  receives the parts that were read, also of a rejected entry
 * @return TCPLAN_OK; TCPLAN_INVALID if it is not an entry or damaged; TCPLAN_MISMATCH if the
 *   version of the store or of the kind differs, or the kind is unknown
 */
enum tcplan_status entry_read(struct entry *out, const char *text, size_t length,
                              struct tcplan_error *error);

/** Parses the content into a value of the kind; if `value` is NULL, only checks it. Lines in
 * errors count from the beginning of the text. */
enum tcplan_status entry_value(void *value, const struct entry *entry, struct tcplan_error *error);

#endif
