/**
 * Reads any bytes as arguments of `tcplan model` - words in the first line, their domain in the
 * second - and as a case and a domain in a file of models. Errors must have a message; accepted
 * input must have valid sizes and leading dimensions, and a text that reads back to the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "routines/sampler/generation/cases.h"

enum { WORDS_MAX = 8, MULTIPLE = 8 };

static void check_domain(const struct tcplan_model_domain *domain) {
    require(domain->count >= 1 && domain->count <= TCPLAN_MODEL_SIZES);
    for (int s = 0; s < domain->count; s++) {
        require(domain->low[s] >= 0 && domain->low[s] <= domain->high[s] &&
                domain->high[s] <= TCPLAN_MODEL_LARGEST);
    }
}

static void check_case(const struct generation_case *of) {
    char again[TCPLAN_MODEL_TEXT];
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    require(tcplan_model_case_read(again, of->text, NULL) == TCPLAN_OK &&
            strcmp(again, of->text) == 0);
    check_domain(&of->domain);
    const int64_t leading = case_least_leading(of);
    require(leading >= 1 && case_flops(of, of->domain.high) >= 0 &&
            case_work(of, of->domain.low) > 0);
    case_values(value, of, of->domain.low, leading);
    case_values(value, of, of->domain.high, 0);
}

static void read_cases(char *words, const char *domain) {
    struct generation_cases cases = {0};
    struct tcplan_error error = {0};
    const char *word[WORDS_MAX];
    int count = 0;
    for (char *at = strtok(words, "\t"); at && count < WORDS_MAX; at = strtok(NULL, "\t"))
        word[count++] = at;
    const enum tcplan_status status = cases_read(&cases, word, count, domain, MULTIPLE, &error);
    require(status == TCPLAN_OK || (status == TCPLAN_INVALID && error.message[0] != '\0'));
    for (int c = 0; c < cases.count && status == TCPLAN_OK; c++) check_case(&cases.of[c]);
    require(status != TCPLAN_OK || cases.count > 0);
    cases_free(&cases);
}

static void read_case(const char *text) {
    char once[TCPLAN_MODEL_TEXT], twice[TCPLAN_MODEL_TEXT];
    struct tcplan_error error = {0};
    if (tcplan_model_case_read(once, text, &error) == TCPLAN_OK) {
        require(tcplan_model_case_read(twice, once, NULL) == TCPLAN_OK && strcmp(once, twice) == 0);
    } else {
        require(error.message[0] != '\0' &&
                (error.column == 0 || error.column <= strlen(text) + 1));
    }
}

static void read_domain(const char *text) {
    char once[TCPLAN_MODEL_DOMAIN_TEXT], twice[TCPLAN_MODEL_DOMAIN_TEXT];
    struct tcplan_model_domain domain, again;
    struct tcplan_error error = {0};
    if (tcplan_model_domain_read(&domain, text, &error) == TCPLAN_OK) {
        check_domain(&domain);
        tcplan_model_domain_print(once, &domain);
        require(tcplan_model_domain_read(&again, once, NULL) == TCPLAN_OK);
        tcplan_model_domain_print(twice, &again);
        require(strcmp(once, twice) == 0);
    } else {
        require(error.message[0] != '\0' &&
                (error.column == 0 || error.column <= strlen(text) + 1));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    char *domain = strchr(text, '\n');
    if (domain) *domain++ = '\0';
    read_case(text);
    read_domain(domain ? domain : text);
    read_cases(text, domain);
    free(text);
    return 0;
}
