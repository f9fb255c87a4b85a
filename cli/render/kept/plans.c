#include "cli/render/kept/plans.h"

#include "base/quantity.h"
#include "cli/render/document.h"
#include "cli/render/text/date.h"
#include "cli/render/text/table.h"
#include "tcplan/study/words.h"

/* Of a name: commands take the first ones. */
enum { DIGITS_SHOWN = 8 };

static const char *use_of(const struct tcplan_plan_item *item) {
    return item->status == TCPLAN_OK ? "used here" : item->reason;
}

/** Whether it could be read; of others only the reason is known. */
static bool is_read(const struct tcplan_plan_item *item) {
    return *item->name;
}

static void add_plan(struct table *table, const struct tcplan_plan_item *item) {
    const struct tcplan_stored_plan *plan = &item->plan;
    table_add(table, "%.*s", (int)DIGITS_SHOWN, item->name);
    table_add(table, "%s", plan->product);
    table_add(table, "%s", plan->sizes);
    table_add(table, "%c", tcplan_dtype_letter(plan->dtype));
    table_add(table, "%d", plan->setup.threads);
    table_add(table, "%s", plan->algorithm);
    table_add(table, "%s", quantity_seconds(plan->seconds).text);
    table_add(table, "%s", tcplan_word(tcplan_words_efforts, plan->effort));
    table_add(table, "%s", date_minute(plan->used).text);
    table_add(table, "%s", use_of(item));
}

static void add_damaged(struct table *table, const struct tcplan_plan_item *item) {
    for (int column = 0; column < 9; column++) table_add(table, "-");
    table_add(table, "%s", use_of(item));
}

void plans_print_text(struct writer *writer, const struct plans_listing *listing) {
    static const char *const headings[] = {"plan",       "product",   "sizes", "type",
                                           "threads",    "algorithm", "time",  "effort",
                                           "used (UTC)", "use"};
    const struct tcplan_plan_list *list = listing->list;
    struct table table = {.columns = "llllrlrlll", .optional = "0003304251"};
    if (!listing->path) {
        fputs(
            "There is no place for plans: $TCPLAN_PLANS or $TCPLAN_STORE is empty, or there is no home.\n",
            writer->file);
        return;
    }
    fprintf(writer->file, "%zu plan%s in %s\n", list->count, list->count == 1 ? "" : "s",
            listing->path);
    if (list->count == 0) return;
    fputc('\n', writer->file);
    for (size_t h = 0; h < sizeof headings / sizeof *headings; h++)
        table_add(&table, "%s", headings[h]);
    for (size_t i = 0; i < list->count; i++) {
        if (is_read(&list->item[i])) {
            add_plan(&table, &list->item[i]);
        } else {
            add_damaged(&table, &list->item[i]);
        }
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void write_plan(struct document *document, const struct tcplan_stored_plan *plan) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_plan_setup *setup = &plan->setup;
    const char dtype[] = {tcplan_dtype_letter(plan->dtype), '\0'};
    kind->text(document, "product", plan->product);
    kind->text(document, "extents", plan->sizes);
    if (*plan->strides) kind->text(document, "strides", plan->strides);
    kind->text(document, "dtype", dtype);
    kind->text(document, "order", tcplan_word(tcplan_words_orders, plan->order));
    kind->integer(document, "threads", setup->threads);
    kind->text(document, "cache", tcplan_word(tcplan_words_cache_states, setup->cache));
    kind->text(document, "space", tcplan_word(tcplan_words_spaces, setup->space));
    kind->text(document, "prefer", tcplan_word(tcplan_words_preferences, setup->prefer));
    if (setup->alignment_bytes > 0)
        kind->integer(document, "alignment_bytes", setup->alignment_bytes);
    kind->text(document, "algorithm", plan->algorithm);
    kind->text(document, "effort", tcplan_word(tcplan_words_efforts, plan->effort));
    kind->number(document, "predicted_seconds", plan->seconds);
    kind->number(document, "predicted_low", plan->low);
    kind->number(document, "predicted_high", plan->high);
    kind->integer(document, "workspace_bytes", plan->workspace_bytes);
    kind->text(document, "made", date_iso(plan->made).text);
    kind->text(document, "last_used", date_iso(plan->used).text);
}

static void write_item(struct document *document, const struct tcplan_plan_item *item) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "plan");
    if (is_read(item)) {
        kind->text(document, "name", item->name);
        write_plan(document, &item->plan);
        kind->text(document, "machine", item->machine);
    }
    kind->boolean(document, "used", item->status == TCPLAN_OK);
    if (item->status != TCPLAN_OK) kind->text(document, "reason", item->reason);
    kind->end(document);
}

void document_plans(struct writer *writer, const struct plans_listing *listing) {
    struct document *document = writer->document;
    if (!document) return;
    const struct document_kind *kind = document->kind;
    document_open(document, "plans");
    if (listing->path) kind->text(document, "path", listing->path);
    kind->integer(document, "count", (int64_t)listing->list->count);
    kind->list(document, "plans");
    for (size_t i = 0; i < listing->list->count; i++) write_item(document, &listing->list->item[i]);
    kind->end(document);
    kind->end(document);
}

void plans_show(struct strbuf *out, const struct tcplan_plan_item *item) {
    const struct tcplan_stored_plan *plan = &item->plan;
    const struct tcplan_plan_setup *setup = &plan->setup;
    strbuf_add(out, "plan       %s\n", item->name);
    strbuf_add(out, "product    %s; %s, type %c\n", plan->product,
               tcplan_word(tcplan_words_orders, plan->order), tcplan_dtype_letter(plan->dtype));
    if (*plan->sizes) strbuf_add(out, "sizes      %s\n", plan->sizes);
    if (*plan->strides) strbuf_add(out, "strides    %s\n", plan->strides);
    strbuf_add(out, "setup      %d thread%s, %s cache, space %s, prefer %s\n", setup->threads,
               setup->threads == 1 ? "" : "s", tcplan_word(tcplan_words_cache_states, setup->cache),
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
    strbuf_add(out, "machine    %s\nuse        %s\n", item->machine, use_of(item));
}
