/**
 * A made-up machine for the decision (plan/decision/select.h): no clock is read, no algorithm runs.
 * Seconds, weather and load are scripted, and each simulation keeps its own book of who was
 * sampled.
 */
#ifndef TEST_SIMULATION_H
#define TEST_SIMULATION_H

#include "base/random.h"
#include "plan/decision/select.h"

/** Arms of a simulation at most, and worlds that a test makes where one could be chance. */
enum { MOST_ARMS = 24, SEEDS = 200 };

/** Properties of a world's samples other than the arms' times. */
enum weather { STEADY, OUTLIERS, SWINGS, DRIFT, LANDSLIDE, COLD_AT_FIRST };

/** How references next to the samples reflect SWINGS. */
enum references { NO_REFERENCES, TRUE_REFERENCES, IDLE_REFERENCES };

/** A machine that is made up. */
struct simulation {
    enum weather weather;
    struct random random;
    double noise; /**< standard deviation of a sample, as a share */
    double truth[MOST_ARMS];
    int preference[MOST_ARMS]; /**< the lower the better to live with */
    bool fails[MOST_ARMS];     /**< cannot be sampled */
    bool disturbs[MOST_ARMS];  /**< every other sample meets other load and takes twice the time */
    bool all_disturbed;
    bool slow; /**< SWINGS: the state */
    enum references references;
    double effective;           /**< SWINGS: how much of the state samples feel, as a power */
    double now;                 /**< seconds that samples took so far */
    double limit;               /**< 0: none */
    double longest;             /**< sample */
    enum tcplan_status failure; /**< of the sample number `fails_at` */
    int fails_at;
    int samples;
    int taken[MOST_ARMS];
};

/** A simulation of which only the times of its arms are missing. */
struct simulation simulation_of(enum weather weather, uint64_t seed, double noise);

/** About normal: mean 0, variance 1. */
double simulation_normal(struct simulation *simulation);

struct select_means simulation_means(struct simulation *simulation);

struct select_rules default_rules(void);

/** Arms of a simulation; what is known before is off by half at most, and says so. */
void arms_of(struct select_arm *arm, struct simulation *simulation, size_t count);

/** Four arms, as looks had them. */
void arms_evaluated(struct select_arm arm[4], const double seconds[4]);

/** Compares and picks; fails the test where that fails. */
struct select decide(struct simulation *simulation, const struct select_rules *rules,
                     struct select_arm *arm, size_t count);

double smallest_time(const struct select_arm *arm);

/** Somebody was compared with the pick, which has the least samples. */
void assert_compared(const struct select *select, const struct select_arm *arm);

#endif
