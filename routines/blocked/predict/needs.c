#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "routines/blocked/predict/sources.h"

/** Ends of domains are multiples of this (dissertation, section 3.1.5). */
enum { MULTIPLE = 8 };

/** The bounding box of the sizes of a statement's calls. */
struct box {
    int64_t least[TCPLAN_MODEL_SIZES], most[TCPLAN_MODEL_SIZES];
    bool seen, missing;
};

struct survey {
    const struct tcplan_blocked_predictor *predictor;
    struct box *box; /* one for each statement, by number */
};

static bool extend_box(void *context, const struct blocked_call *call) {
    struct survey *survey = context;
    const int number = call->statement->node->call.number;
    const struct source *source = &survey->predictor->source[number];
    struct box *box = &survey->box[number];
    int64_t size[TCPLAN_MODEL_SIZES];
    bool below;
    if (call->empty) return true;
    source_sizes(size, source, call);
    for (int s = 0; s < source->of.sizes; s++) {
        if (!box->seen || size[s] < box->least[s]) box->least[s] = size[s];
        if (!box->seen || size[s] > box->most[s]) box->most[s] = size[s];
    }
    box->seen = true;
    box->missing = box->missing || !source_model(source, size, &below);
    return true;
}

/** Extends the boxes by the calls at slightly smaller sizes, and at sizes of one block. A half does
 * not grow with every row, so the largest half may occur at a smaller size. */
static void visit_halves(struct survey *survey, const struct tcplan_blocked_sizes *sizes) {
    const struct tcplan_blocked *blocked = survey->predictor->blocked;
    for (int less = 1; less <= 2 * MULTIPLE; less++) {
        struct tcplan_blocked_sizes smaller = *sizes;
        for (int s = 0; s < blocked->blocks.size_count; s++) {
            const int64_t size = less < 2 * MULTIPLE ? smaller.size[s] - less : sizes->block;
            if (size >= 0 && size < smaller.size[s]) smaller.size[s] = size;
        }
        blocked_walk(blocked, &smaller, extend_box, survey);
    }
}

/** Returns whether a size of a statement depends on the problem's sizes; other sizes are constants
 * in the text. */
static bool is_varied(const struct source *source, int s) {
    const struct blocked_statement *statement = source->statement;
    for (int i = 0; i < statement->size_count; i++) {
        if (statement->size[i].argument == source->of.size_argument[s]) return true;
    }
    return false;
}

static int64_t round_up(int64_t size) {
    return (size + MULTIPLE - 1) / MULTIPLE * MULTIPLE;
}

/** Returns the lower end of domains: the usual one, or the block size if that is smaller. */
static int64_t lowest(int64_t block) {
    if (block >= TCPLAN_BLOCKED_LEAST) return TCPLAN_BLOCKED_LEAST;
    return block >= MULTIPLE ? block / MULTIPLE * MULTIPLE : MULTIPLE;
}

/** Returns the smallest valid value of one size of a statement when the other sizes are at their
 * maxima, so that all corners of the domain are valid calls. */
static int64_t least_of(const struct source *source, const struct box *box, int s) {
    const struct signature *signature = source->statement->signature;
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    memcpy(value, source->statement->value, sizeof value);
    for (int i = 0; i < source->of.sizes; i++)
        value[source->of.size_argument[i]] = round_up(box->most[i]);
    return round_up(signature_least(signature, value, source->of.size_argument[s]));
}

static struct tcplan_model_domain domain_of(const struct source *source, const struct box *box,
                                            int64_t least_block) {
    struct tcplan_model_domain domain = {.count = source->of.sizes};
    for (int s = 0; s < domain.count; s++) {
        domain.low[s] = domain.high[s] = box->most[s];
        if (!is_varied(source, s)) continue;
        const int64_t least = least_of(source, box, s);
        domain.high[s] = round_up(box->most[s]);
        domain.low[s] = lowest(least_block) > least ? lowest(least_block) : least;
        if (domain.low[s] > domain.high[s]) domain.low[s] = domain.high[s];
    }
    return domain;
}

