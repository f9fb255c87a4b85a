/**
 * A simulated machine for the decision (plan/decision/select.h): no clock is read, and no
 * algorithm runs. Times, disturbances and load are scripted, and each simulation records which
 * arms were sampled.
 */
#ifndef TEST_SIMULATION_H
#define TEST_SIMULATION_H

#include "base/random.h"
#include "plan/decision/select.h"

/** MOST_ARMS: maximum number of arms. SEEDS: number of random simulations in tests for which a
 * single one could be due to chance. */
enum { MOST_ARMS = 24, SEEDS = 200 };

/** How the samples of a simulation are disturbed. */
enum weather { STEADY, OUTLIERS, SWINGS, DRIFT, LANDSLIDE, COLD_AT_FIRST };

/** Whether samples have references, and whether these show the disturbance SWINGS. */
enum references { NO_REFERENCES, TRUE_REFERENCES, IDLE_REFERENCES };

/** A simulated machine. */
struct simulation {
    enum weather weather;
    struct random random;
    double noise; /**< standard deviation of a sample, relative to its mean */
    double truth[MOST_ARMS];
    int preference[MOST_ARMS]; /**< preference of an arm among tied ones: the lowest number wins */
    bool fails[MOST_ARMS];     /**< whether the arm cannot be sampled */
    bool disturbs[MOST_ARMS]; /**< whether every other sample is disturbed, and takes twice the time
                               */
    bool all_disturbed;
    bool slow; /**< SWINGS: whether the core is slow at present */
    enum references references;
    double effective; /**< SWINGS: elasticity of samples with respect to the core's speed */
    double now;       /**< total time of the samples so far */
    double limit;     /**< time limit; 0: none */
    double longest;   /**< longest sample */
    enum tcplan_status failure; /**< status that sample number `fails_at` returns */
    int fails_at;
    int samples;
    int taken[MOST_ARMS];
};

/** Makes a simulation; the caller sets the times of its arms. */
struct simulation simulation_of(enum weather weather, uint64_t seed, double noise);

/** Returns an approximately normal number with mean 0 and variance 1. */
double simulation_normal(struct simulation *simulation);

struct select_means simulation_means(struct simulation *simulation);

struct select_rules default_rules(void);

/** Sets up arms of a simulation. Their evaluations are wrong by up to 43 %; their
 * spread is 0.3. */
void arms_of(struct select_arm *arm, struct simulation *simulation, size_t count);

/** Sets up four arms whose evaluations took these times. */
void arms_evaluated(struct select_arm arm[4], const double seconds[4]);

/** Runs the decision on simulated arms; fails the test if the decision fails. */
struct select decide(struct simulation *simulation, const struct select_rules *rules,
                     struct select_arm *arm, size_t count);

double smallest_time(const struct select_arm *arm);

/** Checks that the chosen arm has the minimum number of samples, and was compared with another arm.
 */
void assert_compared(const struct select *select, const struct select_arm *arm);

#endif
