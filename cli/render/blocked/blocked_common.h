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

/** Defines fields of an extrapolated prediction; the share is column `place` of CSV. */
#define EXTRAPOLATED(F, T, place, prediction)                                                      \
    F(T, extrapolated_calls, INTEGER,                                                              \
      field_if((prediction)->extrapolated > 0, field_integer((prediction)->extrapolated)),         \
      "calls outside the domains of all models, with `--extrapolate`")                             \
    F(T, extrapolated_share, NUMBER,                                                               \
      field_if((prediction)->extrapolated > 0, field_number((prediction)->extrapolated_share)),    \
      "share of the median time that is extrapolated", CSV(place))                                 \
    F(T, low_seconds, NUMBER,                                                                      \
      field_if((prediction)->extrapolated > 0, field_number((prediction)->low_seconds)),           \
      "lower end of the interval of an extrapolated median")                                       \
    F(T, high_seconds, NUMBER,                                                                     \
      field_if((prediction)->extrapolated > 0, field_number((prediction)->high_seconds)),          \
      "upper end of the interval of an extrapolated median")

/** Summary of the extrapolated predictions of a result. Zero-initialise before use. */
struct extrapolated {
    struct tcplan_blocked_sizes first, last; /**< smallest and largest extrapolated sizes */
    const struct tcplan_blocked *blocked;    /**< NULL: nothing is extrapolated */
    double share;                            /**< largest share of a time that is extrapolated */
    double low, high; /**< ends of the widest interval, relative to the median */
};

/** Adds a prediction to a summary if it is extrapolated. */
void extrapolated_add(struct extrapolated *sum, const struct tcplan_blocked *blocked,
                      const struct tcplan_blocked_sizes *sizes,
                      const struct tcplan_blocked_prediction *prediction);

/** Prints a sentence with the sizes that are extrapolated; nothing if there are none. */
void extrapolated_print(FILE *file, const struct extrapolated *sum);

/** Returns the median performance in GFLOP/s; blocked_efficiency() returns it as a share of the
 * peak, which may be 0. */
double blocked_gflops(const double seconds[TCPLAN_MODEL_STATISTICS], double flops);
struct field_value blocked_share(double gflops, double peak_gflops);

#endif
