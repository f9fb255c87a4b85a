#include "store/kind_machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/quantity.h"
#include "store/kinds.h"

static void write_machine(struct strbuf *out, const void *value) {
    const struct stored_machine *stored = value;
    const size_t length = strlen(stored->xml);
    strbuf_append(out, stored->xml, length);
    if (length == 0 || stored->xml[length - 1] != '\n') strbuf_append(out, "\n", 1);
}

static enum tcplan_status read_machine(void *value, const char *content, size_t length,
                                       struct tcplan_error *error) {
    struct stored_machine *stored = value;
    char *xml = base_alloc(length + 1);
    if (!xml) return error_no_memory(error);
    memcpy(xml, content, length);
    xml[length] = '\0'; /* hwloc requires a terminator */
    const enum tcplan_status status =
        tcplan_machine_parse(&stored->machine, "an exported machine", xml, error);
    base_free(xml);
    return status;
}

static void print_machine(struct strbuf *out, const void *value) {
    const struct tcplan_machine *machine = &((const struct stored_machine *)value)->machine;
    strbuf_add(out, "%s, %d core%s\n", *machine->cpu ? machine->cpu : "unknown processor",
               machine->cores, machine->cores == 1 ? "" : "s");
    for (int c = 0; c < machine->cache_count; c++)
        strbuf_add(out, "cache %d: %s\n", c + 1,
                   quantity_bytes((double)machine->cache[c].size_bytes).text);
}

const struct store_kind store_kind_machine = {.name = "machine",
                                              .version = 1,
                                              .days = 36500,
                                              .parts = TCPLAN_FINGERPRINT_LIBRARIES,
                                              .size = sizeof(struct stored_machine),
                                              .write = write_machine,
                                              .read = read_machine,
                                              .print = print_machine};
