#include "plan/learn/between.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/checksum.h"
#include "microbench/timing/quantile.h"
#include "store/experience.h"
#include "tcplan/canonical.h"

#define LEVEL 0.95

/* Seconds: an earlier time that is more recent than this says nothing about differences between
 * processes, as conditions were the same. */
enum { MINUTE = 60 };

/* Differences are limited to this many standard deviations, so that one outlier does not make all
 * intervals useless (winsorizing; P. J. Huber, Robust estimation of a location parameter, 1964). */
#define MOST_DEVIATIONS 3.0

static double deviation_of(const struct tcplan_experience *experience) {
    double squares = BETWEEN_PRIOR * BETWEEN_PRIOR;
    double count = 1;
    for (int w = 0; experience && w < experience->winner_count; w++) {
        squares += experience->winner[w].squares;
        count += experience->winner[w].count;
    }
    return sqrt(squares / count);
}

double between_half_width(const struct tcplan_experience *experience) {
    return quantile_normal(LEVEL) * deviation_of(experience);
}

/**
 * Returns a number that identifies an algorithm, its problem and the settings; -1 if out of
 * memory.
 */
static int64_t number_of(const struct ranker *ranker, const struct tcplan_algorithm *algorithm) {
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    const struct tcplan_rank_options *options = &ranker->options;
    const int64_t setting[] = {problem->dtype, options->threads, options->cache,
                               options->alignment_bytes};
    char *text = tcplan_problem_canonical(problem);
    char *name = tcplan_algorithm_name(algorithm, problem->contraction, problem->dtype);
    int64_t number = -1;
    if (text && name) {
        number = (int64_t)checksum_add(
            checksum_add(checksum_add(0, text, strlen(text)), name, strlen(name)), setting,
            sizeof setting);
    }
    free(text);
    free(name);
    return number;
}

/**
 * Sets the squared difference of the logarithms of two times, minus the errors of their samples,
 * for which predictions account separately. It is not halved: the difference between a prediction
 * and a later run contains the deviations of two processes.
 */
static void set_difference(struct winner *now, const struct winner *before, double usual) {
    assert(now->seconds > 0 && before->seconds > 0 && usual > 0);
    const double difference =
        fmin(fabs(log(now->seconds / before->seconds)), MOST_DEVIATIONS * usual);
    const double errors = now->error * now->error + before->error * before->error;
    now->count = 1;
    now->squares = fmax(difference * difference - errors, 0);
}

void between_learn(const struct ranker *ranker, const struct tcplan_entry *winner, double error) {
    struct tcplan_experience *experience = ranker->options.experience;
    if (!experience) return;
    struct winner now = {.made = time(NULL),
                         .of = number_of(ranker, &winner->algorithm),
                         .seconds = winner->prediction.seconds,
                         .error = error};
    const struct winner *before = experience_winner(experience, now.of);
    if (now.of < 0 || (before && before->made > now.made - MINUTE && before->made <= now.made))
        return;
    if (before) set_difference(&now, before, deviation_of(experience));
    experience_add(experience, &store_kind_winners, &now, 1);
}
