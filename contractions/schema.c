#include "contractions/schema.h"

#include <string.h>

const struct schema schema_library = {"library.rng", schema_library_text};
const struct schema schema_results = {"results.rng", schema_results_text};

const struct schema_element *schema_find_element(const char *name) {
    static const struct schema_element elements[] = {
        {"library", "format=\"1\" and maybe types, threads, order", "title, source, comment, then groups and contractions"},
        {"group", "name (letters, digits, _.+-) and maybe types, threads, order", "title, source, comment, then contractions"},
        {"contraction", "name (letters, digits, _.+-), formula and maybe strides, types, threads, order",
         "title, source, comment, then at least one sizes"},
        {"sizes", "maybe class, optional, strides, types, threads, order", "text"},
        {"source", "maybe href", "text"},
        {"title", "none", "text"},
        {"comment", "none", "text"},
        {"results", "format=\"1\" and maybe shard, checksum", "provenances and results, then end"},
        {"provenance", "those of results.rng", "nothing"},
        {"result", "those of results.rng", "algorithms"},
        {"algorithm", "name, kernel, tied, calls and maybe predicted_*, measured_*", "nothing"},
        {"end", "entries, digest, results, failed and maybe checksum", "nothing"},
    };
    for (size_t e = 0; e < sizeof elements / sizeof *elements; e++) {
        if (strcmp(elements[e].name, name) == 0) return &elements[e];
    }
    return NULL;
}
