#include "cli/render/stored/stored.h"

#include <string.h>

#include "base/quantity.h"
#include "cli/render/text/values.h"
#include "tcplan/study/words.h"

/* Number of hexadecimal digits of a name that are printed. */
enum { DIGITS_SHOWN = 8 };

static const char *use_of(enum tcplan_status status, const char *reason) {
    return status == TCPLAN_OK ? "used here" : reason;
}

/** Prints the number of stored entries, their place, and the entries. If there is no place, prints
 * the text `none`. */
static void print_stored(struct writer *writer, const char *place, const char *none, size_t count,
                         const char *what, const struct field *list, const void *listing) {
    if (!place) {
        fprintf(writer->file, "%s, or $HOME is not set.\n", none);
        return;
    }
    fprintf(writer->file, "%zu %s in %s\n", count, what, place);
    if (count == 0) return;
    fputc('\n', writer->file);
    fields_print_list(writer, list, listing);
}

/* Fields of an entry of the store. */

/* clang-format off */

#define ENTRY(F, T) \
    F(T, name, TEXT, field_text(r->name), "name of the entry", COLUMN(1, "entry"), ALWAYS) \
    F(T, kind, TEXT, field_text(r->kind), "kind of data") \
    F(T, key, TEXT, field_text(r->key), "subject of the data") \
    F(T, made, DATE, field_if(r->made > 0, field_integer(r->made)), "date of creation", COLUMN(3, "made (UTC)"), .optional = '1') \
    F(T, bytes, INTEGER, field_integer(r->bytes), "size of the entry", COLUMN(2, "size"), .format = FIELD_BYTES, .optional = '2', ALWAYS) \
    F(T, used, FLAG, field_flag(r->status == TCPLAN_OK), "whether this machine can use it", COLUMN(4, "use"), .shown = shown_entry_use, ALWAYS) \
    F(T, reason, TEXT, field_if(r->status != TCPLAN_OK, field_text(r->reason)), "reason why it is not usable")

#define STORE(F, T) \
    F(T, folder, TEXT, field_text(r->store->folder), "folder of the entries; absent: no store") \
    F(T, count, INTEGER, field_integer((int64_t)r->list->count), "number of entries", ALWAYS) \
    F(T, entries, LIST, FIELD_VISIT_ALL(r->list->count, &r->list->item[i]), "the entries", .item = "entry", .fields = entry_fields, ALWAYS)

/* clang-format on */

FIELD_GETTER(struct tcplan_store_item, shown_entry_use, field_text(use_of(r->status, r->reason)))
FIELD_TABLE(entry, tcplan_store_item, ENTRY);
FIELD_TABLE(store, store_listing, STORE);

static void print_store(struct writer *writer, const void *record) {
    const struct store_listing *listing = record;
    const size_t count = listing->list->count;
    print_stored(writer, listing->store->folder, "There is no store: $TCPLAN_STORE is empty", count,
                 count == 1 ? "entry" : "entries", field_named(store_fields, "entries"), listing);
}

VIEW(store, store, "store", print_store, "Stored data about this machine.");

/* Plans. */

/** Returns whether a plan could be read; if not, only the reason is printed. */
static bool is_read(const struct tcplan_plan_item *item) {
    return *item->name;
}

/* clang-format off */

/** Returns a value of a plan; unknown if the plan could not be read. */
#define READ(value) field_if(is_read(r), value)
#define SETUP r->plan.setup

