/*
 * Compiled kernels as entries of the store: the bytes of a shared object, as hexadecimal digits.
 * The key is derived from the number of the kernel's source text. Since stored code is executed,
 * it is used only if no other user can write to the folder.
 */
#include "store/code_stored.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/providers/emitted.h"
#include "store/folder.h"
#include "store/store.h"

enum { DAYS = 365, LINE = 64, MOST_BYTES = 1 << 20 }; /* LINE: bytes in a line of digits */

static const struct field made_fields[] = {
    {TEXT_OF("compiler", stored_code, compiler)},
    {TEXT_OF("options", stored_code, options)},
    {INT64_OF("bytes", stored_code, size, 1, MOST_BYTES)},
    {0},
};

static void write_data(struct strbuf *out, const void *value) {
    const struct stored_code *code = value;
    for (int64_t byte = 0; byte < code->size; byte++) {
        strbuf_add(out, "%s%02x", byte % LINE == 0 ? "data " : "", code->object[byte]);
        if (byte % LINE == LINE - 1 || byte + 1 == code->size) strbuf_add(out, "\n");
    }
}

static int digit_of(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/** Reads the hexadecimal digits of one line; `text` begins with a blank. */
static enum tcplan_status take_data(void *value, const char *text, size_t length,
                                    struct tcplan_error *error) {
    struct stored_code *code = value;
    if (length % 2 != 1 || (int64_t)(length / 2) > code->size - code->done)
        return error_set(error, TCPLAN_INVALID, "the data has more bytes than the compiled kernel");
    if (!code->object) code->object = base_alloc_zero((size_t)code->size, 1);
    if (!code->object) return error_no_memory(error);
    for (size_t c = 1; c < length; c += 2) {
        const int high = digit_of(text[c]), low = digit_of(text[c + 1]);
        if (high < 0 || low < 0)
            return error_set(error, TCPLAN_INVALID,
                             "expected two hexadecimal digits for each byte");
        code->object[code->done++] = (unsigned char)(16 * high + low);
    }
    return TCPLAN_OK;
}

static const struct fields_line lines[] = {
    {LINE_SELF("made", made_fields, stored_code)},
    {.word = "data", .write = write_data, .take_text = take_data},
    {0},
};

static enum tcplan_status finish(void *value, struct tcplan_error *error) {
    const struct stored_code *code = value;
    return code->object && code->done == code->size
               ? TCPLAN_OK
               : error_set(error, TCPLAN_INVALID,
                           "the data has fewer bytes than the compiled kernel");
}

static void print(struct strbuf *out, const void *value) {
    const struct stored_code *code = value;
    strbuf_add(out, "a compiled kernel, %lld bytes, by %s %s\n", (long long)code->size,
               code->compiler, code->options);
}

static void free_code(void *value) {
    base_free(((struct stored_code *)value)->object);
    base_free(value);
}

const struct store_kind store_kind_code = {.name = "code",
                                           .version = 1,
                                           .days = DAYS,
                                           .parts = 1,
                                           .is_exact = true, /* the store lacks most kernels */
                                           .size = sizeof(struct stored_code),
                                           .line = lines,
                                           .finish = finish,
                                           .print = print,
                                           .free = free_code};

enum { KEY_SIZE = 24 };

static void key_of(char out[KEY_SIZE], uint64_t text) {
    snprintf(out, KEY_SIZE, "%016llx", (unsigned long long)text);
}

static bool find(const void *context, uint64_t text, void **object, size_t *size) {
    const struct tcplan_store *store = context;
    struct stored_code code = {0};
    struct tcplan_error error;
    char key[KEY_SIZE];
    bool found;
    if (!folder_is_own(store->folder))
        return false; /* refuses stored code if another user could have placed it in the folder */
    key_of(key, text);
    const bool good =
        store_find(&found, &code, store, &store_kind_code, key, &error) == TCPLAN_OK && found;
    if (!good) base_free(code.object);
    *object = good ? code.object : NULL;
    *size = (size_t)code.size;
    return good;
}

static void keep(const void *context, uint64_t text, const void *object, size_t size) {
    const struct tcplan_store *store = context;
    struct stored_code code = {.size = (int64_t)size};
    struct compiler compiler;
    struct tcplan_error error;
    char key[KEY_SIZE];
    key_of(key, text);
    if (compiler_find(&compiler))
        snprintf(code.compiler, sizeof code.compiler, "%s", compiler.name);
    snprintf(code.options, sizeof code.options, "%s", compiler_options());
    code.object = (unsigned char *)(uintptr_t)object; /* const is removed because store_keep() only
                                                         reads the object */
    (void)store_keep(store, &store_kind_code, key, &code,
                     &error); /* ignored on failure: later processes compile the kernel again */
}

struct code_keeper store_code_keeper(const struct tcplan_store *store) {
    if (!store || !store->folder) return (struct code_keeper){0};
    return (struct code_keeper){.context = store, .find = find, .keep = keep};
}
