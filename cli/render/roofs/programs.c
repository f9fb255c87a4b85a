#include "cli/roofs/programs.h"

#include <stdio.h>
#include <string.h>

#include "cli/render/results/platforms.h"
#include "cli/render/view.h"

/** A program; if a platform is given, the program's point there. */
struct at {
    const struct programs *all;
    const struct program *program;
    int platform;
    const struct program_place *place;
};

static void visit_places(const struct programs *all, const struct program *program,
                         struct field_visit *visit) {
    for (int p = 0; p < all->platform_count; p++) {
        const struct at at = {all, program, p, &program->at[p]};
        FIELD_VISIT(&at);
    }
}

static bool has_roof(const struct at *at) {
    return at->all->roofs && at->all->roofs[at->platform] && at->place->region &&
           at->place->point.roof > 0;
}

static struct field_value bound_by(const struct at *at) {
    const struct tcplan_point *point = &at->place->point;
    if (!has_roof(at)) return field_unknown();
    return field_text(point->compute_bound ? point->compute->name : point->bandwidth->name);
}

static struct field_value number_of(const struct at *at, double number) {
    return field_if(at->place->region && number >= 0, field_number(number));
}

#define GFLOPS (r->place->region ? r->place->region->gflops : -1)
#define INTENSITY (r->place->region ? r->place->region->intensity : -1)

FIELD_GETTER(struct at, shown_efficiency,
             r->place->efficiency > 0 ? field_printed("%.2f %%%s", 100 * r->place->efficiency,
                                                      r->place->efficiency > 1 ? " !" : "")
                                      : field_unknown())
FIELD_GETTER(struct at, shown_portability,
             field_printed("%.2f %%%s", 100 * r->program->portability,
                           r->program->above_roof ? " !" : ""))

/* clang-format off */

#define PLACE(F, T) \
    F(T, program, TEXT, field_text(r->program->name), "name of the program", CSV(1), COLUMN(1, "program"), .hidden = true) \
    F(T, platform, TEXT, field_printed("%s", platform_label(r->platform).text), "letter of the platform", ALWAYS, CSV(2), COLUMN(2, "on")) \
    F(T, gflops, NUMBER, number_of(r, GFLOPS), "speed", CSV(3), COLUMN(3, "GFLOP/s"), .format = FIELD_THREE, .optional = '1') \
    F(T, intensity, NUMBER, number_of(r, INTENSITY), "operations per byte", CSV(4), COLUMN(4, "flop/byte"), .format = FIELD_THREE, .optional = '2') \
    F(T, roof_gflops, NUMBER, field_if(has_roof(r), field_number(r->place->point.roof)), "the roof", CSV(5)) \
    F(T, efficiency, NUMBER, field_if(r->place->efficiency > 0, field_number(r->place->efficiency)), "share of the roof", \
      CSV(6), COLUMN(5, "of roof"), .shown = shown_efficiency) \
    F(T, bound_by, TEXT, bound_by(r), "limiting ceiling", CSV(7), COLUMN(6, "bound by"), .optional = '3') \
    F(T, portability, NUMBER, field_number(r->program->portability), "portability of the program", CSV(8), COLUMN(7, "portability"), \
      .shown = shown_portability, .hidden = true)

#define PROGRAM(F, T) \
    F(T, name, TEXT, field_text(r->program->name), "name of the program", ALWAYS) \
    F(T, portability, NUMBER, field_number(r->program->portability), "harmonic mean of the shares; 0 if one is unknown", ALWAYS) \
    F(T, above_roof, FLAG, field_flag(r->program->above_roof), "whether a share exceeds 1: operations and ceiling do not match", ALWAYS) \
    F(T, platforms, LIST, visit_places(r->all, r->program, visit), \
      "figures of the program on each platform", .item = "platform", .fields = place_fields, ALWAYS)

#define PLATFORM(F, T) \
    F(T, file, TEXT, field_text(r->all->options->arguments[r->platform]), "the file", ALWAYS) \
    F(T, ceilings, TEXT, field_if(r->all->options->platforms.count > r->platform, field_text(r->all->options->platforms.text[r->platform])), \
      "file of the ceilings")

#define PROGRAMS(F, T) \
    F(T, flops, TEXT, field_word(r->options->canonical ? "canonical" : "executed"), "operations that count: executed or canonical", ALWAYS) \
    F(T, files, LIST, FIELD_VISIT_ALL((size_t)r->platform_count, &(struct at){.all = r, .platform = (int)i}), \
      "the platforms", .item = "file", .fields = platform_fields, ALWAYS) \
    F(T, programs, LIST, FIELD_VISIT_ALL(r->count, &(struct at){.all = r, .program = &r->program[i]}), \
      "programs in the order of the files", .item = "program", .fields = program_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(place, at, PLACE);
FIELD_TABLE(program, at, PROGRAM);
FIELD_TABLE(platform, at, PLATFORM);
FIELD_TABLE(programs, programs, PROGRAMS);

static void each_place(const void *record, struct field_visit *visit) {
    const struct programs *all = record;
    for (size_t p = 0; p < all->count; p++) visit_places(all, &all->program[p], visit);
}

static const struct field rows_of_text = {
    .kind = FIELD_LIST, .fields = place_fields, .each = each_place};

static void print(struct writer *writer, const void *record) {
    const struct programs *all = record;
    const struct options *options = all->options;
    int above = 0, lacking = 0;
    for (int p = 0; p < all->platform_count; p++) {
        fprintf(writer->file, "%-3s%s%s%s\n", platform_label(p).text, options->arguments[p],
                options->platforms.count > 0 ? " under the ceilings of " : "",
                options->platforms.count > 0 ? options->platforms.text[p] : "");
    }
    fputc('\n', writer->file);
    fields_print_list(writer, &rows_of_text, all);
    for (size_t p = 0; p < all->count; p++) above += all->program[p].above_roof;
    for (size_t p = 0; p < all->count && options->platforms.count > 0; p++) {
        for (int at = 0; at < all->platform_count; at++)
            lacking += all->program[p].at[at].region && !(all->program[p].at[at].efficiency > 0);
    }
    if (lacking > 0)
        fprintf(writer->file,
                "\n- in %s: the ceilings lack this compute ceiling or the memory's bandwidth, "
                "or the file lacks operations or bytes.\n",
                counted(lacking, "line").text);
    if (above > 0)
        fprintf(writer->file,
                "\n! %s above a roof, which is impossible: the operations or the ceiling "
                "are of another kind.\n",
                counted(above, "program").text);
}

VIEW(programs, programs, "portability", print,
     "Efficiencies and performance portability of programs on several platforms.");
