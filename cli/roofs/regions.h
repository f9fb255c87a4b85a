/**
 * Programs and their regions under the roofs of this machine: run now, or measured by others.
 */
#ifndef CLI_ROOFS_REGIONS_H
#define CLI_ROOFS_REGIONS_H

#include "cli/request.h"
#include "cli/roofs/ceilings.h"
#include "tcplan/run.h"

struct listed_region {
    const struct tcplan_region *region;
    struct tcplan_point point; /**< where it is placed */
    bool is_placed;
};

/** Zero-initialise before use. */
struct region_list {
    const struct request *request;
    const struct tcplan_roofline *roofline; /**< NULL: nothing is to be placed */
    struct tcplan_run *run;                 /**< NULL: nothing was run */
    struct tcplan_regions *read;            /**< of the file; NULL: none */
    int threads;                            /**< of the roofs */
    size_t count;
    struct listed_region *region; /**< of the run, then of the file */
};

/** Whether the options ask for regions: --run or --points. */
bool regions_are_asked(const struct options *options);

/**
 * Reads the file of --points, runs the command of --run, and takes what --flops and --bytes give.
 *
 * @return EXIT_DONE, also where the command failed; another status after a message. regions_free()
 *         is needed in either case
 */
enum exit_status regions_make(struct region_list *out, const struct request *request);

/** Whether any of them has a place under roofs. */
bool regions_have_places(const struct region_list *list);

/**
 * The ceilings that placing them needs: of their types, and with one thread, or one a core where
 * any of them had more.
 */
struct ceilings_needed regions_need(const struct region_list *list);

/** Places them; EXIT_REFUSED after a message where the ceilings lack the bandwidth of --bandwidth.
 */
enum exit_status regions_place(struct region_list *list, const struct tcplan_roofline *roofline);

/** EXIT_DONE, or EXIT_REFUSED after a message where the command failed, crashed or was ended. */
enum exit_status regions_verdict(const struct region_list *list);

void regions_free(struct region_list *list);

#endif
