/**
 * Machine files: the data about a machine that plans for it need, so that another machine can make
 * these plans. A file is a sequence of entries of a store (store/entry.h) with the same
 * fingerprint. The first holds the machine's topology as hwloc's XML; ceilings, costs,
 * observations and models follow if they are stored.
 */
#ifndef TCPLAN_MACHINE_FILE_H
#define TCPLAN_MACHINE_FILE_H

#include "tcplan/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Zero-initialise before use. */
struct tcplan_machine_file {
    struct tcplan_machine machine; /**< the machine, not live, with the ceilings below */
    struct tcplan_fingerprint fingerprint;
    struct tcplan_roofline *ceilings;     /**< ceilings; NULL: none */
    struct tcplan_experience *experience; /**< costs and observations */
    struct tcplan_models *models;         /**< models; NULL: none */
};

/**
 * Writes a machine file with the description of this machine and the data about it in a store.
 *
 * @param out receives the text, to be freed with free()
 * @param store the store of this machine; without a folder, the text has the topology only
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if the topology or the folder cannot be read;
 *     TCPLAN_NO_MEMORY. Damaged, outdated and foreign entries are omitted
 */
TCPLAN_API enum tcplan_status tcplan_machine_export(char **out, const struct tcplan_store *store,
                                                    struct tcplan_error *error);

/** Returns whether a file begins like one that tcplan_machine_export() wrote, or its name ends in
 * `.tcplan`. */
TCPLAN_API bool tcplan_machine_is_exported(const char *path);

/**
 * Reads a machine file.
 *
 * @param out  receives the data, to be freed with tcplan_machine_file_free(); untouched on failure
 * @return TCPLAN_OK; TCPLAN_INVALID if the file is damaged, has entries of another version, of
 *         other kinds or of several machines, or no topology; TCPLAN_ENVIRONMENT if it cannot be
 *         read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_machine_import(struct tcplan_machine_file *out,
                                                    const char *path, struct tcplan_error *error);

/**
 * Names the data for estimates that a machine file lacks, such as `no ceilings for 2 threads
 * (speeds are nominal), no kernel times`; an empty text if nothing is missing.
 *
 * @param threads number of threads of the plans to be estimated
 */
TCPLAN_API void tcplan_machine_unknown(char out[TCPLAN_MESSAGE_SIZE],
                                       const struct tcplan_machine_file *file, int threads);

TCPLAN_API void tcplan_machine_file_free(struct tcplan_machine_file *file);

#ifdef __cplusplus
}
#endif

#endif
