#include "store/model_fields.h"

#include <limits.h>

#include "models/words.h"

#define FIELD(label, kind, member)                                                                 \
    .name = (label), .type = FIELD_##kind, .offset = offsetof(struct tcplan_model, member)
#define TEXT(label, member)                                                                        \
    FIELD(label, TEXT, member), .size = sizeof((struct tcplan_model *)NULL)->member
#define NUMBER(label, member) FIELD(label, INT, member), .lowest = 0, .highest = INT_MAX
#define LARGE(label, member) FIELD(label, INT64, member), .lowest = 0, .highest = INT64_MAX
#define WORD(label, member, words) FIELD(label, WORD, member), .word = (words)
#define REAL(label, member) FIELD(label, REAL, member)

const struct field model_fields[] = {
    {TEXT("case", case_text)},
    {TEXT("provider", setup.provider)},
    {TEXT("version", setup.version)},
    {NUMBER("threads", setup.threads)},
    {WORD("placement", setup.placement, model_placements)},
    {NUMBER("overfitting", config.overfitting)},
    {NUMBER("oversampling", config.oversampling)},
    {WORD("grid", config.grid, model_grids)},
    {NUMBER("repetitions", config.repetitions)},
    {WORD("reference", config.reference, model_statistics)},
    {WORD("measure", config.measure, model_measures)},
    {REAL("bound", config.bound)},
    {LARGE("min_width", config.min_width)},
    {LARGE("multiple", config.multiple)},
    {NUMBER("most_pieces", config.most_pieces)},
    {LARGE("made", made)},
    {REAL("seconds", seconds)},
    {REAL("good_reference_seconds", good_reference_seconds)},
    {NUMBER("points", points)},
    {FIELD("complete", FLAG, complete)},
    {0},
};

#define SIZE(i)                                                                                    \
    {                                                                                              \
        {TEXT("name", size_name[i])}, {NUMBER("degree", degree[i])},                               \
            {LARGE("low", domain.low[i])}, {LARGE("high", domain.high[i])}, {                      \
            0                                                                                      \
        }                                                                                          \
    }

const struct field model_size_fields[TCPLAN_MODEL_SIZES][MODEL_SIZE_FIELDS + 1] = {
    SIZE(0), SIZE(1), SIZE(2), SIZE(3)};

const struct field model_check_fields[] = {
    {NUMBER("points", check.points)},
    {REAL("mean", check.mean)},
    {REAL("median", check.median)},
    {REAL("p90", check.p90)},
    {REAL("maximum", check.maximum)},
    {LARGE("made", check.made)},
    {0},
};
