/**
 * What this user keeps about this machine, see tcplan/store.h: where the store is, the ceilings
 * from it or from a file, what looks taught, and models.
 *
 * The store is the folder $TCPLAN_STORE (set and empty: none), else tcplan in $XDG_CACHE_HOME, else
 * .cache/tcplan in $HOME; without a home there is none.
 */
#ifndef CLI_KEPT_H
#define CLI_KEPT_H

#include "base/output_file.h"
#include "cli/request.h"

/** Zero-initialise before use. */
struct kept {
    struct tcplan_store store;
    char *folder; /**< private */
};

/** Finds the store of this user, for a machine that is live; it may have no folder. */
enum exit_status kept_open(struct kept *out, const struct tcplan_machine *machine);

void kept_close(struct kept *kept);

/**
 * The ceilings of the machine that a request is about: from the file of --ceilings, or, for this
 * machine, from the store.
 *
 * @param out     receives the ceilings for each of these numbers of threads, to be freed with
 *                tcplan_roofline_free(); NULL where there are none
 * @param reason  receives why some that are there are not used; empty where there is no reason
 * @return EXIT_DONE; another status after a message where the file of --ceilings is refused
 */
enum exit_status kept_ceilings(struct tcplan_roofline **out, char reason[TCPLAN_MESSAGE_SIZE],
                               const struct request *request, const int thread[], int count);

/** Notes what makes ceilings that are kept doubtful: another clock, slow cores, other work, their
 * age; how they are measured again. */
void kept_tell_doubts(const struct tcplan_roofline *roofline, const struct options *options);

/**
 * What looks taught on this machine; a file that is damaged, or cannot be read, is a note.
 *
 * @param out  receives the experience, to be freed with tcplan_experience_free(); NULL where there
 *             is no store, or the machine is another one
 */
enum exit_status kept_experience(struct tcplan_experience **out, const struct request *request);

/**
 * Performance models of this machine and its libraries; a file that is damaged is a note.
 *
 * @param out  receives the models, to be freed with tcplan_models_free(); NULL where there is no
 *             store, or the machine is another one
 */
enum exit_status kept_models(struct tcplan_models **out, const struct request *request);

/**
 * Where compiled kernels of this machine are kept.
 *
 * @param out  receives the place, to be freed with kept_code_free(); NULL where there is no store,
 *             or the machine is another one
 */
enum exit_status kept_code(struct tcplan_store **out, const struct request *request);

/** NULL is fine. */
void kept_code_free(struct tcplan_store *code);

/** Keeps what the request's experience has learnt, where it has one. A store that cannot be written
 * is a note. */
enum exit_status kept_keep_experience(const struct request *request);

/** Keeps ceilings that were just measured in the store, where they are of this machine as it is. A
 * store that cannot be written is a note. */
enum exit_status kept_keep(const struct request *request, const struct tcplan_roofline *roofline);

/**
 * Measures what lines, pages and copies cost on this machine, and keeps it, where that is not kept,
 * was spoilt by other work, or is to be measured again. A store that cannot be written is a note.
 */
enum exit_status kept_calibrate(const struct request *request);

/** Writes them to the file of --ceilings, which is open, and completes it. */
enum exit_status kept_write(const struct request *request, const struct tcplan_roofline *roofline,
                            struct output_file *out);

#endif
