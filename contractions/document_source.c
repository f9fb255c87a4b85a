#include "contractions/document_source.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

enum { BLOCK = 65536, OVERLAP = 64, SECTOR = 512, PROLOG_MAX = 4096, TAIL_MAX = 1024 };

/** A line of a document. */
struct line {
    char text[64];
};

/** Returns the line that ends the root, such as `</results>`. */
static struct line root_end(const struct document_kind *kind) {
    struct line out;
    snprintf(out.text, sizeof out.text, "</%s>\n", kind->root);
    return out;
}

/** Returns the line that ends a record, with the line end before it. */
static struct line record_end(const char *record) {
    struct line out;
    snprintf(out.text, sizeof out.text, "\n  </%s>\n", record);
    return out;
}

static enum tcplan_status cannot_read(const char *path, struct tcplan_error *error) {
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot read '%.200s': %s", path, strerror(errno));
}

/** Reads `size` bytes at `offset`, fewer at the end of the file; returns -1 if reading fails. */
static ssize_t read_at(int descriptor, char *buffer, size_t size, off_t offset) {
    size_t length = 0;
    while (length < size) {
        const ssize_t count =
            pread(descriptor, buffer + length, size - length, offset + (off_t)length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -1;
        if (count == 0) break;
        length += (size_t)count;
    }
    return (ssize_t)length;
}

/** Returns the position after the last occurrence of `line` in `text`; the line includes its line
 * end. Returns 0 if there is none. */
static size_t behind_last(const char *text, size_t length, const char *line) {
    const size_t size = strlen(line);
    for (size_t end = length; end >= size; end--) {
        if (memcmp(text + end - size, line, size) == 0) return end;
    }
    return 0;
}

/** Returns the position after the last record within `text`; 0 if there is none. */
static size_t behind_last_record(const struct document_kind *kind, const char *text,
                                 size_t length) {
    size_t last = 0;
    for (int r = 0; r < DOCUMENT_RECORDS_MAX && kind->record[r]; r++) {
        const size_t behind = behind_last(text, length, record_end(kind->record[r]).text);
        if (behind > last) last = behind;
    }
    return last;
}

/** Returns the offset after the last record within the first `size` bytes; 0 if there is none,
 * -1 if reading fails. */
static off_t find_append(const struct document_kind *kind, int descriptor, off_t size) {
    static const off_t step = BLOCK - OVERLAP;
    char block[BLOCK];
    for (off_t end = size; end > 0; end = end > step ? end - step : 0) {
        const off_t start = end > BLOCK ? end - BLOCK : 0;
        const ssize_t length = read_at(descriptor, block, (size_t)(end - start), start);
        if (length < 0) return -1;
        const size_t found = behind_last_record(kind, block, (size_t)length);
        if (found > 0) return start + (off_t)found;
    }
    return 0;
}

/** Returns whether the file ends with the root's end, ignoring trailing white space; -1 if it
 * cannot be read. */
static int is_closed(const struct document_kind *kind, int descriptor, off_t size) {
    char text[256];
    const off_t start = size > (off_t)sizeof text ? size - (off_t)sizeof text : 0;
    ssize_t length = read_at(descriptor, text, sizeof text, start);
    if (length < 0) return -1;
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) && text[length - 1]) length--;
    const struct line root = root_end(kind);
    const ssize_t end = (ssize_t)strlen(root.text) - 1;
    return length >= end && memcmp(text + length - end, root.text, (size_t)end) == 0;
}

static const char *find_nonzero(const char *text, size_t length) {
    const char *end = text + length;
    while (text < end && *text == '\0') text++;
    return text < end ? text : NULL;
}

/** Returns the position of the first zero byte at or after `from`; if `zero` is false, of the first
 * nonzero byte. Returns `size` if there is none, -1 if reading fails. */
static off_t find_byte(int descriptor, off_t from, off_t size, bool zero) {
    char block[BLOCK];
    for (off_t start = from; start < size;) {
        const off_t rest = size - start;
        const ssize_t length =
            read_at(descriptor, block, rest < BLOCK ? (size_t)rest : BLOCK, start);
        if (length <= 0) return -1;
        const char *found =
            zero ? memchr(block, '\0', (size_t)length) : find_nonzero(block, (size_t)length);
        if (found) return start + (found - block);
        start += length;
    }
    return size;
}

