/*
 * The structure of a product as text: sections with charges, conservation rules, lists of blocks.
 *
 *   sections = group { group } ;             group = index { "=" index } "=" part { "+" part } ;
 *   part     = [ count "x" ] extent [ "@" ( integer | "(" integer { "," integer } ")" ) ] ;
 *   charge   = rule { ";" rule } ;
 *   rule     = tensor ":" [ sign ] index { sign index } "=" integer [ "mod" number ] ;
 *   list     = one line of section numbers for each block; "#" begins a comment
 *   lists    = tensor ":" block { "|" block } { ";" tensor ":" block { "|" block } } ;
 *
 * Rule n of a tensor concerns charge n; if a tensor has one rule, it concerns every charge.
 */
#include <stdlib.h>
#include <string.h>

#include "ast/scan.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "blocks/structure.h"

enum {
    MOST_SECTIONS = 1 << 20,
    MOST_CHARGES = 8,
    MOST_OPERANDS = TCPLAN_BLOCK_TENSORS + 1, /* factors plus the result */
    MOST_RULES = MOST_OPERANDS * MOST_CHARGES,
    MOST_CHARGE = 1000000000,
    MOST_COMBINATIONS = 1 << 27
};

/** A conservation rule: the sum of the signed charges of some dimensions. */
struct rule {
    int tensor;
    int sign[TCPLAN_MAX_RANK]; /* for each dimension, the sign of its charge: -1, 0 or 1 */
    int64_t flux;
    int64_t modulus; /* modulus of the rule; 0: the sum is not reduced */
};

/** The text of a list of blocks. */
struct list_text {
    const char *text, *end; /* beginning and end of the text; `text` is NULL if there is no list */
    char separator;         /* character that separates blocks */
};

struct reading {
    const struct tcplan_block_formula *formula;
    const struct tcplan_block_text *text;
    struct tcplan_error *error;
    struct scan scan;
    struct block_sections index[TCPLAN_MAX_INDICES];
    int64_t *charge[TCPLAN_MAX_INDICES]; /* for each index, `charges` numbers for each of its
                                            sections; NULL: no charges */
    int charges; /* number of charges of a section; 0: no section has charges yet */
    struct rule rule[MOST_RULES];
    int rule_count;
    struct list_text given[MOST_OPERANDS]; /* texts of the lists of the factors, then of the result
                                            */
    struct block_list list[MOST_OPERANDS];
};

/* Reading words. */

static bool read_number(struct reading *reading, const char *what, int64_t least, int64_t most,
                        int64_t *out) {
    struct scan *scan = &reading->scan;
    scan_peek(scan);
    const struct word start = {scan->at, 0};
    const bool is_negative = scan_accept(scan, "-");
    if (!is_negative) scan_accept(scan, "+");
    const struct word digits = scan_run(scan, scan_is_digit);
    int64_t value = 0;
    if (digits.length == 0) return scan_expected(scan, what);
    for (size_t i = 0; i < digits.length; i++) {
        value = 10 * value + (digits.text[i] - '0');
        if (value > most)
            return scan_refuse(scan, scan_since(scan, start), "expected %s up to %lld, found %s",
                               what, (long long)most, scan_excerpt(scan_since(scan, start)).text);
    }
    *out = is_negative ? -value : value;
    if (*out >= least) return true;
    return scan_refuse(scan, scan_since(scan, start), "expected %s of at least %lld, found %s",
                       what, (long long)least, scan_excerpt(scan_since(scan, start)).text);
}

/** Reads the name of an index, and sets *out to the index's number. */
static bool read_index(struct reading *reading, int *out) {
    struct scan *scan = &reading->scan;
    if (!scan_is_name(scan_peek(scan)) || scan_is_digit(scan_peek(scan)))
        return scan_expected(scan, "an index name");
    const struct word name = scan_run(scan, scan_is_name);
    for (int i = 0; i < reading->formula->index_count; i++) {
        *out = i;
        if (word_equal(word_of(reading->formula->index[i]), name)) return true;
    }
    return scan_refuse(scan, name, "the contraction has no index %s", scan_excerpt(name).text);
}

