/**
 * Programs and their regions under the roofs of this machine. They are run now, or other tools
 * measured them.
 */
#ifndef CLI_ROOFS_REGIONS_H
#define CLI_ROOFS_REGIONS_H

#include "cli/options/options.h"
#include "cli/request.h"
#include "cli/roofs/ceilings.h"
#include "tcplan/regions.h"
#include "tcplan/run.h"

struct listed_region {
    const struct tcplan_region *region;
    struct tcplan_point point; /**< place of the region under the roofs */
    bool is_placed;
};

/** Zero-initialise before use. */
struct region_list {
    const struct request *request;
    const struct tcplan_roofline *roofline; /**< ceilings for the points; NULL: points are not
                                               listed */
    struct tcplan_run *run;                 /**< the run of the program; NULL: --run is not given */
    struct tcplan_regions *read;            /**< regions of the file; NULL: no file is given */
    int threads;                            /**< number of threads of the ceilings */
    size_t count;
    struct listed_region *region; /**< regions of the program, then those of the file */
};

/** Returns whether --run or --points is given. */
bool regions_are_asked(const struct options *options);

/**
 * Reads the file of --points, runs the command of --run, and applies --flops and --bytes.
 *
 * @return EXIT_DONE, even if the command failed; another status after a message. The caller must
 *         call regions_free() in either case
 */
enum exit_status regions_make(struct region_list *out, const struct request *request);

/** Returns whether some region can be placed under the roofs. */
bool regions_have_places(const struct region_list *list);

/**
 * Returns which ceilings the regions need: those of their element types, for one thread, or for one
 * thread per core if a region had several threads.
 */
struct ceilings_needed regions_need(const struct region_list *list);

/** Places all regions; EXIT_REFUSED after a message if the ceilings lack the bandwidth of
 * --bandwidth. */
enum exit_status regions_place(struct region_list *list, const struct tcplan_roofline *roofline);

/** Returns EXIT_DONE, or EXIT_REFUSED after a message if the program failed or was killed. */
enum exit_status regions_verdict(const struct region_list *list);

void regions_free(struct region_list *list);

#endif
