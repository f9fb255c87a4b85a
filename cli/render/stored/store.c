#include "cli/render/stored/stored.h"

static const char *use_of(const struct tcplan_store_item *item) {
    return item->status == TCPLAN_OK ? "used here" : item->reason;
}

/* clang-format off */

#define ENTRY(F, T) \
    F(T, name, TEXT, field_text(r->name), "name of the entry", COLUMN(1, "entry"), ALWAYS) \
    F(T, kind, TEXT, field_text(r->kind), "kind of data") \
    F(T, key, TEXT, field_text(r->key), "subject of the data") \
    F(T, made, DATE, field_if(r->made > 0, field_integer(r->made)), "date of creation", COLUMN(3, "made (UTC)"), .optional = '1') \
    F(T, bytes, INTEGER, field_integer(r->bytes), "its size", COLUMN(2, "size"), .format = FIELD_BYTES, .optional = '2', ALWAYS) \
    F(T, used, FLAG, field_flag(r->status == TCPLAN_OK), "whether it is usable here", \
      COLUMN(4, "use"), .shown = shown_use, ALWAYS) \
    F(T, reason, TEXT, field_if(r->status != TCPLAN_OK, field_text(r->reason)), "why it is not usable")

#define LISTING(F, T) \
    F(T, folder, TEXT, field_text(r->store->folder), "folder of the entries; absent: no store") \
    F(T, count, INTEGER, field_integer((int64_t)r->list->count), "number of entries", ALWAYS) \
    F(T, entries, LIST, for (size_t i = 0; i < r->list->count; i++) FIELD_VISIT(&r->list->item[i]), "the entries", \
      .item = "entry", .fields = entry_fields, ALWAYS)

/* clang-format on */

FIELD_GETTER(struct tcplan_store_item, shown_use, field_text(use_of(r)))
FIELD_TABLE(entry, tcplan_store_item, ENTRY);
FIELD_TABLE(listing, store_listing, LISTING);

static void print(struct writer *writer, const void *record) {
    const struct store_listing *listing = record;
    const size_t count = listing->list->count;
    if (!listing->store->folder) {
        fputs("There is no store: $TCPLAN_STORE is empty, or $HOME is not set.\n", writer->file);
        return;
    }
    fprintf(writer->file, "%zu entr%s in %s\n", count, count == 1 ? "y" : "ies",
            listing->store->folder);
    if (count == 0) return;
    fputc('\n', writer->file);
    fields_print_list(writer, field_named(listing_fields, "entries"), listing);
}

VIEW(store, listing, "store", print, "Stored data about this machine.");
