#include "tcplan/study/words.h"

#include <string.h>

#include "tcplan/explain.h"
#include "tcplan/library.h"
#include "tcplan/tuning.h"

const struct tcplan_word tcplan_words_library_formats[] = {
    {"any", TCPLAN_LIBRARY_ANY},       {"xml", TCPLAN_LIBRARY_XML},   {"list", TCPLAN_LIBRARY_LIST},
    {"einsum", TCPLAN_LIBRARY_EINSUM}, {"tccg", TCPLAN_LIBRARY_TCCG}, {0}};
const struct tcplan_word tcplan_words_predictors[] = {{"window", TCPLAN_PREDICT_WINDOW},
                                                      {"thesis", TCPLAN_PREDICT_THESIS},
                                                      {"repeated", TCPLAN_PREDICT_REPEATED},
                                                      {0}};
const struct tcplan_word tcplan_words_stages[] = {
    {"repeated", TCPLAN_STAGE_REPEATED}, {"access", TCPLAN_STAGE_ACCESS},
    {"prefetch", TCPLAN_STAGE_PREFETCH}, {"failure", TCPLAN_STAGE_FAILURE},
    {"first", TCPLAN_STAGE_FIRST},       {0}};
const struct tcplan_word tcplan_words_parts[] = {{"loop", TCPLAN_NODE_LOOP},
                                                 {"copy", TCPLAN_NODE_COPY},
                                                 {"scaling", TCPLAN_NODE_SCALE},
                                                 {"kernel", TCPLAN_NODE_KERNEL},
                                                 {0}};
const struct tcplan_word tcplan_words_classes[] = {
    {"steady", TCPLAN_CLASS_STEADY},
    {"prefetch failure", TCPLAN_CLASS_PREFETCH_FAILURE},
    {"first iterations", TCPLAN_CLASS_FIRST},
    {0}};
const struct tcplan_word tcplan_words_time_parts[] = {{"call overhead", TCPLAN_PART_OVERHEAD},
                                                      {"kernel itself", TCPLAN_PART_KERNEL},
                                                      {"copies and scalings", TCPLAN_PART_COPIES},
                                                      {"waiting and loops", TCPLAN_PART_WAITING},
                                                      {0}};
const struct tcplan_word tcplan_words_reasons[] = {{"faster", TCPLAN_REASON_FASTER},
                                                   {"tie", TCPLAN_REASON_TIE},
                                                   {"calls", TCPLAN_REASON_CALLS},
                                                   {"part", TCPLAN_REASON_PART},
                                                   {"lines", TCPLAN_REASON_LINES},
                                                   {"ahead", TCPLAN_REASON_AHEAD},
                                                   {0}};
const struct tcplan_word tcplan_words_cache_states[] = {
    {"warm", TCPLAN_CACHE_WARM}, {"cold", TCPLAN_CACHE_COLD}, {0}};
const struct tcplan_word tcplan_words_spaces[] = {
    {"blas", TCPLAN_SPACE_BLAS}, {"full", TCPLAN_SPACE_FULL}, {0}};
const struct tcplan_word tcplan_words_dtypes[] = {{"s", TCPLAN_FLOAT},
                                                  {"d", TCPLAN_DOUBLE},
                                                  {"c", TCPLAN_FLOAT_COMPLEX},
                                                  {"z", TCPLAN_DOUBLE_COMPLEX},
                                                  {"float32", TCPLAN_FLOAT},
                                                  {"float64", TCPLAN_DOUBLE},
                                                  {"complex64", TCPLAN_FLOAT_COMPLEX},
                                                  {"complex128", TCPLAN_DOUBLE_COMPLEX},
                                                  {"float", TCPLAN_FLOAT},
                                                  {"double", TCPLAN_DOUBLE},
                                                  {0}};
const struct tcplan_word tcplan_words_orders[] = {
    {"column-major", TCPLAN_COLUMN_MAJOR}, {"row-major", TCPLAN_ROW_MAJOR}, {0}};
const struct tcplan_word tcplan_words_entry_statuses[] = {
    {"predicted", TCPLAN_ENTRY_PREDICTED}, {"pruned", TCPLAN_ENTRY_PRUNED},
    {"measured", TCPLAN_ENTRY_MEASURED},   {"not applicable", TCPLAN_ENTRY_NOT_APPLICABLE},
    {"open", TCPLAN_ENTRY_OPEN},           {0}};