/* Sections. */

/** Reads the charges of a part, and sets *count to their number (0 if there are none). */
static bool read_charges(struct reading *reading, int64_t charge[MOST_CHARGES], int *count) {
    struct scan *scan = &reading->scan;
    *count = 0;
    if (!scan_accept(scan, "@")) return true;
    const bool is_list = scan_accept(scan, "(");
    do {
        if (*count == MOST_CHARGES) return scan_expected(scan, "at most 8 charges");
        if (!read_number(reading, "a charge", -MOST_CHARGE, MOST_CHARGE, &charge[*count]))
            return false;
        (*count)++;
    } while (is_list && scan_accept(scan, ","));
    return !is_list || scan_accept(scan, ")") || scan_expected(scan, "',' or ')'");
}

/** Adds `count` sections of equal extent and charges to an index. */
static bool add_sections(struct reading *reading, int index, int64_t count, int64_t extent,
                         const int64_t charge[], int charges) {
    struct block_sections *sections = &reading->index[index];
    const size_t before = (size_t)sections->count, after = before + (size_t)count;
    int64_t *extents = base_realloc(sections->extent, after * sizeof *extents);
    if (extents) sections->extent = extents;
    int64_t *own = NULL;
    if (charges > 0)
        own = base_realloc(reading->charge[index], after * (size_t)charges * sizeof *own);
    if (own) reading->charge[index] = own;
    if (!extents || (charges > 0 && !own)) {
        reading->scan.status = error_no_memory(reading->error);
        return false;
    }
    for (size_t s = before; s < after; s++) {
        extents[s] = extent;
        for (int q = 0; q < charges; q++) own[s * (size_t)charges + (size_t)q] = charge[q];
    }
    sections->count = (int)after;
    return true;
}

static bool read_part(struct reading *reading, const int index[], int indices, bool is_first) {
    struct scan *scan = &reading->scan;
    int64_t count = 1, extent = 0, charge[MOST_CHARGES];
    int charges;
    scan_peek(scan);
    const struct word start = {scan->at, 0};
    if (!read_number(reading, "an extent", 1, INT32_MAX, &extent)) return false;
    if (scan_accept(scan, "x")) {
        count = extent;
        if (!read_number(reading, "an extent", 1, INT32_MAX, &extent)) return false;
    }
    if (!read_charges(reading, charge, &charges)) return false;
    if (count + reading->index[index[0]].count > MOST_SECTIONS)
        return scan_refuse(scan, scan_since(scan, start), "more than %d sections", MOST_SECTIONS);
    if (!is_first && (charges > 0) != (reading->charge[index[0]] != NULL))
        return scan_refuse(scan, scan_since(scan, start),
                           "either all sections of an index have charges or none");
    if (charges > 0 && reading->charges > 0 && charges != reading->charges)
        return scan_refuse(scan, scan_since(scan, start),
                           "expected %d charges, as in other sections, found %d", reading->charges,
                           charges);
    if (charges > 0) reading->charges = charges;
    for (int i = 0; i < indices; i++)
        if (!add_sections(reading, index[i], count, extent, charge, charges)) return false;
    return true;
}

static bool read_group(struct reading *reading) {
    struct scan *scan = &reading->scan;
    int index[TCPLAN_MAX_INDICES], indices = 0;
    do {
        scan_peek(scan);
        const struct word start = {scan->at, 0};
        if (!read_index(reading, &index[indices])) return false;
        bool is_known = reading->index[index[indices]].count > 0;
        for (int i = 0; i < indices; i++) is_known = is_known || index[i] == index[indices];
        if (is_known)
            return scan_refuse(scan, scan_since(scan, start), "index %s has sections already",
                               scan_excerpt(scan_since(scan, start)).text);
        indices++;
        if (!scan_accept(scan, "=")) return scan_expected(scan, "'='");
    } while (!scan_is_digit(scan_peek(scan)));
    bool is_first = true;
    do {
        if (!read_part(reading, index, indices, is_first)) return false;
        is_first = false;
    } while (scan_accept(scan, "+"));
    return true;
}

