/**
 * Any bytes as an entry of a store: they are refused with a message, or read, and then what is read is written and read again to the same text.
 * Once more with a checksum that fits, so that not all ends there.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/strbuf.h"
#include "store/entry.h"
#include "store/experience.h"
#include "store/kind_ceilings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds) abort();
}

static struct tcplan_roofline *read_ceilings(const struct entry *entry) {
    struct tcplan_roofline *roofline = base_alloc_zero(1, sizeof *roofline);
    require(roofline && entry_value(roofline, entry, NULL) == TCPLAN_OK);
    return roofline;
}

static char *write_ceilings(const struct entry *entry, const struct tcplan_roofline *roofline) {
    char *text = entry_text(entry, &(struct kept_ceilings){.roofline = roofline});
    require(text != NULL);
    return text;
}

static void show(const struct entry *entry) {
    struct strbuf shown = {0};
    require(entry->kind->show(&shown, entry->content, entry->length, NULL) == TCPLAN_OK && !shown.failed);
    strbuf_free(&shown);
}

/** Written, read and written again it is the same. */
static void check_ceilings(const struct entry *entry) {
    struct entry again;
    struct tcplan_roofline *first = read_ceilings(entry);
    char *text = write_ceilings(entry, first);
    require(entry_read(&again, text, strlen(text), NULL) == TCPLAN_OK);
    struct tcplan_roofline *second = read_ceilings(&again);
    char *repeated = write_ceilings(&again, second);
    require(strcmp(text, repeated) == 0);
    show(entry);
    free(text);
    free(repeated);
    tcplan_roofline_free(first);
    tcplan_roofline_free(second);
}

static struct tcplan_experience *read_experience(const struct entry *entry) {
    struct tcplan_experience *experience = tcplan_experience_new();
    require(experience && entry_value(experience, entry, NULL) == TCPLAN_OK);
    return experience;
}

static void check_experience(const struct entry *entry) {
    struct entry again;
    struct tcplan_experience *first = read_experience(entry);
    char *text = entry_text(entry, first);
    require(text && entry_read(&again, text, strlen(text), NULL) == TCPLAN_OK);
    struct tcplan_experience *second = read_experience(&again);
    char *repeated = entry_text(&again, second);
    require(repeated && strcmp(text, repeated) == 0);
    show(entry);
    free(text);
    free(repeated);
    tcplan_experience_free(first);
    tcplan_experience_free(second);
}

static void check(const char *text, size_t length) {
    struct entry entry;
    struct tcplan_error error = {0};
    enum tcplan_status status = entry_read(&entry, text, length, &error);
    if (status == TCPLAN_OK) status = entry_value(NULL, &entry, &error);
    require(status == TCPLAN_OK || ((status == TCPLAN_INVALID || status == TCPLAN_MISMATCH) && *error.message));
    if (status == TCPLAN_OK && entry.kind == &store_kind_ceilings) check_ceilings(&entry);
    if (status == TCPLAN_OK && entry.kind != &store_kind_ceilings) check_experience(&entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct strbuf text = {0};
    const size_t line = size >= 18 && memcmp(data + size - 18, "checksum ", 9) == 0 ? 18 : 0;
    check((const char *)data, size);
    strbuf_fill(&text, '\0', size - line);
    require(!text.failed);
    if (size > line) memcpy(text.text, data, size - line);
    const uint32_t checksum = checksum_add(0, data, size - line);
    strbuf_add(&text, "checksum %08" PRIx32 "\n", checksum);
    require(!text.failed);
    check(text.text, text.length);
    strbuf_free(&text);
    return 0;
}
