/* Stores texts under an identity: the fastest order that was found for an expression of several
 * tensors, and the plan of a block-sparse product. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "store/kinds.h"
#include "store/orders.h"
#include "store/plans_file.h"
#include "store/store.h"

enum { DAYS = 365, KEY_SIZE = 17 };

/** Value of an entry: a text, and the lines that identify it. */
struct stored_text {
    char *text;
};

static void write_text(struct strbuf *out, const void *value) {
    strbuf_add(out, "%s", ((const struct stored_text *)value)->text);
}

static enum tcplan_status read_text(void *value, const char *content, size_t length,
                                    struct tcplan_error *error) {
    struct stored_text *stored = value;
    stored->text = base_alloc(length + 1);
    if (!stored->text) return error_no_memory(error);
    memcpy(stored->text, content, length);
    stored->text[length] = '\0';
    return TCPLAN_OK;
}

static void print_order(struct strbuf *out, const void *value) {
    strbuf_add(out, "the fastest order found for an expression of several tensors\n\n%s",
               ((const struct stored_text *)value)->text);
}

static void free_text(void *value) {
    base_free(((struct stored_text *)value)->text);
    base_free(value);
}

static void print_blocks(struct strbuf *out, const void *value) {
    strbuf_add(out, "the fastest way found for a block-sparse product\n\n%s",
               ((const struct stored_text *)value)->text);
}

const struct store_kind store_kind_blocks = {.name = "blocks",
                                             .version = 1,
                                             .days = DAYS,
                                             .parts = TCPLAN_FINGERPRINT_PARTS,
                                             .size = sizeof(struct stored_text),
                                             .write = write_text,
                                             .read = read_text,
                                             .print = print_blocks,
                                             .free = free_text};

const struct store_kind store_kind_orders = {.name = "orders",
                                             .version = 1,
                                             .days = DAYS,
                                             .parts = TCPLAN_FINGERPRINT_PARTS,
                                             .size = sizeof(struct stored_text),
                                             .write = write_text,
                                             .read = read_text,
                                             .print = print_order,
                                             .free = free_text};

static const struct store_kind *const kinds[] = {
    [STORED_ORDERS] = &store_kind_orders, [STORED_BLOCKS] = &store_kind_blocks};

static void key_of(char out[KEY_SIZE], const char *identity) {
    const uint64_t hash = hash_spread(hash_add(HASH_OF_NOTHING, identity, strlen(identity)));
    snprintf(out, KEY_SIZE, "%016" PRIx64, hash);
}

enum tcplan_status stored_text_find(char **out, const struct tcplan_stored_plans *plans,
                                    enum stored_texts kind, const char *identity,
                                    struct tcplan_error *error) {
    struct stored_text stored = {.text = NULL};
    const size_t length = strlen(identity);
    char key[KEY_SIZE];
    bool found = false;
    key_of(key, identity);
    enum tcplan_status status = store_find(&found, &stored, &plans->store, kinds[kind], key, error);
    /* An entry of another machine or version, or an expired one, counts as missing. */
    if (status == TCPLAN_MISMATCH || (status == TCPLAN_OK && !found))
        status = TCPLAN_NOT_APPLICABLE;
    if (status == TCPLAN_OK && strncmp(stored.text, identity, length) != 0)
        status = TCPLAN_NOT_APPLICABLE; /* the key is the same, but the identity differs */
    if (status == TCPLAN_OK) *out = base_strdup(stored.text + length);
    base_free(stored.text);
    return status == TCPLAN_OK && !*out ? error_no_memory(error) : status;
}

enum tcplan_status stored_text_keep(const struct tcplan_stored_plans *plans, enum stored_texts kind,
                                    const char *identity, const char *text,
                                    struct tcplan_error *error) {
    struct strbuf whole = {0};
    char key[KEY_SIZE];
    key_of(key, identity);
    strbuf_add(&whole, "%s%s", identity, text);
    const struct stored_text stored = {.text = whole.text};
    const enum tcplan_status status =
        whole.failed ? error_no_memory(error)
                     : store_keep(&plans->store, kinds[kind], key, &stored, error);
    strbuf_free(&whole);
    return status;
}
