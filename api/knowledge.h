/**
 * Knowledge about this machine: its description, read once per process, and the data in a store.
 */
#ifndef API_KNOWLEDGE_H
#define API_KNOWLEDGE_H

#include "tcplan/machine.h"
#include "tcplan/rank.h"
#include "tcplan/store.h"

/**
 * Describes this machine. The first call in a process takes about 10 ms, later calls return the
 * same description. After a failure, the next call tries again.
 *
 * @param out  receives a pointer that is valid until the process ends; untouched on failure
 * @return a status of tcplan_machine_load()
 */
enum tcplan_status knowledge_machine(const struct tcplan_machine **out, struct tcplan_error *error);

/** Finds the fingerprint of this machine and its libraries, valid until the process ends. Status as
 * knowledge_machine(). */
enum tcplan_status knowledge_fingerprint(const struct tcplan_fingerprint **out,
                                         struct tcplan_error *error);

/** The data of a store, read at its first use. For one thread at a time. Zero-initialise before
 * use.
 */
struct knowledge {
    char *folder; /**< name of the store's folder; NULL: none */
    bool is_read;
    int ceilings_threads; /**< number of threads for which `ceilings` were read */
    struct tcplan_store store;
    struct tcplan_machine machine; /**< this machine, with `ceilings` */
    struct tcplan_roofline *ceilings;
    struct tcplan_models *models;
    struct tcplan_experience *experience;
};

/** Sets the folder and drops the data read so far; NULL: no folder. On TCPLAN_NO_MEMORY, the old
 * folder remains. */
enum tcplan_status knowledge_set_folder(struct knowledge *knowledge, const char *folder);

/** Sets options of a ranking from the data of the store. Unreadable data is treated as missing. */
enum tcplan_status knowledge_give(struct knowledge *knowledge, struct tcplan_rank_options *options,
                                  struct tcplan_error *error);

/** Writes new evaluations to the store. If that fails, they exist only as long as `knowledge`. */
void knowledge_keep(struct knowledge *knowledge);

/** Frees the data and the folder's name. */
void knowledge_free(struct knowledge *knowledge);

#endif
