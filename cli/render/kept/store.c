#include "cli/render/kept/store.h"

#include "base/quantity.h"
#include "cli/render/document.h"
#include "cli/render/text/date.h"
#include "cli/render/text/table.h"

static const char *use_of(const struct tcplan_store_item *item) {
    return item->status == TCPLAN_OK ? "used here" : item->reason;
}

void store_print_text(struct writer *writer, const struct store_listing *listing) {
    const struct tcplan_store_list *list = listing->list;
    struct table table = {.columns = "lrll", .optional = "0210"};
    if (!listing->store->folder) {
        fputs("There is no store: $TCPLAN_STORE is empty, or there is no home.\n", writer->file);
        return;
    }
    fprintf(writer->file, "%zu entr%s in %s\n", list->count, list->count == 1 ? "y" : "ies",
            listing->store->folder);
    if (list->count == 0) return;
    fputc('\n', writer->file);
    table_add(&table, "entry");
    table_add(&table, "size");
    table_add(&table, "made (UTC)");
    table_add(&table, "use");
    for (size_t i = 0; i < list->count; i++) {
        const struct tcplan_store_item *item = &list->item[i];
        table_add(&table, "%s", item->name);
        table_add(&table, "%s", quantity_bytes(item->bytes).text);
        table_add(&table, "%s", date_minute(item->made).text);
        table_add(&table, "%s", use_of(item));
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void write_item(struct document *document, const struct tcplan_store_item *item) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "entry");
    kind->text(document, "name", item->name);
    if (*item->kind) kind->text(document, "kind", item->kind);
    if (*item->key) kind->text(document, "key", item->key);
    if (item->made > 0) kind->text(document, "made", date_iso(item->made).text);
    kind->integer(document, "bytes", item->bytes);
    kind->boolean(document, "used", item->status == TCPLAN_OK);
    if (item->status != TCPLAN_OK) kind->text(document, "reason", item->reason);
    kind->end(document);
}

void document_store(struct writer *writer, const struct store_listing *listing) {
    struct document *document = writer->document;
    if (!document) return;
    const struct document_kind *kind = document->kind;
    document_open(document, "store");
    if (listing->store->folder) kind->text(document, "folder", listing->store->folder);
    kind->integer(document, "count", (int64_t)listing->list->count);
    kind->list(document, "entries");
    for (size_t i = 0; i < listing->list->count; i++) write_item(document, &listing->list->item[i]);
    kind->end(document);
    kind->end(document);
}
