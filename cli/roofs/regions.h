/**
 * Programs and their regions under the roofs of this machine: run now, or measured by other tools.
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
    struct tcplan_point point; /**< its position under the roofs */
    bool is_placed;
};

/** Zero-initialise before use. */
struct region_list {
    const struct request *request;
    const struct tcplan_roofline *roofline; /**< NULL: no points */
    struct tcplan_run *run;                 /**< NULL: no --run */
    struct tcplan_regions *read;            /**< of the file; NULL: none */
    int threads;                            /**< of the roofs */
    size_t count;
    struct listed_region *region; /**< of the run, then of the file */
};

/** Whether --run or --points is given. */
bool regions_are_asked(const struct options *options);

/**
 * Reads the file of --points, runs the command of --run, and applies --flops and --bytes.
 *
 * @return EXIT_DONE, even if the command failed; another status after a message. Call
 * regions_free() in either case
 */
enum exit_status regions_make(struct region_list *out, const struct request *request);

/** Whether any region can be placed under roofs. */
bool regions_have_places(const struct region_list *list);

/**
 * The ceilings that they need: of their types, with one thread, or one per core if any region had
 * more.
 */
struct ceilings_needed regions_need(const struct region_list *list);

/** Places them; EXIT_REFUSED after a message if the ceilings lack the bandwidth of --bandwidth. */
enum exit_status regions_place(struct region_list *list, const struct tcplan_roofline *roofline);

/** Returns EXIT_DONE, or EXIT_REFUSED after a message if the command failed, crashed or was ended.
 */
enum exit_status regions_verdict(const struct region_list *list);

void regions_free(struct region_list *list);

#endif
