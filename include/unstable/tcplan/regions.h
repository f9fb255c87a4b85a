/**
 * Measurements of programs and their regions: work W, traffic Q and time T, and where each number
 * is from; and where that stands under the roofs of a machine.
 *
 * Regions come from files that others wrote (tcplan_regions_read()) and from the runs of programs
 * (tcplan/run.h). Nothing that was not measured is called measured: unknown values are negative,
 * and a sentence gives the reason.
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
    TCPLAN_BYTES_CONTROLLERS, /**< read and written by the memory controllers, including the traffic
                                 of other programs */
    TCPLAN_BYTES_MISSES, /**< lines that the last cache missed: without write-backs; prefetches may
                            or may not be included */
    TCPLAN_BYTES_GIVEN,  /**< given by the user */
    TCPLAN_BYTES_COMPULSORY /**< computed: each operand is read and written once */
};

/** `unknown`, `memory controllers`, `misses of the last cache`, `given` or `compulsory`. */
TCPLAN_API const char *tcplan_bytes_source_name(enum tcplan_bytes_source source);

/** A region, or a whole program. Unknown values are negative. */
struct tcplan_region {
    char name[TCPLAN_REGION_NAME];
    int threads;    /**< number of threads that entered it; 0: unknown */
    int64_t calls;  /**< how often a thread entered it; 0: not known */
    int unended;    /**< threads still inside at the end: their work since the last begin is not
                       counted */
    double seconds; /**< time with at least one thread inside */
    double flops;   /**< of all threads */
    double bytes;   /**< moved between memory and the last cache, read and written */
    double written_bytes; /**< of them */
    double gflops;        /**< 1e9 operations a second: flops / seconds where both are known */
    double intensity;     /**< flop/byte: the sum of all operations over the sum of all bytes */
    int dtype;            /**< enum tcplan_dtype of most of its operations; negative: not known */
    enum tcplan_origin flops_origin; /**< measured (counted), given or analytic */
    enum tcplan_bytes_source bytes_source;
    double counted_share; /**< of the time that the rarest of its counters was counting; below 1
                             counts are scaled up */
    double width_flops[TCPLAN_REGION_WIDTHS]; /**< of the operations those by instructions of 64,
                                                 128, 256 and 512 bits; last: not distinguished */
};

/** To be freed with tcplan_regions_free(). */
struct tcplan_regions {
    char source[TCPLAN_REGION_NAME];        /**< `likwid-perfctr`, `CSV`, or the source of counts:
                                               `perf_event`, `recorded`, `none` */
    char why_no_flops[TCPLAN_MESSAGE_SIZE]; /**< empty: nothing is missing, or it needs no
                                               explanation */
    char why_no_bytes[TCPLAN_MESSAGE_SIZE];
    char why_no_misses[TCPLAN_MESSAGE_SIZE];
    int lost_ends;                      /**< ends of regions that had no begin */
    char lost_name[TCPLAN_REGION_NAME]; /**< name of the first of them */
    int lost_regions;                   /**< regions beyond the maximum, which are left out */
    size_t count;
    struct tcplan_region *region;
};

/**
 * Reads a file of regions that others measured.
 *
 * - The CSV of likwid-perfctr (`-O`), with or without its marker API, one group or several,
 *   whatever the program printed in front of it. The operations and bytes of a region are sums over
 *   its hardware threads, its time that of the slowest: the intensity of several sockets is the sum
 *   of operations over the sum of bytes, which LIKWID's own column is not. Groups of one region are
 *   put together: operations of one, bytes of another.
 * - Any CSV with a heading: `name` and either `flops`, `bytes`, `seconds` or `intensity`, `gflops`;
 *   further `written_bytes`, `threads`, `calls` and `dtype` (s, d). Lines that are empty or begin
 *   with # are left out; a text may be in double quotes.
 *
 * @param out  receives the regions, in the order of the file
 * @return TCPLAN_OK; TCPLAN_INVALID, with line and column, if it is neither; TCPLAN_ENVIRONMENT if
 *         it cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_regions_read(struct tcplan_regions **out, const char *path,
                                                  struct tcplan_error *error);

/** The same from `length` bytes of text; `name` is for messages. */
TCPLAN_API enum tcplan_status tcplan_regions_parse(struct tcplan_regions **out, const char *name,
                                                   const char *text, size_t length,
                                                   struct tcplan_error *error);

/** Frees regions; NULL is fine. */
TCPLAN_API void tcplan_regions_free(struct tcplan_regions *regions);

/** Selects the roofs. */
struct tcplan_region_roofs {
    const struct tcplan_roofline *roofline;
    enum tcplan_dtype dtype; /**< where the region's is unknown */
    int threads;
    bool fused;            /**< as in struct tcplan_point_subject */
    const char *bandwidth; /**< the kernel whose bandwidth is the roof; NULL: the one that writes as
                              large a share, `load` where the share is unknown */
};

/** Returns whether a region has what a point needs: operations, a time and bytes. */
TCPLAN_API bool tcplan_region_has_place(const struct tcplan_region *region);

/**
 * Places a region against the memory's bandwidth, in lines moved. A pure function; both intensities
 * of the point are the region's.
 *
 * @return a point; `roof` is 0 if a ceiling is missing
 */
TCPLAN_API struct tcplan_point tcplan_region_place(const struct tcplan_region *region,
                                                   const struct tcplan_region_roofs *roofs);

#ifdef __cplusplus
}
#endif

#endif
