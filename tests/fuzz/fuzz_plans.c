/**
 * Any bytes as a file of plans: its pieces are all of it and nothing else; each is refused with a
 * message, or is a plan that is written to the same text again. Once more with checksums that fit,
 * so that not all ends there.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/strbuf.h"
#include "store/kind_plans.h"
#include "store/plan_key.h"
#include "store/plans_file.h"
#include "store/plans_place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds) abort();
}

/** Written, read and written again it is the same, and so is its algorithm. */
static void check_plan(const struct read_plan *read, const struct tcplan_algorithm *algorithm) {
    struct read_plan again;
    struct tcplan_algorithm other;
    char *text = entry_text(&read->entry, &read->plan);
    require(text && place_read(&again, text, strlen(text), NULL) == TCPLAN_OK);
    char *repeated = entry_text(&again.entry, &again.plan);
    require(repeated && strcmp(text, repeated) == 0);
    require(plan_is_same(&read->plan, &again.plan) &&
            plan_check(&other, &again.plan, NULL) == TCPLAN_OK);
    require(tcplan_algorithm_equal(algorithm, &other));
    free(text);
    free(repeated);
}

static void check_piece(const char *text, size_t length) {
    struct read_plan read;
    struct tcplan_algorithm algorithm;
    struct tcplan_error error = {0};
    enum tcplan_status status = place_read(&read, text, length, &error);
    require(status == TCPLAN_OK ||
            ((status == TCPLAN_INVALID || status == TCPLAN_MISMATCH) && *error.message));
    if (status != TCPLAN_OK) return;
    status = plan_check(&algorithm, &read.plan, &error);
    require(status == TCPLAN_OK || (status == TCPLAN_INVALID && *error.message));
    if (status == TCPLAN_OK) check_plan(&read, &algorithm);
}

/** The piece with a checksum in its last line that fits, where it has one. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = size > 0 ? (const char *)data : "";
    struct plans_scan scan = plans_scan(text, size);
    struct plans_piece piece;
    const char *end = text;
    struct tcplan_error error = {0};
    require(plans_file_check(text, size, &error) == TCPLAN_OK || *error.message);
    while (plans_scan_next(&scan, &piece)) {
        require(piece.text == end && piece.length > 0 && piece.line >= 1);
        end = piece.text + piece.length;
        check_piece(piece.text, piece.length);
        check_with_checksum(&piece);
    }
    require(end == text + size);
    require(!plans_find_last(&piece, text, end, "67af722b-9b8d6ae6d57b32d1") ||
            (piece.text >= text && piece.text + piece.length <= end));
    return 0;
}
