/**
 * Reads any bytes as an exported machine, which must be rejected with a message, or be described.
 * The test is repeated with valid checksums, so that more input is accepted.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/strbuf.h"
#include "fuzz.h"
#include "store/machine_file.h"
#include "store/plans_file.h"

static void check(const char *text, size_t length) {
    struct tcplan_machine_file file = {0};
    struct tcplan_error error = {0};
    char unknown[TCPLAN_MESSAGE_SIZE];
    const enum tcplan_status status = machine_file_read(&file, text, length, &error);
    if (status != TCPLAN_OK) {
        require(status == TCPLAN_INVALID && *error.message && !file.experience);
        return;
    }
    require(!file.machine.live && file.experience && file.machine.ceilings == file.ceilings);
    tcplan_machine_unknown(unknown, &file, 1);
    tcplan_machine_file_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { LINE = 18 };
    struct strbuf text = {0};
    struct plans_piece piece;
    const char *at = (const char *)data, *end = at + size;
    check((const char *)data, size);
    while (plans_next_piece(&piece, &at, end, NULL)) {
        const bool has_sum =
            piece.length >= LINE && memcmp(piece.text + piece.length - LINE, "checksum ", 9) == 0;
        const size_t length = piece.length - (has_sum ? LINE : 0);
        strbuf_append(&text, piece.text, length);
        if (has_sum)
            strbuf_add(&text, "checksum %08" PRIx32 "\n", checksum_add(0, piece.text, length));
    }
    require(!text.failed);
    if (text.length > 0) check(text.text, text.length);
    strbuf_free(&text);
    return 0;
}
