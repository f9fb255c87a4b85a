/**
 * Compares the same programs on several platforms: their efficiencies under the roofs of each
 * platform, and their performance portability (Yang et al., section II).
 */
#ifndef CLI_ROOFS_PROGRAMS_H
#define CLI_ROOFS_PROGRAMS_H

#include "cli/diagnostics.h"
#include "cli/options/options.h"
#include "tcplan/regions.h"

/** The compute ceiling that --ceiling selects. */
enum program_ceiling {
    CEILING_FMA,
    CEILING_MUL_ADD,
    CEILING_DIVIDE,
    CEILING_THEORETICAL,        /**< the analytic limit of `fma` */
    CEILING_THEORETICAL_MUL_ADD /**< the analytic limit of `mul_add` */
};

/** A program on one platform. */
struct program_place {
    const struct tcplan_region *region; /**< measurement of the program; NULL: it did not run on
                                           this platform */
    struct tcplan_point point; /**< the point; valid if there are ceilings and the roof is above 0
                                */
    double efficiency;         /**< performance as a share of the roof; 0: unknown */
};

struct program {
    const char *name;
    struct program_place *at; /**< points of the program, one for each platform */
    double portability;       /**< harmonic mean of the efficiencies; 0 if one of them is unknown */
    bool above_roof; /**< whether an efficiency exceeds 1, because the operations and the ceiling do
                        not match */
};

/** Zero-initialise before use. */
struct programs {
    const struct options *options;
    int platform_count;             /**< number of files on the command line; each is a platform */
    struct tcplan_regions **read;   /**< regions of each platform */
    struct tcplan_roofline **roofs; /**< ceilings of each platform; NULL: the platform's file has
                                       the efficiencies */
    size_t count;
    struct program *program; /**< programs, in the order in which the files name them first */
};

/** Returns whether the first file is a CSV, which means that its name ends in `.csv`. */
bool programs_are_asked(const struct options *options);

/**
 * Reads the files of the command line and --ceilings, and compares programs of equal names.
 *
 * @return EXIT_DONE, or another status after a message; call programs_free() in either case
 */
enum exit_status programs_make(struct programs *out, const struct options *options);

void programs_free(struct programs *programs);

#endif
