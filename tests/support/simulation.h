/**
 * A simulated machine for the decision (plan/decision/select.h): no clock is read, and no
 * algorithm runs. Times, disturbances and load are scripted, and each simulation records which
 * arms were sampled.
 */
#ifndef TEST_SIMULATION_H
#define TEST_SIMULATION_H

#include "base/random.h"
#include "plan/decision/select.h"

/** Maximum number of arms of a simulation, and number of worlds in tests where a single one could
 * be due to chance. */
enum { MOST_ARMS = 24, SEEDS = 200 };

/** Disturbances of a world's samples. */
enum weather { STEADY, OUTLIERS, SWINGS, DRIFT, LANDSLIDE, COLD_AT_FIRST };

/** How references with the samples reflect SWINGS. */
enum references { NO_REFERENCES, TRUE_REFERENCES, IDLE_REFERENCES };

/** A simulated machine. */
struct simulation {
    enum weather weather;
    struct random random;
    double noise; /**< standard deviation of a sample, relative to its mean */
    double truth[MOST_ARMS];
    int preference[MOST_ARMS]; /**< preference of an arm among tied ones: the lowest is chosen */
    bool fails[MOST_ARMS];     /**< the arm cannot be sampled */
    bool disturbs[MOST_ARMS];  /**< every other sample is disturbed, and takes twice the time */
    bool all_disturbed;
    bool slow; /**< SWINGS: the core is slow now */
    enum references references;
    double effective;           /**< SWINGS: elasticity of samples */
    double now;                 /**< total time of the samples so far */
    double limit;               /**< time limit; 0: none */
    double longest;             /**< longest sample */
    enum tcplan_status failure; /**< status of sample number `fails_at` */
    int fails_at;
    int samples;
    int taken[MOST_ARMS];
};

/** Makes a simulation without the times of its arms. */
struct simulation simulation_of(enum weather weather, uint64_t seed, double noise);

/** Returns an approximately normal number with mean 0 and variance 1. */
double simulation_normal(struct simulation *simulation);

struct select_means simulation_means(struct simulation *simulation);

struct select_rules default_rules(void);

/** Initialises the arms of a simulation; their prior estimates are wrong by at most half, and their
 * errors state this. */
void arms_of(struct select_arm *arm, struct simulation *simulation, size_t count);

/** Initialises four arms with these evaluations. */
void arms_evaluated(struct select_arm arm[4], const double seconds[4]);

/** Compares and chooses; fails the test if this fails. */
struct select decide(struct simulation *simulation, const struct select_rules *rules,
                     struct select_arm *arm, size_t count);

double smallest_time(const struct select_arm *arm);

/** Checks that another arm was compared with the choice, which has the minimum number of samples.
 */
void assert_compared(const struct select *select, const struct select_arm *arm);

#endif
