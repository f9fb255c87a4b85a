#include <string.h>

#include "cli/diagnostics.h"
#include "cli/render/blocked/blocked_common.h"

static struct field_value domain_of(const struct tcplan_blocked_need *need) {
    char domain[TCPLAN_MODEL_DOMAIN_TEXT];
    tcplan_model_domain_print(domain, &need->domain);
    return field_owned(strdup(domain));
}

FIELD_GETTER(struct tcplan_blocked_need, shown_missing,
             field_text(r->missing ? "missing" : "there"))

/* clang-format off */

#define NEED(F, T) \
    F(T, case, TEXT, field_text(r->case_text), "routine, flags and scalars", ALWAYS, CSV(6), COLUMN(1, "case")) \
    F(T, own, FLAG, field_flag(r->is_own), "whether it is a routine of tcplan", ALWAYS, CSV(7)) \
    F(T, domain, TEXT, domain_of(r), "sizes of the model", ALWAYS, CSV(8), COLUMN(2, "domain")) \
    F(T, kernel, TEXT, field_text(r->word), "argument for `model generate`", ALWAYS, CSV(9)) \
    F(T, missing, FLAG, field_flag(r->missing), "whether the model is missing", ALWAYS, CSV(10), COLUMN(3, "model"), .shown = shown_missing)

#define NEEDS(F, T) \
    F(T, head, GROUP, FIELD_VISIT(r->head), "the operation", .fields = blocked_head_fields) \
    F(T, count, INTEGER, field_integer((int64_t)r->needs->count), "number of needed models", ALWAYS) \
    F(T, missing, INTEGER, field_integer((int64_t)r->needs->missing), "number of missing models", ALWAYS) \
    F(T, models, LIST, FIELD_VISIT_ALL(r->needs->count, &r->needs->of[i]), "the models", .item = "model", .fields = need_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(need, tcplan_blocked_need, NEED);
FIELD_TABLE(needs, blocked_needs, NEEDS);

void blocked_needs_print_command(FILE *file, const struct blocked_needs *needs) {
    const struct tcplan_model_setup *setup = needs->head->setup;
    fprintf(file, "%s model generate", program_name());
    if (strcmp(setup->provider, "openblas") != 0) fprintf(file, " --provider %s", setup->provider);
    if (setup->threads > 1) fprintf(file, " --threads %d", setup->threads);
    for (size_t n = 0; n < needs->needs->count; n++) {
        if (needs->needs->of[n].missing) fprintf(file, " \\\n    %s", needs->needs->of[n].word);
    }
    fputc('\n', file);
}

static void print(struct writer *writer, const void *record) {
    const struct blocked_needs *needs = record;
    blocked_head_print(writer->file, needs->head);
    fputc('\n', writer->file);
    fields_print_list(writer, field_named(needs_fields, "models"), needs);
    if (needs->needs->missing == 0) {
        fputs("All models exist.\n", writer->file);
        return;
    }
    fprintf(writer->file, "%zu of %zu models are missing. This command generates them:\n\n",
            needs->needs->missing, needs->needs->count);
    blocked_needs_print_command(writer->file, needs);
}

VIEW(blocked_models, needs, "blocked_models", print, "Models that blocked algorithms need.");
