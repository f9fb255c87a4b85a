/**
 * Regions of programs: measurements of work W, traffic Q and time T, the origin of each number,
 * and their places under the roofs of a machine.
 *
 * Regions come from files of other tools (tcplan_regions_read()) and from runs of programs
 * (tcplan/run.h). Values that were not measured are unknown: they are negative, and a sentence
 * gives the reason.
 */
#ifndef TCPLAN_REGIONS_H
#define TCPLAN_REGIONS_H

#include "tcplan/points.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TCPLAN_REGION_NAME = 128, TCPLAN_REGION_WIDTHS = 5, TCPLAN_REGIONS_MOST = 4096 };

/** Meaning of a region's bytes. */
enum tcplan_bytes_source {
    TCPLAN_BYTES_UNKNOWN,
    TCPLAN_BYTES_CONTROLLERS, /**< bytes read and written by the memory controllers, including the
                                 traffic of other programs */
    TCPLAN_BYTES_MISSES, /**< lines that the last cache missed: without write-backs; prefetches may
                            or may not be included */
    TCPLAN_BYTES_GIVEN,  /**< the user gave the bytes */
    TCPLAN_BYTES_COMPULSORY /**< the bytes are computed under the assumption that each operand is
                               read and written once */
};

/** Returns `unknown`, `memory controllers`, `misses of the last cache`, `given` or `compulsory`. */
TCPLAN_API const char *tcplan_bytes_source_name(enum tcplan_bytes_source source);

/** A region, or a whole program. Unknown values are negative. */
struct tcplan_region {
    char name[TCPLAN_REGION_NAME];
    int threads;   /**< number of threads that entered the region; 0: unknown */
    int64_t calls; /**< how often threads entered the region; 0: unknown */
    int unended;   /**< number of threads still inside at the end: their work since their last begin
                      is not counted */
    double seconds;         /**< time with at least one thread inside */
    double flops;           /**< operations of all threads */
    double bytes;           /**< bytes moved between memory and the last cache, read and written */
    double written_bytes;   /**< written part of `bytes` */
    double canonical_flops; /**< operations as written in the program's source, where a division
                               counts once; `flops` are those that the processor executed */
    double efficiency;      /**< share of a roof, as stated in the file */
    double gflops;          /**< flops / seconds in 1e9 operations per second, if both are known */
    double intensity;       /**< flop/byte: the operations of all threads over their bytes */
    int dtype;              /**< enum tcplan_dtype of most of its operations; negative: not known */
    enum tcplan_origin flops_origin; /**< measured (counted), given, or analytic */
    enum tcplan_bytes_source bytes_source;
    double counted_share; /**< share of the time during which the least used of the region's
                             counters was counting; below 1, counts are scaled up */
    double width_flops[TCPLAN_REGION_WIDTHS]; /**< operations by instructions of 64, 128, 256 and
                                                 512 bits; last: operations of unknown width */
};

/** Regions from one source. To be freed with tcplan_regions_free(). */
struct tcplan_regions {
    char source[TCPLAN_REGION_NAME];        /**< `likwid-perfctr`, `CSV`, or the source of counts:
                                               `perf_event`, `recorded`, `none` */
    char why_no_flops[TCPLAN_MESSAGE_SIZE]; /**< why operations are unknown; empty: they are known,
                                               or no reason was given */
    char why_no_bytes[TCPLAN_MESSAGE_SIZE];
    char why_no_misses[TCPLAN_MESSAGE_SIZE];
    int lost_ends; /**< number of calls of tcplan_region_end() without a begin */
    char lost_name[TCPLAN_REGION_NAME]; /**< name of the first region with such a call */
    int lost_regions; /**< number of regions beyond TCPLAN_REGIONS_MOST, which are omitted */
    size_t count;
    struct tcplan_region *region;
};

/**
 * Reads a file with regions measured by another tool.
 *
 * - The CSV of likwid-perfctr (`-O`), with or without its marker API, with one group or several.
 * Text that the program printed before it is ignored. The operations and bytes of a region are
 * sums over its hardware threads; its time is that of the slowest. Its intensity is therefore the
 * sum of operations over the sum of bytes, unlike LIKWID's own column. Groups of one region are
 * combined, because one may contain the operations and another the bytes.
 * - Any CSV with a heading: `name` and either `flops`, `bytes`, `seconds`, or `intensity`,
 * `gflops`, or `efficiency`; optionally `canonical_flops`, `written_bytes`, `threads`, `calls` and
 * `dtype` (s, d). Lines that are empty or begin with # are ignored; a text may be in double quotes.
 * - The CSV of `tcplan roofline --run` and `--points`, where unknown values are empty.
 *
 * @param out  receives the regions, in the order of the file
 * @return TCPLAN_OK; TCPLAN_INVALID, with line and column, if the file has neither form;
 *     TCPLAN_ENVIRONMENT if it cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_regions_read(struct tcplan_regions **out, const char *path,
                                                  struct tcplan_error *error);

/** Reads regions from `length` bytes of text, as tcplan_regions_read() does; messages contain
 * `name`. */
TCPLAN_API enum tcplan_status tcplan_regions_parse(struct tcplan_regions **out, const char *name,
                                                   const char *text, size_t length,
                                                   struct tcplan_error *error);

/** Frees regions; NULL is fine. */
TCPLAN_API void tcplan_regions_free(struct tcplan_regions *regions);

/** Selects the roofs. */
struct tcplan_region_roofs {
    const struct tcplan_roofline *roofline;
    enum tcplan_dtype dtype; /**< type of regions whose own type is unknown */
    int threads;
    bool fused; /**< whether additions and multiplications are fused, as in struct
                   tcplan_point_subject */
    enum tcplan_direction direction; /**< direction of the bytes that are counted */
    const char *compute;   /**< name of the compute ceiling, such as `divide`; NULL: `fma` or
                              `mul_add`, by `fused` */
    bool theoretical;      /**< whether the analytic limit of the compute ceiling, if known, is used
                              instead of its measured rate */
    const char *bandwidth; /**< the kernel whose bandwidth is the roof; NULL: the kernel with the
                              most similar share of writes, or `load` if that of the region is
                              unknown */
};

/** Returns whether a region can be placed in the roofline model: whether its operations, time and
 * bytes in a direction are known. */
TCPLAN_API bool tcplan_region_has_place(const struct tcplan_region *region,
                                        enum tcplan_direction direction);

/** Replaces the executed operations of a region by the canonical ones, if known: both its speed and
 * its intensity change (Yang et al., section III-A). Returns whether they are known. */
TCPLAN_API bool tcplan_region_use_canonical(struct tcplan_region *region);

/**
 * Places a region in the roofline model, with the roof of the memory's bandwidth in cache lines
 * moved; for one direction, that of the fastest loads or stores. A pure function; both intensities
 * of the point are the region's in that direction.
 *
 * @return a point; `roof` is 0 if a ceiling is missing
 */
TCPLAN_API struct tcplan_point tcplan_region_place(const struct tcplan_region *region,
                                                   const struct tcplan_region_roofs *roofs);

#ifdef __cplusplus
}
#endif

#endif
