/**
 * Reads any bytes as an entry of a store, which must be rejected with a message, or written and
 * read again to the same text. The test is repeated with a valid checksum, so that more input is
 * accepted. The bytes are also read as a log, with and without valid checksums.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/strbuf.h"
#include "fuzz.h"
#include "store/code_stored.h"
#include "store/entry.h"
#include "store/experience.h"
#include "store/kind_ceilings.h"
#include "store/kind_models.h"
#include "store/log.h"
#include "tcplan/stored_plans.h"

static struct tcplan_roofline *read_ceilings(const struct entry *entry) {
    struct tcplan_roofline *roofline = base_alloc_zero(1, sizeof *roofline);
    require(roofline && entry_value(roofline, entry, NULL) == TCPLAN_OK);
    return roofline;
}

static char *write_ceilings(const struct entry *entry, const struct tcplan_roofline *roofline) {
    char *text = entry_text(entry, &(struct stored_ceilings){.roofline = *roofline});
    require(text != NULL);
    return text;
}

static void show(const struct entry *entry) {
    struct strbuf shown = {0};
    require(kind_show(&shown, entry->kind, entry->content, entry->length, NULL) == TCPLAN_OK &&
            !shown.failed);
    strbuf_free(&shown);
}

/** Writes the ceilings of an entry and reads them back: they must be equal. */
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

static void check_costs(const struct entry *entry) {
    struct entry again;
    struct tcplan_costs first = {0}, second = {0};
    require(entry_value(&first, entry, NULL) == TCPLAN_OK);
    char *text = entry_text(entry, &first);
    require(text && entry_read(&again, text, strlen(text), NULL) == TCPLAN_OK);
    require(entry_value(&second, &again, NULL) == TCPLAN_OK);
    char *repeated = entry_text(&again, &second);
    require(repeated && strcmp(text, repeated) == 0);
    show(entry);
    free(text);
    free(repeated);
}

static struct tcplan_models *read_models(const struct entry *entry) {
    struct stored_models into = {.models = tcplan_models_new()};
    require(into.models && entry_value(&into, entry, NULL) == TCPLAN_OK);
    return into.models;
}

static char *write_models(const struct entry *entry, struct tcplan_models *models) {
    char *text = entry_text(
        entry, &(struct stored_models){.models = models, .fingerprint = &entry->fingerprint});
    require(text != NULL);
    return text;
}

static void check_models(const struct entry *entry) {
    struct entry again;
    struct tcplan_models *first = read_models(entry);
    char *text = write_models(entry, first);
    require(entry_read(&again, text, strlen(text), NULL) == TCPLAN_OK);
    struct tcplan_models *second = read_models(&again);
    char *repeated = write_models(&again, second);
    require(strcmp(text, repeated) == 0);
    show(entry);
    free(text);
    free(repeated);
    tcplan_models_free(first);
    tcplan_models_free(second);
}

static void check_samples(const struct entry *entry) {
    struct entry again;
    struct stored_samples first = {0}, second = {0};
    require(entry_value(&first, entry, NULL) == TCPLAN_OK);
    char *text = entry_text(entry, &first);
    require(text && entry_read(&again, text, strlen(text), NULL) == TCPLAN_OK);
    require(entry_value(&second, &again, NULL) == TCPLAN_OK);
    char *repeated = entry_text(&again, &second);
    require(repeated && strcmp(text, repeated) == 0);
    show(entry);
    free(text);
    free(repeated);
    tcplan_model_samples_free(&first.samples);
    tcplan_model_samples_free(&second.samples);
}

static void check_plans(const struct entry *entry) {
    struct entry again;
    struct tcplan_stored_plan first = {0}, second = {0};
    require(entry_value(&first, entry, NULL) == TCPLAN_OK);
    char *text = entry_text(entry, &first);
    require(text && entry_read(&again, text, strlen(text), NULL) == TCPLAN_OK);
    require(entry_value(&second, &again, NULL) == TCPLAN_OK);
    char *repeated = entry_text(&again, &second);
    require(repeated && strcmp(text, repeated) == 0);
    show(entry);
    free(text);
    free(repeated);
}

static void check_code(const struct entry *entry) {
    struct entry again;
    struct stored_code first = {0}, second = {0};
    require(entry_value(&first, entry, NULL) == TCPLAN_OK);
    char *text = entry_text(entry, &first);
    require(text && entry_read(&again, text, strlen(text), NULL) == TCPLAN_OK);
    require(entry_value(&second, &again, NULL) == TCPLAN_OK);
    require(first.size == second.size &&
            memcmp(first.object, second.object, (size_t)first.size) == 0);
    show(entry);
    free(text);
    base_free(first.object);
    base_free(second.object);
}

static void check_value(const struct entry *entry) {
    if (entry->kind == &store_kind_ceilings) {
        check_ceilings(entry);
    } else if (entry->kind == &store_kind_models) {
        check_models(entry);
    } else if (entry->kind == &store_kind_samples) {
        check_samples(entry);
    } else if (entry->kind == &store_kind_plans) {
        check_plans(entry);
    } else if (entry->kind == &store_kind_code) {
        check_code(entry);
    } else if (entry->kind == &store_kind_costs) {
        check_costs(entry);
    }
}

static void check(const char *text, size_t length) {
    struct entry entry;
    struct tcplan_error error = {0};
    enum tcplan_status status = entry_read(&entry, text, length, &error);
    if (status == TCPLAN_OK) status = entry_value(NULL, &entry, &error);
    require(status == TCPLAN_OK ||
            ((status == TCPLAN_INVALID || status == TCPLAN_MISMATCH) && *error.message));
    if (status == TCPLAN_OK) check_value(&entry);
}

enum { NOW = 1800000000 };

static struct tcplan_experience *fold(const char *text, size_t length) {
    struct tcplan_experience *experience = tcplan_experience_new();
    require(experience && log_fold(experience, text, length, NOW) == TCPLAN_OK);
    return experience;
}

/** Writes the summaries of a log and combines them again: they must be equal. */
static void check_log(const char *text, size_t length) {
    struct strbuf written = {0}, repeated = {0}, shown = {0};
    struct tcplan_experience *first = fold(text, length);
    require(log_write_all(&written, first) == TCPLAN_OK);
    struct tcplan_experience *second = fold(written.text, written.length);
    require(log_write_all(&repeated, second) == TCPLAN_OK && written.length == repeated.length);
    require(written.length == 0 || memcmp(written.text, repeated.text, written.length) == 0);
    for (const struct store_kind *const *kind = store_kinds; *kind; kind++) {
        if ((*kind)->fold) require(kind_show(&shown, *kind, text, length, NULL) == TCPLAN_OK);
    }
    require(!shown.failed);
    strbuf_free(&shown);
    strbuf_free(&written);
    strbuf_free(&repeated);
    tcplan_experience_free(first);
    tcplan_experience_free(second);
}

/** Repeats the check of a log with a correct checksum in every line. */
static void check_lines(const char *text, size_t length) {
    struct strbuf lines = {0};
    for (const char *end = text + length, *next; text < end; text = next + 1) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        next = newline ? newline : end;
        strbuf_add(&lines, "%08" PRIx32 " ", checksum_add(0, text, (size_t)(next - text)));
        strbuf_append(&lines, text, (size_t)(next - text));
        strbuf_append(&lines, "\n", 1);
    }
    require(!lines.failed);
    check_log(lines.text, lines.length);
    strbuf_free(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    check_log((const char *)data, size);
    check_lines((const char *)data, size);
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