/** Prints the case with its arguments and domain as one shell word, without blanks. */
static void write_word(struct tcplan_blocked_need *need, const struct source *source) {
    size_t length = (size_t)snprintf(need->word, sizeof need->word, "%s", need->case_text);
    bool first = true;
    for (char *at = need->word; *at; at++) {
        if (*at != ' ') continue;
        *at = first ? ':' : ',';
        first = false;
    }
    for (int s = 0; s < need->domain.count && length < sizeof need->word; s++) {
        const char *name = source->statement->signature->argument[source->of.size_argument[s]].name;
        const long long low = (long long)need->domain.low[s],
                        high = (long long)need->domain.high[s];
        length += (size_t)snprintf(need->word + length, sizeof need->word - length, "%c%s=%lld",
                                   first ? ':' : ',', name, low);
        if (high > low && length < sizeof need->word)
            length +=
                (size_t)snprintf(need->word + length, sizeof need->word - length, ":%lld", high);
        first = false;
    }
}

static bool is_within(const struct tcplan_model_domain *inner,
                      const struct tcplan_model_domain *outer) {
    if (inner->count != outer->count) return false;
    for (int s = 0; s < inner->count; s++) {
        if (inner->low[s] < outer->low[s] || inner->high[s] > outer->high[s]) return false;
    }
    return true;
}

static void remove_need(struct tcplan_blocked_needs *needs, size_t place) {
    needs->missing -= needs->of[place].missing;
    memmove(&needs->of[place], &needs->of[place + 1],
            (needs->count - place - 1) * sizeof *needs->of);
    needs->count--;
}

/** Removes the needs whose domain lies within the domain of `need`. Returns true if an existing
 * need of the same case covers the domain of `need`. */
static bool is_there(struct tcplan_blocked_needs *needs, struct tcplan_blocked_need *need) {
    for (size_t n = 0; n < needs->count;) {
        struct tcplan_blocked_need *other = &needs->of[n];
        const bool same = strcmp(other->case_text, need->case_text) == 0;
        if (same && is_within(&need->domain, &other->domain)) {
            needs->missing += need->missing && !other->missing;
            other->missing = other->missing || need->missing;
            return true;
        }
        if (same && is_within(&other->domain, &need->domain)) {
            need->missing = need->missing || other->missing;
            remove_need(needs, n);
        } else {
            n++;
        }
    }
    return false;
}

static enum tcplan_status append(struct tcplan_blocked_needs *needs,
                                 struct tcplan_blocked_need *need, struct tcplan_error *error) {
    if (is_there(needs, need)) return TCPLAN_OK;
    struct tcplan_blocked_need *larger =
        base_realloc(needs->of, (needs->count + 1) * sizeof *larger);
    if (!larger) return error_no_memory(error);
    needs->of = larger;
    needs->of[needs->count++] = *need;
    needs->missing += need->missing;
    return TCPLAN_OK;
}

static enum tcplan_status add_boxes(struct tcplan_blocked_needs *needs, const struct survey *survey,
                                    int64_t least_block, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int b = 0; b < survey->predictor->blocked->statement_count && status == TCPLAN_OK; b++) {
        const struct source *source = &survey->predictor->source[b];
        struct tcplan_blocked_need need = {.missing = survey->box[b].missing};
        if (!survey->box[b].seen) continue;
        snprintf(need.case_text, sizeof need.case_text, "%s", source->of.text);
        need.is_own = source->statement->signature->is_own;
        need.domain = domain_of(source, &survey->box[b], least_block);
        write_word(&need, source);
        status = append(needs, &need, error);
    }
    return status;
}

enum tcplan_status tcplan_blocked_needs_add(struct tcplan_blocked_needs *needs,
                                            const struct tcplan_blocked_predictor *predictor,
                                            const struct tcplan_blocked_sizes size[], int count,
                                            struct tcplan_error *error) {
    struct survey survey = {.predictor = predictor};
    enum tcplan_status status = TCPLAN_OK;
    int64_t least_block = count > 0 ? size[0].block : 1;
    survey.box =
        base_alloc_zero((size_t)predictor->blocked->statement_count + 1, sizeof *survey.box);
    if (!survey.box) return error_no_memory(error);
    for (int i = 0; i < count && status == TCPLAN_OK; i++) {
        status = tcplan_blocked_check(predictor->blocked, &size[i], error);
        if (size[i].block < least_block) least_block = size[i].block;
        if (status == TCPLAN_OK) blocked_walk(predictor->blocked, &size[i], extend_box, &survey);
        if (status == TCPLAN_OK && predictor->blocked->is_recursive)
            visit_halves(&survey, &size[i]);
    }
    if (status == TCPLAN_OK) status = add_boxes(needs, &survey, least_block, error);
    base_free(survey.box);
    return status;
}

void tcplan_blocked_needs_free(struct tcplan_blocked_needs *needs) {
    base_free(needs->of);
    *needs = (struct tcplan_blocked_needs){0};
}
