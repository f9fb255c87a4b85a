/**
 * Reads any bytes as a file of plans. The pieces must contain exactly the file; each piece must be
 * rejected with a message, or be a plan that is written to the same text again. The test is
 * repeated with valid checksums, so that more input is accepted.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/strbuf.h"
#include "fuzz.h"
#include "store/entry.h"
#include "store/plans_file.h"

static struct filed_plan read_piece(const char *text, size_t length) {
    static const struct tcplan_store any_machine = {0};
    struct filed_plan read;
    plans_read(&read, &any_machine, &(struct plans_piece){.text = text, .length = length}, text);
    require(read.item.status == TCPLAN_OK ||
            ((read.item.status == TCPLAN_INVALID || read.item.status == TCPLAN_MISMATCH) &&
             *read.item.reason));
    return read;
}

static char *write_plan(const struct filed_plan *read) {
    struct entry entry = {
        .made = read->item.plan.made, .fingerprint = read->fingerprint, .kind = &store_kind_plans};
    plan_key(entry.key, &read->item.plan);
    char *text = entry_text(&entry, &read->item.plan);
    require(text != NULL);
    return text;
}

/** Checks that a piece that is written and read again has the same text. */
static void check_piece(const char *text, size_t length) {
    const struct filed_plan read = read_piece(text, length);
    if (!*read.item.name) return;
    char *written = write_plan(&read);
    const struct filed_plan again = read_piece(written, strlen(written));
    require(strcmp(again.item.name, read.item.name) == 0);
    char *repeated = write_plan(&again);
    require(strcmp(written, repeated) == 0 && plan_is_same(&read.item.plan, &again.item.plan));
    free(written);
    free(repeated);
}

/** Checks a piece with the checksum in its last line corrected, if it has one. */
static void check_with_checksum(const struct plans_piece *piece) {
    enum { LINE = 18 };
    struct strbuf text = {0};
    if (piece->length < LINE || memcmp(piece->text + piece->length - LINE, "checksum ", 9) != 0)
        return;
    strbuf_append(&text, piece->text, piece->length - LINE);
    strbuf_add(&text, "checksum %08" PRIx32 "\n",
               checksum_add(0, piece->text, piece->length - LINE));
    require(!text.failed);
    check_piece(text.text, text.length);
    strbuf_free(&text);
}

/** Searches for pieces that contain a word: each found piece must be one of the pieces of the file.
 */
static void check_search(const char *text, const char *end) {
    struct plans_piece piece;
    const char *behind = text;
    for (const char *at = text; plans_next_piece(&piece, &at, end, " key=67af722b-");) {
        require(piece.text >= behind && piece.length > 0 && at == piece.text + piece.length);
        behind = at;
    }
    require(behind <= end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = size > 0 ? (const char *)data : "", *behind = text;
    struct plans_piece piece;
    struct tcplan_error error = {0};
    require(plans_text_check(text, size, &error) == TCPLAN_OK || *error.message);
    for (const char *at = text; plans_next_piece(&piece, &at, text + size, NULL);) {
        require(piece.text == behind && piece.length > 0 && at == piece.text + piece.length);
        behind = at;
        check_piece(piece.text, piece.length);
        check_with_checksum(&piece);
    }
    require(behind == text + size);
    check_search(text, text + size);
    return 0;
}
