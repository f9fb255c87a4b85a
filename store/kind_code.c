#include "store/kind_code.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/fields.h"
#include "store/kinds.h"

enum { DAYS = 365, LINE = 64, MOST_BYTES = 1 << 20 }; /* bytes of a line; of an object */

#define OF(member) .offset = offsetof(struct made_by, member)

/** The first line. */
struct made_by {
    char compiler[120];
    char options[120];
    int64_t bytes;
};

static const struct field made_fields[] = {
    {.name = "compiler",
     .type = FIELD_TEXT,
     OF(compiler),
     .size = sizeof((struct made_by *)0)->compiler},
    {.name = "options",
     .type = FIELD_TEXT,
     OF(options),
     .size = sizeof((struct made_by *)0)->options},
    {.name = "bytes", .type = FIELD_INT64, OF(bytes), .lowest = 1, .highest = MOST_BYTES},
    {0},
};

static void write_content(struct strbuf *out, const void *value) {
    const struct kept_code *code = value;
    struct made_by made = {.bytes = (int64_t)code->size};
    memcpy(made.compiler, code->compiler, sizeof made.compiler);
    memcpy(made.options, code->options, sizeof made.options);
    fields_write(out, "made", made_fields, &made);
    for (size_t byte = 0; byte < code->size; byte++) {
        strbuf_add(out, "%s%02x", byte % LINE == 0 ? "data " : "", code->object[byte]);
        if (byte % LINE == LINE - 1 || byte + 1 == code->size) strbuf_add(out, "\n");
    }
}

/* Reading. */

/** How far it has come. */
struct reading {
    struct kept_code *code;
    size_t done;
};

static enum tcplan_status take_made(void *value, const void *read, struct tcplan_error *error) {
    const struct made_by *made = read;
    struct kept_code *code = ((struct reading *)value)->code;
    if (code->object || made->bytes < 1)
        return error_set(error, TCPLAN_INVALID, "a second object, or one without bytes");
    memcpy(code->compiler, made->compiler, sizeof code->compiler);
    memcpy(code->options, made->options, sizeof code->options);
    code->size = (size_t)made->bytes;
    code->object = base_alloc_zero(code->size, 1);
    return code->object ? TCPLAN_OK : error_no_memory(error);
}

static int digit_of(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/** Digits behind a blank. */
static enum tcplan_status take_data(void *value, const char *text, size_t length,
                                    struct tcplan_error *error) {
    struct reading *reading = value;
    struct kept_code *code = reading->code;
    if (!code->object || length % 2 != 1 || length / 2 > code->size - reading->done) {
        return error_set(error, TCPLAN_INVALID, "more bytes than the object has");
    }
    for (size_t c = 1; c < length; c += 2) {
        const int high = digit_of(text[c]), low = digit_of(text[c + 1]);
        if (high < 0 || low < 0)
            return error_set(error, TCPLAN_INVALID,
                             "expected two hexadecimal digits for each byte");
        code->object[reading->done++] = (unsigned char)(16 * high + low);
    }
    return TCPLAN_OK;
}

static const struct fields_line lines[] = {
    {.word = "made", .field = made_fields, .take = take_made},
    {.word = "data", .take_text = take_data},
    {0}};

static enum tcplan_status read_content(void *value, const char *content, size_t length,
                                       struct tcplan_error *error) {
    struct kept_code *code = value;
    struct reading reading = {.code = code};
    *code = (struct kept_code){0};
    enum tcplan_status status =
        fields_read_lines(&reading, lines, content, length, "there is no code in it", error);
    if (status == TCPLAN_OK && (!code->object || reading.done < code->size)) {
        status = error_set(error, TCPLAN_INVALID, "fewer bytes than the object has");
    }
    if (status != TCPLAN_OK) {
        base_free(code->object);
        *code = (struct kept_code){0};
    }
    return status;
}

/* Showing. */

static enum tcplan_status show_content(struct strbuf *out, const char *content, size_t length,
                                       struct tcplan_error *error) {
    struct kept_code code;
    enum tcplan_status status = read_content(&code, content, length, error);
    if (status != TCPLAN_OK) return status;
    if (out)
        strbuf_add(out, "a compiled kernel, %zu bytes, by %s %s\n", code.size, code.compiler,
                   code.options);
    base_free(code.object);
    return TCPLAN_OK;
}

const struct store_kind store_kind_code = {.name = "code",
                                           .version = 1,
                                           .days = DAYS,
                                           .parts = 1,
                                           .write = write_content,
                                           .read = read_content,
                                           .show = show_content};