static enum tcplan_status read_sections(struct reading *reading) {
    if (!scan_init(&reading->scan, reading->text->sections, reading->error))
        return reading->scan.status;
    while (scan_peek(&reading->scan) != '\0') {
        if (!read_group(reading)) return reading->scan.status;
        scan_accept(&reading->scan, ",");
    }
    for (int i = 0; i < reading->formula->index_count; i++) {
        const char *name = reading->formula->index[i];
        struct block_sections *sections = &reading->index[i];
        if (sections->count == 0)
            return error_set(
                reading->error, TCPLAN_INVALID,
                "index %.40s has no sections; a single section is written %.40s=EXTENT", name,
                name);
        int64_t total = 0;
        for (int s = 0; s < sections->count; s++) total += sections->extent[s];
        if (reading->text->extent && total != reading->text->extent[i])
            return error_set(reading->error, TCPLAN_INVALID,
                             "the sections of %.40s add up to %lld; its extent is %lld", name,
                             (long long)total, (long long)reading->text->extent[i]);
    }
    return TCPLAN_OK;
}

/* Reading conservation rules. */

static bool read_tensor(struct reading *reading, int *out) {
    struct scan *scan = &reading->scan;
    scan_peek(scan);
    const struct word name = scan_run(scan, scan_is_name);
    if (name.length == 0) return scan_expected(scan, "a tensor and ':'");
    for (int t = 0; t < reading->formula->count; t++) {
        *out = t;
        if (word_equal(word_of(reading->formula->operand[t].name), name)) return true;
    }
    return scan_refuse(scan, name, "the contraction has no tensor %s", scan_excerpt(name).text);
}

/** Reads a signed index of a rule. */
static bool read_term(struct reading *reading, struct rule *rule, int sign) {
    const struct tcplan_block_operand *tensor = &reading->formula->operand[rule->tensor];
    struct scan *scan = &reading->scan;
    int index = 0, dimension = -1;
    scan_peek(scan);
    const struct word start = {scan->at, 0};
    if (!read_index(reading, &index)) return false;
    const struct word name = scan_since(scan, start);
    for (int d = 0; d < tensor->rank; d++)
        if (tensor->dims[d] == index) dimension = d;
    if (dimension < 0)
        return scan_refuse(scan, name, "%.40s has no index %s", tensor->name,
                           scan_excerpt(name).text);
    if (rule->sign[dimension] != 0)
        return scan_refuse(scan, name, "index %s occurs twice in a rule", scan_excerpt(name).text);
    if (!reading->charge[index])
        return scan_refuse(scan, name, "index %s has no charges; --sections gives them as 3@0+5@1",
                           scan_excerpt(name).text);
    rule->sign[dimension] = sign;
    return true;
}

static bool read_rule(struct reading *reading) {
    struct scan *scan = &reading->scan;
    struct rule rule = {.tensor = 0};
    if (reading->rule_count == MOST_RULES) return scan_expected(scan, "fewer rules");
    if (!read_tensor(reading, &rule.tensor)) return false;
    if (!scan_accept(scan, ":")) return scan_expected(scan, "':'");
    int sign = scan_accept(scan, "-") ? -1 : 1;
    if (sign > 0) scan_accept(scan, "+");
    for (;;) {
        if (!read_term(reading, &rule, sign)) return false;
        if (scan_accept(scan, "="))
            break;
        else if (scan_accept(scan, "+"))
            sign = 1;
        else if (scan_accept(scan, "-"))
            sign = -1;
        else
            return scan_expected(scan, "'+', '-' or '='");
    }
    if (!read_number(reading, "a flux", -MOST_CHARGE, MOST_CHARGE, &rule.flux)) return false;
    if (scan_accept(scan, "mod") &&
        !read_number(reading, "a modulus", 1, MOST_CHARGE, &rule.modulus))
        return false;
    reading->rule[reading->rule_count++] = rule;
    return true;
}