/**
 * Returns the position of zero bytes that a power loss left in place of the last write; `size` if
 * there are none, -1 if reading fails. Zero bytes count as unwritten if they extend to the end of
 * the file or of a sector, or if no complete record follows. Other zero bytes remain for the
 * parser to reject, so that complete records after them are not lost.
 */
static off_t find_unwritten(const struct document_kind *kind, int descriptor, off_t size) {
    const off_t start = find_byte(descriptor, 0, size, true);
    if (start < 0 || start == size) return start;
    const off_t end = find_byte(descriptor, start, size, false);
    if (end < 0) return end;
    if (end == size || (end % SECTOR == 0 && end - start > 1)) return start;
    const off_t record = find_append(kind, descriptor, size);
    return record < 0 ? record : record <= start ? start : size;
}

enum tcplan_status document_source_init(struct document_source *out,
                                        const struct document_kind *kind, int descriptor,
                                        const char *path, struct tcplan_error *error) {
    const off_t size = lseek(descriptor, 0, SEEK_END);
    const off_t written = size < 0 ? -1 : find_unwritten(kind, descriptor, size);
    const int closed = written < 0 ? -1 : written == size && is_closed(kind, descriptor, size);
    *out = (struct document_source){
        .kind = kind, .descriptor = descriptor, .size = size, .torn = closed == 0};
    if (closed < 0) return cannot_read(path, error);
    if (closed) return TCPLAN_OK;
    out->size = find_append(kind, descriptor, written);
    if (out->size < 0) return cannot_read(path, error);
    if (out->size > 0) return TCPLAN_OK;
    out->size = size; /* nothing is omitted; the parser reports the fault */
    out->torn = false;
    return TCPLAN_OK;
}

ssize_t document_source_read(void *context, char *buffer, size_t size) {
    struct document_source *source = context;
    assert(source->at <= source->size);
    const off_t rest = source->size - source->at;
    if (rest > 0) {
        const ssize_t count = read_at(source->descriptor, buffer,
                                      rest < (off_t)size ? (size_t)rest : size, source->at);
        if (count > 0) source->at += count;
        return count;
    }
    const struct line end = root_end(source->kind);
    assert(source->tail <= strlen(end.text));
    const size_t missing = source->torn ? strlen(end.text) - source->tail : 0;
    const size_t count = missing < size ? missing : size;
    memcpy(buffer, end.text + source->tail, count);
    source->tail += count;
    return (ssize_t)count;
}

/** Returns whether no record begins between `from` and the end. A record whose lines were edited is
 * not recognised as complete, and must not be overwritten. */
static bool is_end(const struct document_source *source, off_t from) {
    char text[TAIL_MAX];
    if (source->size - from > TAIL_MAX) return false;
    const ssize_t length = read_at(source->descriptor, text, (size_t)(source->size - from), from);
    bool is_end = length >= 0;
    for (int r = 0; r < DOCUMENT_RECORDS_MAX && source->kind->record[r] && is_end; r++) {
        char begin[64];
        const int size = snprintf(begin, sizeof begin, "<%s", source->kind->record[r]);
        is_end = !memmem(text, (size_t)length, begin, (size_t)size);
    }
    return is_end;
}

off_t document_source_append_at(const struct document_source *source) {
    const off_t found =
        source->torn ? source->size : find_append(source->kind, source->descriptor, source->size);
    return found > 0 && (source->torn || is_end(source, found)) ? found : -1;
}

/* prolog = { space | "<?" ... "?>" | "<!--" ... "-->" } ; returns the text after it */
static const char *behind_prolog(const char *text) {
    for (;;) {
        text += strspn(text, " \t\r\n");
        const bool comment = strncmp(text, "<!--", 4) == 0;
        if (!comment && strncmp(text, "<?", 2) != 0) return text;
        const char *end = strstr(text, comment ? "-->" : "?>");
        if (!end) return text;
        text = end + (comment ? 3 : 2);
    }
}

bool document_source_is(const struct document_kind *kind, int descriptor) {
    char text[PROLOG_MAX + 1];
    const ssize_t length = read_at(descriptor, text, PROLOG_MAX, 0);
    if (length < 0) return false;
    text[length] = '\0';
    const char *root = behind_prolog(text);
    const size_t name = strlen(kind->root);
    if (*root != '<' || strncmp(root + 1, kind->root, name) != 0) return false;
    const char behind = root[name + 1];
    return behind && strchr(" \t\r\n>/", behind);
}
