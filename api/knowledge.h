/**
 * Knowledge about this machine: its description, read once per process, and the data in a store.
 */
#ifndef API_KNOWLEDGE_H
#define API_KNOWLEDGE_H

#include "tcplan/machine.h"
#include "tcplan/rank.h"
#include "tcplan/store.h"

/**
 * This machine. The first call of a process finds out, which takes some 10 ms; if that fails the
 * next one tries again.
 *
 * @param out  receives a pointer that is valid as long as the process; untouched on failure
 * @return as tcplan_machine_load()
 */
enum tcplan_status knowledge_machine(const struct tcplan_machine **out, struct tcplan_error *error);

/** The fingerprint of this machine and its libraries, which stays as long as the process. As
 * knowledge_machine(). */
enum tcplan_status knowledge_fingerprint(const struct tcplan_fingerprint **out,
                                         struct tcplan_error *error);

/** The data of a store, read at its first use. For one thread at a time. Zero-initialise before
 * use.
 */
struct knowledge {
    char *folder; /**< NULL: none */
    bool is_read;
    int ceilings_threads; /**< for so many threads they were read */
    struct tcplan_store store;
    struct tcplan_machine machine; /**< this one, with ceilings */
    struct tcplan_roofline *ceilings;
    struct tcplan_models *models;
    struct tcplan_experience *experience;
};

/** Names another folder, of which nothing is read yet; NULL: none. TCPLAN_NO_MEMORY: it keeps the
 * one it has. */
enum tcplan_status knowledge_set_folder(struct knowledge *knowledge, const char *folder);

/** Sets the options of a ranking from the data. Unreadable data is treated as missing. */
enum tcplan_status knowledge_give(struct knowledge *knowledge, struct tcplan_rank_options *options,
                                  struct tcplan_error *error);

/** Keeps what a ranking has learnt; if that cannot be it is lost with the knowledge. */
void knowledge_keep(struct knowledge *knowledge);

/** Frees all of it. */
void knowledge_free(struct knowledge *knowledge);

#endif
