/**
 * The samples of a generation, in memory and in a file, so that an interrupted generation can
 * resume and other configurations can reuse the samples.
 *
 *   tcplan samples 1
 *   setup cpu=... cores=... caches=... library=OpenBLAS%200.3.21 threads=1 placement=warm
 *   case name=dtrsm%20side%3dL... leading=5000
 *   sample case=1 first=24 second=4152 seconds=... before=... after=... apart=... at=...
 *
 * If an event was counted instead of time, the setup has its name (`counter=`), and `seconds` is
 * the count divided by 1e9. Each line ends with ` sum=1a2b3c4d`, the checksum of the text before
 * it. Lines are only ever appended; the last one is dropped if it was cut, as happens to a process
 * that is killed. Samples of another machine or library are refused.
 */
#ifndef SAMPLER_GENERATION_SAMPLES_H
#define SAMPLER_GENERATION_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "routines/sampler/generation/good_state.h"
#include "tcplan/machine.h"
#include "tcplan/models.h"

enum { SAMPLES_SIZES = TCPLAN_MODEL_SIZES, SAMPLES_MOST_BYTES = 1 << 30 };

/** The setup of samples; all samples of a file have the same. */
struct samples_setup {
    char cpu[TCPLAN_MACHINE_TEXT];
    char cores[TCPLAN_MACHINE_TEXT];
    char caches[TCPLAN_MACHINE_TEXT];
    char library[TCPLAN_MACHINE_TEXT]; /**< the provider with its version */
    int threads;
    char binding[TCPLAN_MODEL_BINDING];  /**< cores and memory; may be empty */
    char placement[TCPLAN_MACHINE_TEXT]; /**< `warm`, `cold` or `streaming` */
    char counter[TCPLAN_MODEL_NAME];     /**< the counted event; empty: time was measured */
};

/** A case at some sizes with all its samples, oldest first. */
struct samples_point {
    int case_number; /**< number of the case, see samples_case() */
    int64_t size[SAMPLES_SIZES];
    int count;
    int capacity;
    struct timed_sample *sample;
};

struct samples;

/**
 * Opens or creates a file, and reads its samples.
 *
 * @param path   name of the file; NULL: samples are in memory only
 * @param fresh  drops the content of the file
 * @return TCPLAN_OK; TCPLAN_INVALID if it is not a file of samples, or is damaged, with the line;
 *         TCPLAN_MISMATCH if it has another setup; TCPLAN_BUSY if another process has it open;
 *         TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
enum tcplan_status samples_open(struct samples **out, const char *path,
                                const struct samples_setup *setup, bool fresh,
                                struct tcplan_error *error);

/**
 * Reads the text of a file with any setup into memory.
 *
 * @param setup  receives the setup
 * @param whole  receives the number of bytes in whole lines
 * @return a status of samples_open(); `out` is NULL unless TCPLAN_OK is returned
 */
enum tcplan_status samples_parse(struct samples **out, struct samples_setup *setup, size_t *whole,
                                 const char *text, size_t length, struct tcplan_error *error);

/** A case, with the leading dimension and large increment that it is measured with, in elements. */
struct samples_case {
    char name[TCPLAN_MODEL_TEXT];
    int64_t leading;
};

/**
 * Returns the number of a case, from 0. A case that is new is added, to the file as well.
 *
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if the file cannot be written; TCPLAN_NO_MEMORY
 */
enum tcplan_status samples_case(int *out, struct samples *samples,
                                const struct samples_case *wanted, struct tcplan_error *error);

/** Returns the number of the point of a case at some sizes (0 for sizes that a kernel does not
 * have); a point that is new is added. Returns a negative number if memory runs out. */
int64_t samples_find(struct samples *samples, int case_number, const int64_t size[SAMPLES_SIZES]);

/** Returns the number of the point of a case at some sizes, without adding it; negative if it has
 * no samples. */
int64_t samples_known(const struct samples *samples, const struct samples_case *wanted,
                      const int64_t size[SAMPLES_SIZES]);

/** Returns a point, valid until the next one is added. */
const struct samples_point *samples_point(const struct samples *samples, int64_t point);

/** Returns the total number of points and samples. */
int64_t samples_points(const struct samples *samples);
int64_t samples_count(const struct samples *samples);

/**
 * Adds a sample to a point, and to the file within a fifth of a second.
 *
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if the file cannot be written; TCPLAN_NO_MEMORY
 */
enum tcplan_status samples_take(struct samples *samples, int64_t point,
                                const struct timed_sample *sample, struct tcplan_error *error);

/** Writes new samples and syncs them to disk. Returns a status of samples_take(). */
enum tcplan_status samples_keep(struct samples *samples, struct tcplan_error *error);

/** Writes new samples and closes the file. NULL is fine. */
void samples_close(struct samples *samples);

#endif
