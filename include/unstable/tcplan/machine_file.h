/**
 * What planning for a machine needs on another one, in a file: entries of a store, one behind the
 * other (store/entry.h), all with the same fingerprint. The first has the machine's topology as
 * hwloc's XML; others follow if they are stored: ceilings, costs, observations and models.
 */
#ifndef TCPLAN_MACHINE_FILE_H
#define TCPLAN_MACHINE_FILE_H

#include "tcplan/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Zero-initialise before use. */
struct tcplan_machine_file {
    struct tcplan_machine machine; /**< not live, with the ceilings below */
    struct tcplan_fingerprint fingerprint;
    struct tcplan_roofline *ceilings;     /**< NULL: none */
    struct tcplan_experience *experience; /**< costs and observations */
    struct tcplan_models *models;         /**< NULL: none */
};

/**
 * Writes the description of this machine and what a store has of it.
 *
 * @param out    receives the text, to be freed with free()
 * @param store  of this machine; without a folder, the text has the topology only
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if the topology or the folder cannot be read;
 *         TCPLAN_NO_MEMORY. Damaged, outdated and foreign entries are omitted
 */
TCPLAN_API enum tcplan_status tcplan_machine_export(char **out, const struct tcplan_store *store,
                                                    struct tcplan_error *error);

/** Returns whether a file begins like one that tcplan_machine_export() wrote, or its name ends in
 * `.tcplan`. */
TCPLAN_API bool tcplan_machine_is_exported(const char *path);

/**
 * Reads such a file.
 *
 * @param out  receives the data, to be freed with tcplan_machine_file_free(); untouched on failure
 * @return TCPLAN_OK; TCPLAN_INVALID if the file is damaged, has entries of another version, of
 *         other kinds or of several machines, or no topology; TCPLAN_ENVIRONMENT if it cannot be
 *         read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_machine_import(struct tcplan_machine_file *out,
                                                    const char *path, struct tcplan_error *error);

/**
 * Names what a file lacks for estimates, as `no ceilings for 2 threads (speeds are nominal), no
 * kernel times`; an empty text if nothing is missing.
 *
 * @param threads  of the plans
 */
TCPLAN_API void tcplan_machine_unknown(char out[TCPLAN_MESSAGE_SIZE],
                                       const struct tcplan_machine_file *file, int threads);

TCPLAN_API void tcplan_machine_file_free(struct tcplan_machine_file *file);

#ifdef __cplusplus
}
#endif

#endif