static int rules_of(const struct reading *reading, int tensor) {
    int count = 0;
    for (int r = 0; r < reading->rule_count; r++) count += reading->rule[r].tensor == tensor;
    return count;
}

static enum tcplan_status read_rules(struct reading *reading) {
    if (!reading->text->charge) return TCPLAN_OK;
    if (!scan_init(&reading->scan, reading->text->charge, reading->error))
        return reading->scan.status;
    do {
        if (!read_rule(reading)) return reading->scan.status;
    } while (scan_accept(&reading->scan, ";"));
    if (scan_peek(&reading->scan) != '\0') {
        scan_expected(&reading->scan, "';' or the end");
        return reading->scan.status;
    }
    for (int t = 0; t < reading->formula->count; t++) {
        const int count = rules_of(reading, t);
        if (count > 1 && count != reading->charges)
            return error_set(reading->error, TCPLAN_INVALID,
                             "%.40s has %d rules; expected one, or one for each of %d charges",
                             reading->formula->operand[t].name, count, reading->charges);
    }
    return TCPLAN_OK;
}

/** Returns whether a block satisfies a rule for one charge. */
static bool holds(const struct reading *reading, const struct rule *rule, int charge,
                  const int32_t at[]) {
    const struct tcplan_block_operand *tensor = &reading->formula->operand[rule->tensor];
    int64_t sum = -rule->flux;
    for (int d = 0; d < tensor->rank; d++)
        if (rule->sign[d] != 0)
            sum += rule->sign[d] *
                   reading->charge[tensor->dims[d]][(int64_t)at[d] * reading->charges + charge];
    return rule->modulus > 0 ? sum % rule->modulus == 0 : sum == 0;
}

static bool is_allowed(const struct reading *reading, int tensor, const int32_t at[]) {
    const bool is_single = rules_of(reading, tensor) == 1;
    int charge = 0;
    for (int r = 0; r < reading->rule_count; r++) {
        if (reading->rule[r].tensor != tensor) continue;
        for (int q = is_single ? 0 : charge; q < (is_single ? reading->charges : charge + 1); q++)
            if (!holds(reading, &reading->rule[r], q, at)) return false;
        charge++;
    }
    return true;
}

/* The following functions read lists of blocks. */

static bool add_block(struct reading *reading, int tensor, const int32_t at[]) {
    struct block_list *list = &reading->list[tensor];
    const size_t rank = (size_t)reading->formula->operand[tensor].rank;
    int32_t *larger = base_grow(list->at, (size_t)list->count, (rank + 1) * sizeof *larger);
    if (!larger) return false;
    list->at = larger;
    for (size_t d = 0; d < rank; d++) larger[(size_t)list->count * rank + d] = at[d];
    list->count++;
    return true;
}

/** Lists the blocks that the rules of a tensor allow. */
static enum tcplan_status list_allowed(struct reading *reading, int t) {
    const struct tcplan_block_operand *tensor = &reading->formula->operand[t];
    int32_t at[TCPLAN_MAX_RANK] = {0};
    int64_t combinations = 1;
    for (int d = 0; d < tensor->rank; d++)
        combinations = saturated_mul_i64(combinations, reading->index[tensor->dims[d]].count);
    if (combinations > MOST_COMBINATIONS)
        return error_set(reading->error, TCPLAN_OVERFLOW,
                         "%.40s has too many combinations of sections; list its blocks",
                         tensor->name);
    reading->list[t].count = 0;
    for (int64_t n = 0; n < combinations; n++) {
        if (is_allowed(reading, t, at) && !add_block(reading, t, at))
            return error_no_memory(reading->error);
        for (int d = tensor->rank - 1; d >= 0; d--) {
            if (++at[d] < reading->index[tensor->dims[d]].count) break;
            at[d] = 0;
        }
    }
    return TCPLAN_OK;
}

