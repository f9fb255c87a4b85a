/** Fields that several results of `tcplan blocked` have. */
#ifndef CLI_RENDER_BLOCKED_BLOCKED_COMMON_H
#define CLI_RENDER_BLOCKED_BLOCKED_COMMON_H

#include "cli/render/blocked/blocked.h"
#include "cli/render/fields.h"

/** Fields of struct blocked_head; columns 1 to 5 of CSV. */
extern const struct field blocked_head_fields[];

/** Prints the lines `operation` and `models` of the text format. */
void blocked_head_print(FILE *file, const struct blocked_head *head);

/** An algorithm with sizes and a block size. */
struct blocked_at {
    const struct tcplan_blocked *blocked;
    const struct tcplan_blocked_sizes *sizes;
};

#define BLOCKED_AT(of, at) ((struct blocked_at){(of), (at)})

/** Fields of struct blocked_at: m, n and block, columns 7 to 9 of CSV. */
extern const struct field blocked_at_fields[];

/** Returns the sizes as text: `n=500`, or `m=500,n=400`. */
struct field_value blocked_sizes(const struct tcplan_blocked *blocked,
                                 const struct tcplan_blocked_sizes *sizes);
void blocked_sizes_print(FILE *file, const struct tcplan_blocked *blocked,
                         const struct tcplan_blocked_sizes *sizes, const char *separator);

/** Five statistics of a time, indexed by enum tcplan_model_statistic, and their fields. */
struct statistics {
    double of[TCPLAN_MODEL_STATISTICS];
};
extern const struct field statistics_fields[];

struct statistics statistics_of(const double value[TCPLAN_MODEL_STATISTICS], double factor);

/** Defines fields: an object with five statistics. */
#define STATISTICS(F, T, key, condition, values, factor, says)                                     \
    F(T, key, OBJECT, const struct statistics statistics = statistics_of(values, factor);          \
      if (condition) FIELD_VISIT(&statistics), says, .fields = statistics_fields)

/** Defines five CSV columns with the statistics of a time, beginning at position `place`. */
#define STATISTICS_CSV(F, T, place, condition, seconds)                                            \
    F(T, minimum_seconds, NUMBER,                                                                  \
      field_if(condition, field_number((seconds)[TCPLAN_MODEL_MINIMUM])), "smallest time",         \
      CSV(place), .hidden = true)                                                                  \
    F(T, median_seconds, NUMBER,                                                                   \
      field_if(condition, field_number((seconds)[TCPLAN_MODEL_MEDIAN])), "median time",            \
      CSV((place) + 1), .hidden = true)                                                            \
    F(T, maximum_seconds, NUMBER,                                                                  \
      field_if(condition, field_number((seconds)[TCPLAN_MODEL_MAXIMUM])), "largest time",          \
      CSV((place) + 2), .hidden = true)                                                            \
    F(T, mean_seconds, NUMBER, field_if(condition, field_number((seconds)[TCPLAN_MODEL_MEAN])),    \
      "mean time", CSV((place) + 3), .hidden = true)                                               \
    F(T, deviation_seconds, NUMBER,                                                                \
      field_if(condition, field_number((seconds)[TCPLAN_MODEL_DEVIATION])),                        \
      "standard deviation of the times", CSV((place) + 4), .hidden = true)

/** Returns the median performance in GFLOP/s; blocked_efficiency() returns it as a share of the
 * peak, which may be 0. */
double blocked_gflops(const double seconds[TCPLAN_MODEL_STATISTICS], double flops);
struct field_value blocked_share(double gflops, double peak_gflops);

#endif
