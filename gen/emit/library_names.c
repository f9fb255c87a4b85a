#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "tcplan/emit_library.h"

enum { LONGEST_NAME = 128, LONGEST_ID = 32 }; /* a file has the name of its function */

static bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/** Returns `contract` followed by the words of a text, each after an underscore; NULL if out of
 * memory. */
static char *plain_name(const char *text) {
    struct strbuf name = {0};
    bool within = false;
    strbuf_add(&name, "contract");
    for (; *text; text++) {
        const bool part = is_letter_or_digit(*text);
        if (part) strbuf_add(&name, within ? "%c" : "_%c", *text);
        within = part;
    }
    return strbuf_finish(&name);
}

/** Returns the name followed by an id, shortened to fit; NULL if out of memory. */
static char *name_with_id(const char *plain, const char *id) {
    struct strbuf name = {0};
    strbuf_add(&name, "%.*s_%.*s", LONGEST_NAME - LONGEST_ID - 1, plain, LONGEST_ID, id);
    return strbuf_finish(&name);
}

struct named {
    const char *text; /* borrowed */
    const char *id;   /* borrowed */
    char *name;
    size_t place;
    bool with_id;
};

static int by_name(const void *a, const void *b) {
    return strcasecmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static bool give_plain_names(struct named named[], size_t count) {
    for (size_t n = 0; n < count; n++) {
        named[n].name = plain_name(named[n].text);
        if (!named[n].name) return false;
        named[n].with_id = strlen(named[n].name) > LONGEST_NAME;
    }
    return true;
}

/** Sorts the names and marks those that occur more than once. Returns one of the marked names, or
 * NULL. */
static const struct named *mark_shared(struct named named[], size_t count) {
    const struct named *shared = NULL;
    qsort(named, count, sizeof *named, by_name);
    for (size_t n = 1; n < count; n++) {
        if (by_name(&named[n - 1], &named[n]) != 0) continue;
        named[n - 1].with_id = named[n].with_id = true;
        shared = &named[n];
    }
    return shared;
}

static bool add_ids(struct named named[], size_t count) {
    for (size_t n = 0; n < count; n++) {
        if (!named[n].with_id) continue;
        char *name = name_with_id(named[n].name, named[n].id);
        free(named[n].name);
        named[n].name = name;
        if (!name) return false;
    }
    return true;
}

static enum tcplan_status give_names(struct named named[], size_t count,
                                     struct tcplan_error *error) {
    if (!give_plain_names(named, count)) return error_no_memory(error);
    mark_shared(named, count);
    if (!add_ids(named, count)) return error_no_memory(error);
    const struct named *shared = mark_shared(named, count);
    if (!shared) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "two functions of the library would be called %s: both come from \"%.100s\" of id %.32s",
        shared->name, shared->text, shared->id);
}

/** Returns the names as an array in the order of their texts. */
static enum tcplan_status hand_out(char ***out, const struct named named[], size_t count,
                                   struct tcplan_error *error) {
    char **names = base_alloc((count + 1) * sizeof *names);
    if (!names) return error_no_memory(error);
    for (size_t n = 0; n < count; n++) names[named[n].place] = named[n].name;
    *out = names;
    return TCPLAN_OK;
}

enum tcplan_status tcplan_emit_library_names(char ***out, const char *const texts[],
                                             const char *const ids[], size_t count,
                                             struct tcplan_error *error) {
    size_t bytes = 0;
    struct named *named =
        checked_mul_size(count + 1, sizeof *named, &bytes) ? base_alloc(bytes) : NULL;
    if (!named) return error_no_memory(error);
    for (size_t n = 0; n < count; n++)
        named[n] = (struct named){.text = texts[n], .id = ids[n], .place = n};
    enum tcplan_status status = give_names(named, count, error);
    if (status == TCPLAN_OK) status = hand_out(out, named, count, error);
    for (size_t n = 0; status != TCPLAN_OK && n < count; n++) free(named[n].name);
    base_free(named);
    return status;
}

void tcplan_emit_library_names_free(char **names, size_t count) {
    for (size_t n = 0; names && n < count; n++) free(names[n]);
    base_free(names);
}