#define PLAN(F, T) \
    F(T, name, TEXT, READ(field_text(r->name)), "name of the plan; a damaged plan, or one of another version, has only `used` and `reason`", \
      COLUMN(1, "plan"), .shown = shown_name, .schema = "\"type\": \"string\", \"pattern\": \"^[0-9a-f]{16}$\"") \
    F(T, product, TEXT, READ(field_text(r->plan.product)), "the contraction, in canonical names", COLUMN(2, "product")) \
    F(T, extents, TEXT, READ(field_word(r->plan.sizes)), "extents of the indices a, b, c and so on", COLUMN(3, "sizes")) \
    F(T, strides, TEXT, READ(field_text(r->plan.strides)), "shape of strides; absent: all tensors are dense") \
    F(T, dtype, TEXT, READ(FIELD_WORD(dtypes, r->plan.dtype)), "element type", COLUMN(4, "type"), .optional = '3', .words = tcplan_words_dtypes) \
    F(T, order, TEXT, READ(FIELD_WORD(orders, r->plan.order)), "storage order", .words = tcplan_words_orders) \
    F(T, threads, INTEGER, READ(field_integer(SETUP.threads)), "threads", COLUMN(5, "threads"), .optional = '3') \
    F(T, cache, TEXT, READ(FIELD_WORD(cache_states, SETUP.cache)), "caches before the first call", .words = tcplan_words_cache_states) \
    F(T, space, TEXT, READ(FIELD_WORD(spaces, SETUP.space)), "space of algorithms", .words = tcplan_words_spaces) \
    F(T, prefer, TEXT, READ(FIELD_WORD(preferences, SETUP.prefer)), "choice among equally fast algorithms", .words = tcplan_words_preferences) \
    F(T, alignment_bytes, INTEGER, READ(field_if(SETUP.alignment_bytes > 0, field_integer(SETUP.alignment_bytes))), "alignment of arrays") \
    F(T, algorithm, TEXT, READ(field_text(r->plan.algorithm)), "name of the algorithm, with the product's names of indices", COLUMN(6, "algorithm")) \
    F(T, effort, TEXT, READ(FIELD_WORD(efforts, r->plan.effort)), "effort of the planner", \
      COLUMN(8, "effort"), .optional = '4', .words = tcplan_words_efforts) \
    F(T, predicted_seconds, NUMBER, READ(field_number(r->plan.seconds)), "predicted time", COLUMN(7, "time"), .format = FIELD_SECONDS) \
    F(T, predicted_low, NUMBER, READ(field_number(r->plan.low)), "lower end of the 95 % interval") \
    F(T, predicted_high, NUMBER, READ(field_number(r->plan.high)), "upper end of the 95 % interval") \
    F(T, workspace_bytes, INTEGER, READ(field_integer(r->plan.workspace_bytes)), "size of temporaries") \
    F(T, made, DATE, READ(field_integer(r->plan.made)), "date of creation") \
    F(T, last_used, DATE, READ(field_integer(r->plan.used)), "date of last use; in a file only the day", COLUMN(9, "used (UTC)"), .optional = '5') \
    F(T, machine, TEXT, READ(field_text(r->machine)), "CPU that the plan was made for") \
    F(T, used, FLAG, field_flag(r->status == TCPLAN_OK), "whether this machine can use it", COLUMN(10, "use"), .optional = '1', .shown = shown_use, ALWAYS) \
    F(T, reason, TEXT, field_if(r->status != TCPLAN_OK, field_text(r->reason)), "reason why it is not usable")

#define PLANS(F, T) \
    F(T, path, TEXT, field_text(r->path), "file or folder of the plans; absent: there is no store") \
    F(T, count, INTEGER, field_integer((int64_t)r->list->count), "number of plans", ALWAYS) \
    F(T, plans, LIST, FIELD_VISIT_ALL(r->list->count, &r->list->item[i]), "the plans", .item = "plan", .fields = plan_fields, ALWAYS)

/* clang-format on */

FIELD_GETTER(struct tcplan_plan_item, shown_use, field_text(use_of(r->status, r->reason)))
FIELD_GETTER(struct tcplan_plan_item, shown_name,
             field_owned(strndup(r->name, (size_t)DIGITS_SHOWN)))
FIELD_TABLE(plan, tcplan_plan_item, PLAN);
FIELD_TABLE(plans, plans_listing, PLANS);

static void print_plans(struct writer *writer, const void *record) {
    const struct plans_listing *listing = record;
    const size_t count = listing->list->count;
    print_stored(writer, listing->path,
                 "There is no plan store: $TCPLAN_PLANS or $TCPLAN_STORE is empty", count,
                 count == 1 ? "plan" : "plans", field_named(plans_fields, "plans"), listing);
}

VIEW(plans, plans, "plans", print_plans, "Stored plans, the most recently used first.");

void plans_show(struct strbuf *out, const struct tcplan_plan_item *item) {
    const struct tcplan_stored_plan *plan = &item->plan;
    const struct tcplan_plan_setup *setup = &plan->setup;
    strbuf_add(out, "plan       %s\n", item->name);
    strbuf_add(out, "product    %s; %s, type %c\n", plan->product,
               tcplan_word(tcplan_words_orders, plan->order), tcplan_dtype_letter(plan->dtype));
    if (*plan->sizes) strbuf_add(out, "sizes      %s\n", plan->sizes);
    if (*plan->strides) strbuf_add(out, "strides    %s\n", plan->strides);
    strbuf_add(out, "setup      %s, %s cache, space %s, prefer %s\n",
               counted(setup->threads, "thread").text,
               tcplan_word(tcplan_words_cache_states, setup->cache),
               tcplan_word(tcplan_words_spaces, setup->space),
               tcplan_word(tcplan_words_preferences, setup->prefer));
    if (setup->alignment_bytes > 0)
        strbuf_add(out, "aligned to %s\n", quantity_bytes((double)setup->alignment_bytes).text);
    strbuf_add(out, "algorithm  %s, found with effort %s\n", plan->algorithm,
               tcplan_word(tcplan_words_efforts, plan->effort));
    strbuf_add(out, "time       %s", quantity_seconds(plan->seconds).text);
    strbuf_add(out, ", 95 %% interval %s", quantity_seconds(plan->low).text);
    strbuf_add(out, " - %s\n", quantity_seconds(plan->high).text);
    strbuf_add(out, "workspace  %s\n", quantity_bytes((double)plan->workspace_bytes).text);
    strbuf_add(out, "made       %s", date_minute(plan->made).text);
    strbuf_add(out, ", last used %s (UTC)\n", date_minute(plan->used).text);
    strbuf_add(out, "machine    %s\nuse        %s\n", item->machine,
               use_of(item->status, item->reason));
}