/** Reads a line of section numbers, and sets *found to how many there are. */
static enum tcplan_status read_line(struct reading *reading, int t, const char *line,
                                    const char *end, int number, int *found) {
    const char *unit = reading->given[t].separator == '|' ? "block" : "line";
    const struct tcplan_block_operand *tensor = &reading->formula->operand[t];
    int32_t at[TCPLAN_MAX_RANK] = {0};
    *found = 0;
    while (line < end && *line != '#') {
        int64_t value = 0;
        const char *start = line;
        if (*line == ' ' || *line == '\t' || *line == ',' || *line == '\r') {
            line++;
            continue;
        }
        for (; line < end && scan_is_digit(*line) && value <= INT32_MAX; line++)
            value = 10 * value + (*line - '0');
        const int d = (*found)++;
        const int sections = d < tensor->rank ? reading->index[tensor->dims[d]].count : 1;
        const int shown = (int)(end - start > 20 ? 20 : end - start);
        if (line == start)
            return error_set(reading->error, TCPLAN_INVALID,
                             "blocks of %.40s, %s %d: expected a section number, found '%.*s'",
                             tensor->name, unit, number, shown, start);
        if (d < tensor->rank && value >= sections)
            return error_set(reading->error, TCPLAN_INVALID,
                             "blocks of %.40s, %s %d: index %.40s has no section %.*s; expected 0 "
                             "to %d",
                             tensor->name, unit, number, reading->formula->index[tensor->dims[d]],
                             (int)(line - start), start, sections - 1);
        if (d < tensor->rank) at[d] = (int32_t)value;
    }
    if (*found == 0) return TCPLAN_OK;
    if (*found != tensor->rank)
        return error_set(reading->error, TCPLAN_INVALID,
                         "blocks of %.40s, %s %d: expected %d section numbers, found %d",
                         tensor->name, unit, number, tensor->rank, *found);
    if (!is_allowed(reading, t, at))
        return error_set(reading->error, TCPLAN_INVALID,
                         "blocks of %.40s, %s %d: the rule of %.40s forbids this block",
                         tensor->name, unit, number, tensor->name);
    return add_block(reading, t, at) ? TCPLAN_OK : error_no_memory(reading->error);
}

static enum tcplan_status read_list(struct reading *reading, int t) {
    const struct list_text *given = &reading->given[t];
    const char *line = given->text;
    enum tcplan_status status = TCPLAN_OK;
    reading->list[t].count = 0;
    for (int number = 1; line < given->end && status == TCPLAN_OK; number++) {
        const char *end = memchr(line, given->separator, (size_t)(given->end - line));
        int found;
        if (!end) end = given->end;
        status = read_line(reading, t, line, end, number, &found);
        line = end < given->end ? end + 1 : end;
    }
    return status;
}

/** Finds the text of each tensor's list of blocks. */
static enum tcplan_status find_lists(struct reading *reading) {
    const char *const *own = reading->text->blocks, *all = reading->text->lists;
    struct scan *scan = &reading->scan;
    for (int t = 0; t < reading->formula->count; t++)
        if (own[t]) reading->given[t] = (struct list_text){own[t], own[t] + strlen(own[t]), '\n'};
    if (!all) return TCPLAN_OK;
    if (!scan_init(scan, all, reading->error)) return scan->status;
    do {
        int t = 0;
        scan_peek(scan);
        const struct word start = {scan->at, 0};
        if (!read_tensor(reading, &t)) return scan->status;
        if (reading->given[t].text) {
            scan_refuse(scan, scan_since(scan, start), "the blocks of %.40s are listed twice",
                        reading->formula->operand[t].name);
            return scan->status;
        }
        if (!scan_accept(scan, ":")) {
            scan_expected(scan, "':'");
            return scan->status;
        }
        const char *end = scan->at + strcspn(scan->at, ";");
        reading->given[t] = (struct list_text){scan->at, end, '|'};
        scan->at = end;
    } while (scan_accept(scan, ";"));
    return TCPLAN_OK;
}

