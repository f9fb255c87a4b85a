#include "bench/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void subject_check(const char *notation, enum tcplan_status status,
                   const struct tcplan_error *error) {
    if (status == TCPLAN_OK) return;
    fprintf(stderr, "%s: %s\n", notation, error->message);
    exit(EXIT_FAILURE);
}

struct subject subject_open(const char *notation, const char *sizes) {
    struct subject subject = {.notation = notation};
    struct tcplan_error error;
    subject_check(
        notation,
        tcplan_contraction_parse(&subject.contraction, notation, TCPLAN_COLUMN_MAJOR, &error),
        &error);
    subject_check(notation, tcplan_sizes_parse(&subject.sizes, subject.contraction, sizes, &error),
                  &error);
    return subject;
}

struct tcplan_problem subject_problem(const struct subject *subject, int64_t point) {
    struct tcplan_problem problem;
    struct tcplan_error error;
    int64_t extent[TCPLAN_MAX_INDICES];
    tcplan_sizes_point(subject->sizes, point, extent);
    subject_check(
        subject->notation,
        tcplan_problem_init(&problem, subject->contraction, extent, TCPLAN_DOUBLE, &error), &error);
    return problem;
}

void subject_close(struct subject *subject) {
    tcplan_sizes_free(subject->sizes);
    tcplan_contraction_free(subject->contraction);
}

enum tcplan_effort subject_effort(const char *name) {
    if (strcmp(name, "quick") == 0) return TCPLAN_EFFORT_QUICK;
    return strcmp(name, "thorough") == 0 ? TCPLAN_EFFORT_THOROUGH : TCPLAN_EFFORT_NORMAL;
}
