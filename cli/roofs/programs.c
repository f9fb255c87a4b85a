#include "cli/roofs/programs.h"

#include <string.h>

#include "base/alloc.h"
#include "cli/render/text/values.h"
#include "tcplan/portability.h"

bool programs_are_asked(const struct options *options) {
    return options->argument_count > 0 && text_ends(options->arguments[0], ".csv");
}

/* Reading. */

static enum exit_status read_platform(struct programs *out, int platform) {
    const struct options *options = out->options;
    if (tcplan_regions_read(&out->read[platform], options->arguments[platform], &failure) !=
        TCPLAN_OK)
        return diagnose_failure(NULL);
    if (options->platforms.count == 0) return EXIT_DONE;
    return diagnosed(tcplan_ceilings_load(&out->roofs[platform], NULL,
                                          options->platforms.text[platform], &failure));
}

static enum exit_status read_all(struct programs *out) {
    const struct options *options = out->options;
    out->platform_count = options->argument_count;
    if (options->all) return options_refuse(options, "--all needs results of batches, RESULTS.xml");
    if (options->platforms.count > 0 && options->platforms.count != out->platform_count)
        return options_refuse(
            options, "expected one --ceilings for each of the %d files in their order, found %d",
            out->platform_count, options->platforms.count);
    if (options->ceiling != CEILING_FMA && options->platforms.count == 0)
        return options_refuse(options, "--ceiling needs --ceilings");
    out->read = base_alloc_zero((size_t)out->platform_count,
                                sizeof *out->read); /* NOLINT(bugprone-sizeof-expression) */
    out->roofs = base_alloc_zero((size_t)out->platform_count,
                                 sizeof *out->roofs); /* NOLINT(bugprone-sizeof-expression) */
    if (!out->read || !out->roofs) return diagnose_no_memory();
    enum exit_status status = EXIT_DONE;
    for (int p = 0; p < out->platform_count && status == EXIT_DONE; p++)
        status = read_platform(out, p);
    return status;
}

/* Comparing. */

/** Returns the number of threads of a region's roofs: its own if there are ceilings for it,
 * otherwise the largest measured number. */
static int threads_of(const struct tcplan_region *region, const struct tcplan_roofline *roofline) {
    int most = 1;
    for (size_t c = 0; c < roofline->compute_count; c++) {
        if (roofline->compute[c].threads == region->threads) return region->threads;
        if (roofline->compute[c].threads > most) most = roofline->compute[c].threads;
    }
    return region->threads > 0 ? most : 1;
}

static void place(struct program_place *out, const struct tcplan_roofline *roofline,
                  const struct options *options) {
    const enum program_ceiling ceiling = (enum program_ceiling)options->ceiling;
    if (!roofline) {
        out->efficiency = out->region->efficiency > 0 ? out->region->efficiency : 0;
        return;
    }
    const struct tcplan_region_roofs roofs = {
        .roofline = roofline,
        .dtype = TCPLAN_DOUBLE,
        .threads = threads_of(out->region, roofline),
        .fused = ceiling == CEILING_FMA || ceiling == CEILING_THEORETICAL,
        .compute = ceiling == CEILING_DIVIDE ? "divide" : NULL,
        .theoretical = ceiling >= CEILING_THEORETICAL};
    if (!tcplan_region_has_place(out->region, TCPLAN_DIRECTION_BOTH)) return;
    out->point = tcplan_region_place(out->region, &roofs);
    out->efficiency = out->point.roof > 0 ? out->point.efficiency : 0;
}

/** Returns the program with a name, and adds it if it is new; NULL if memory runs out. */
static struct program *find(struct programs *out, const char *name) {
    for (size_t p = 0; p < out->count; p++) {
        if (strcmp(out->program[p].name, name) == 0) return &out->program[p];
    }
    struct program *larger = base_realloc(out->program, (out->count + 1) * sizeof *larger);
    if (!larger) return NULL;
    out->program = larger;
    larger[out->count] = (struct program){
        .name = name,
        .at = base_alloc_zero((size_t)out->platform_count, sizeof *larger[out->count].at)};
    return larger[out->count].at ? &larger[out->count++] : NULL;
}

static enum exit_status add_platform(struct programs *out, int platform) {
    struct tcplan_regions *regions = out->read[platform];
    for (size_t r = 0; r < regions->count; r++) {
        struct tcplan_region *region = &regions->region[r];
        struct program *program = find(out, region->name);
        if (!program) return diagnose_no_memory();
        if (program->at[platform].region)
            return diagnose_as(EXIT_REFUSED, "%.200s has the program '%s' twice",
                               out->options->arguments[platform], region->name);
        if (out->options->canonical && !tcplan_region_use_canonical(region))
            return diagnose_as(EXIT_REFUSED,
                               "%.200s has no canonical_flops of '%s', which --flops asks for",
                               out->options->arguments[platform], region->name);
        program->at[platform].region = region;
        place(&program->at[platform], out->roofs[platform], out->options);
    }
    return EXIT_DONE;
}

static enum exit_status summarise(struct programs *out) {
    double *efficiency = base_alloc((size_t)out->platform_count * sizeof *efficiency);
    if (!efficiency) return diagnose_no_memory();
    for (size_t n = 0; n < out->count; n++) {
        struct program *program = &out->program[n];
        for (int p = 0; p < out->platform_count; p++) {
            efficiency[p] = program->at[p].efficiency;
            program->above_roof = program->above_roof || efficiency[p] > 1;
        }
        program->portability = tcplan_portability_metric(efficiency, (size_t)out->platform_count);
    }
    base_free(efficiency);
    return EXIT_DONE;
}

enum exit_status programs_make(struct programs *out, const struct options *options) {
    *out = (struct programs){.options = options};
    enum exit_status status = read_all(out);
    for (int p = 0; p < out->platform_count && status == EXIT_DONE; p++)
        status = add_platform(out, p);
    return status == EXIT_DONE ? summarise(out) : status;
}

void programs_free(struct programs *programs) {
    for (int p = 0; p < programs->platform_count; p++) {
        if (programs->read) tcplan_regions_free(programs->read[p]);
        if (programs->roofs) tcplan_roofline_free(programs->roofs[p]);
    }
    for (size_t n = 0; n < programs->count; n++) base_free(programs->program[n].at);
    base_free(programs->read);
    base_free(programs->roofs);
    base_free(programs->program);
    *programs = (struct programs){0};
}