static enum tcplan_status read_lists(struct reading *reading) {
    enum tcplan_status status = TCPLAN_OK;
    for (int t = 0; t < reading->formula->count && status == TCPLAN_OK; t++) {
        reading->list[t].count =
            t == reading->formula->count - 1 ? TCPLAN_BLOCKS_REACHED : TCPLAN_BLOCKS_ALL;
        if (reading->given[t].text)
            status = read_list(reading, t);
        else if (rules_of(reading, t) > 0)
            status = list_allowed(reading, t);
    }
    return status;
}

/* The whole text. */

/** Reads the sections, rules and lists of a formula. After an error, *wrong receives the text that
 * `error` marks, or NULL. `wrong` may be NULL. */
static enum tcplan_status read_all(struct reading *reading, const char **wrong) {
    const struct tcplan_block_text *text = reading->text;
    const char *where = text->sections;
    enum tcplan_status status = read_sections(reading);
    if (status == TCPLAN_OK) {
        where = text->charge;
        status = read_rules(reading);
    }
    if (status == TCPLAN_OK) {
        where = text->lists;
        status = find_lists(reading);
    }
    if (status == TCPLAN_OK) {
        where = NULL;
        status = read_lists(reading);
    }
    if (wrong) *wrong = status == TCPLAN_OK ? NULL : where;
    return status;
}

static void reading_free(struct reading *reading) {
    for (int i = 0; reading && i < TCPLAN_MAX_INDICES; i++) {
        base_free(reading->index[i].extent);
        base_free(reading->charge[i]);
    }
    for (int t = 0; reading && t < MOST_OPERANDS; t++) base_free(reading->list[t].at);
    base_free(reading);
}

/** A contraction as a formula. */
struct contraction_formula {
    struct tcplan_block_formula formula;
    const char *index[TCPLAN_MAX_INDICES];
    struct tcplan_block_operand operand[TCPLAN_OPERANDS];
    int dims[TCPLAN_OPERANDS][TCPLAN_MAX_RANK];
};

static void formula_of(struct contraction_formula *out,
                       const struct tcplan_contraction *contraction) {
    out->formula = (struct tcplan_block_formula){.index = out->index,
                                                 .index_count = contraction->index_count,
                                                 .operand = out->operand,
                                                 .count = TCPLAN_OPERANDS};
    for (int i = 0; i < contraction->index_count; i++) out->index[i] = contraction->index[i].name;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_tensor *tensor = &contraction->tensor[t];
        out->operand[t] = (struct tcplan_block_operand){tensor->name, tensor->rank, out->dims[t],
                                                        tensor->conjugated};
        for (int d = 0; d < tensor->rank; d++) out->dims[t][d] = tensor->dims[d];
    }
}

enum tcplan_status tcplan_block_product_parse(struct tcplan_block_product **out,
                                              const struct tcplan_contraction *contraction,
                                              const struct tcplan_block_text *text,
                                              enum tcplan_dtype dtype, const char **wrong,
                                              struct tcplan_error *error) {
    struct tcplan_contraction *own = NULL;
    struct contraction_formula formula;
    struct reading *reading = base_alloc_zero(1, sizeof *reading);
    char *notation = tcplan_contraction_text(contraction);
    enum tcplan_status status = reading && notation ? TCPLAN_OK : error_no_memory(error);
    if (wrong) *wrong = NULL;
    formula_of(&formula, contraction);
    if (reading)
        *reading = (struct reading){.formula = &formula.formula, .text = text, .error = error};
    if (status == TCPLAN_OK) status = read_all(reading, wrong);
    if (status == TCPLAN_OK)
        status = tcplan_contraction_parse(&own, notation, contraction->order, error);
    if (status == TCPLAN_OK) {
        own->alpha = contraction->alpha;
        own->beta = contraction->beta;
        status = structure_make(out, own, reading->index, reading->list, dtype, error);
    }
    free(notation);
    reading_free(reading);
    return status;
}

/* Several tensors. */

/** The tensors of a formula as structures with labels, which are the numbers of its indices. */
struct labelled {
    struct tcplan_block_tensor tensor[MOST_OPERANDS];
    int64_t label[MOST_OPERANDS][TCPLAN_MAX_RANK];
    int sections[MOST_OPERANDS][TCPLAN_MAX_RANK];
    int64_t *extent[MOST_OPERANDS];
};