const struct tcplan_word tcplan_words_efforts[] = {{"estimate", TCPLAN_EFFORT_ESTIMATE},
                                                   {"quick", TCPLAN_EFFORT_QUICK},
                                                   {"normal", TCPLAN_EFFORT_NORMAL},
                                                   {"thorough", TCPLAN_EFFORT_THOROUGH},
                                                   {0}};
const struct tcplan_word tcplan_words_preferences[] = {
    {"simple", TCPLAN_PREFER_SIMPLE},
    {"speed", TCPLAN_PREFER_SPEED},
    {"ease", TCPLAN_PREFER_SIMPLE} /* deprecated name of `simple` */,
    {0}};
const struct tcplan_word tcplan_words_bases[] = {{"probes", TCPLAN_BASIS_PROBE},
                                                 {"windows", TCPLAN_BASIS_WINDOWS},
                                                 {"long windows", TCPLAN_BASIS_LONG},
                                                 {"runs", TCPLAN_BASIS_RUNS},
                                                 {"estimate", TCPLAN_BASIS_ESTIMATE},
                                                 {"", TCPLAN_BASIS_OTHER},
                                                 {0}};
const struct tcplan_word tcplan_words_planning_stages[] = {
    {"setup", TCPLAN_PLANNING_SETUP},
    {"pages", TCPLAN_PLANNING_PAGES},
    {"orders", TCPLAN_PLANNING_ORDERS},
    {"structures", TCPLAN_PLANNING_STRUCTURES},
    {"kernels", TCPLAN_PLANNING_KERNELS},
    {"first evaluations", TCPLAN_PLANNING_FIRST},
    {"evaluations", TCPLAN_PLANNING_EVALUATIONS},
    {"compiling", TCPLAN_PLANNING_COMPILING},
    {"comparison", TCPLAN_PLANNING_COMPARISON},
    {0}};
const struct tcplan_word tcplan_words_time_sources[] = {{"", TCPLAN_TIME_NONE},
                                                        {"timed", TCPLAN_TIME_TIMED},
                                                        {"model", TCPLAN_TIME_MODEL},
                                                        {"stored", TCPLAN_TIME_STORED},
                                                        {"beyond-model", TCPLAN_TIME_BEYOND},
                                                        {"ceilings", TCPLAN_TIME_CEILINGS},
                                                        {"nominal", TCPLAN_TIME_NOMINAL},
                                                        {"loops", TCPLAN_TIME_LOOPS},
                                                        {0}};
const struct tcplan_word tcplan_words_tuned[] = {
    {"dgemm", TCPLAN_TUNED_DGEMM}, {"triad", TCPLAN_TUNED_TRIAD}, {"sgemm", TCPLAN_TUNED_SGEMM},
    {"cgemm", TCPLAN_TUNED_CGEMM}, {"zgemm", TCPLAN_TUNED_ZGEMM}, {0}};
const struct tcplan_word tcplan_words_tune_stops[] = {
    {"CIO", TCPLAN_TUNE_PRECISE | TCPLAN_TUNE_INNER | TCPLAN_TUNE_OUTER},
    {"CI", TCPLAN_TUNE_PRECISE | TCPLAN_TUNE_INNER},
    {"CO", TCPLAN_TUNE_PRECISE | TCPLAN_TUNE_OUTER},
    {"IO", TCPLAN_TUNE_INNER | TCPLAN_TUNE_OUTER},
    {"C", TCPLAN_TUNE_PRECISE},
    {"I", TCPLAN_TUNE_INNER},
    {"O", TCPLAN_TUNE_OUTER},
    {"none", 0},
    {0}};
const struct tcplan_word tcplan_words_tune_orders[] = {{"forward", TCPLAN_TUNE_FORWARD},
                                                       {"reverse", TCPLAN_TUNE_REVERSE},
                                                       {"random", TCPLAN_TUNE_RANDOM},
                                                       {0}};
const struct tcplan_word tcplan_words_tune_intervals[] = {{"student", TCPLAN_TUNE_STUDENT},
                                                          {"normal", TCPLAN_TUNE_NORMAL},
                                                          {"median", TCPLAN_TUNE_MEDIAN},
                                                          {0}};
const struct tcplan_word tcplan_words_tune_extents[] = {
    {"quick", TCPLAN_TUNE_QUICK}, {"paper", TCPLAN_TUNE_PAPER}, {0}};

bool tcplan_word_value(const struct tcplan_word *words, const char *word, int *value) {
    for (; words->word; words++) {
        if (strcmp(words->word, word) != 0) continue;
        *value = words->value;
        return true;
    }
    return false;
}

const char *tcplan_word(const struct tcplan_word *words, int value) {
    while (words->word && words->value != value) words++;
    return words->word ? words->word : "";
}