/** Describes tensor `t` of the formula that was read. */
static bool label_tensor(struct labelled *out, const struct reading *reading, int t) {
    const struct tcplan_block_operand *operand = &reading->formula->operand[t];
    size_t extents = 0;
    for (int d = 0; d < operand->rank; d++)
        extents += (size_t)reading->index[operand->dims[d]].count;
    int64_t *at = out->extent[t] = base_alloc((extents + 1) * sizeof *at);
    if (!at) return false;
    for (int d = 0; d < operand->rank; d++) {
        const struct block_sections *index = &reading->index[operand->dims[d]];
        out->label[t][d] = operand->dims[d];
        out->sections[t][d] = index->count;
        memcpy(at, index->extent, (size_t)index->count * sizeof *at);
        at += index->count;
    }
    out->tensor[t] = (struct tcplan_block_tensor){.rank = operand->rank,
                                                  .label = out->label[t],
                                                  .sections = out->sections[t],
                                                  .extent = out->extent[t],
                                                  .blocks = reading->list[t].count,
                                                  .coordinate = reading->list[t].at,
                                                  .conjugated = operand->conjugated};
    return true;
}

/** Rejects formulas that the parser could not read back: too many tensors or indices, or names that
 * occur twice. */
static enum tcplan_status check_formula(const struct tcplan_block_formula *formula,
                                        struct tcplan_error *error) {
    if (formula->count < 3 || formula->count > MOST_OPERANDS)
        return error_set(error, TCPLAN_INVALID,
                         "expected a product of 2 to %d block-sparse tensors, found %d",
                         TCPLAN_BLOCK_TENSORS, formula->count - 1);
    if (formula->index_count > TCPLAN_MAX_INDICES)
        return error_set(error, TCPLAN_INVALID, "expected at most %d indices, found %d",
                         TCPLAN_MAX_INDICES, formula->index_count);
    for (int t = 0; t < formula->count; t++) {
        const struct tcplan_block_operand *operand = &formula->operand[t];
        if (operand->rank > TCPLAN_MAX_RANK)
            return error_set(error, TCPLAN_INVALID,
                             "expected at most %d dimensions of %.40s, found %d", TCPLAN_MAX_RANK,
                             operand->name, operand->rank);
        for (int u = 0; u < t; u++)
            if (strcmp(formula->operand[u].name, operand->name) == 0)
                return error_set(error, TCPLAN_INVALID,
                                 "%.40s occurs twice; expected a name of its own for each "
                                 "block-sparse tensor",
                                 operand->name);
    }
    return TCPLAN_OK;
}

enum tcplan_status tcplan_block_expression_parse(struct tcplan_block_expression **out,
                                                 struct tcplan_planner *planner,
                                                 const struct tcplan_block_formula *formula,
                                                 const struct tcplan_block_text *text,
                                                 enum tcplan_dtype dtype, const char **wrong,
                                                 struct tcplan_error *error) {
    if (wrong) *wrong = NULL;
    enum tcplan_status status = check_formula(formula, error);
    if (status != TCPLAN_OK) return status;
    struct reading *reading = base_alloc_zero(1, sizeof *reading);
    struct labelled *labelled = base_alloc_zero(1, sizeof *labelled);
    if (!reading || !labelled) status = error_no_memory(error);
    if (reading) *reading = (struct reading){.formula = formula, .text = text, .error = error};
    if (status == TCPLAN_OK) status = read_all(reading, wrong);
    for (int t = 0; t < formula->count && status == TCPLAN_OK; t++)
        if (!label_tensor(labelled, reading, t)) status = error_no_memory(error);
    if (status == TCPLAN_OK)
        status =
            block_expression_make(out, planner, labelled->tensor, formula->count - 1,
                                  &labelled->tensor[formula->count - 1], formula, dtype, error);
    for (int t = 0; labelled && t < MOST_OPERANDS; t++) base_free(labelled->extent[t]);
    base_free(labelled);
    reading_free(reading);
    return status;
}
