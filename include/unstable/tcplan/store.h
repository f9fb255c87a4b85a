/**
 * Data about a machine that is stored between processes: one folder of small files. Each holds one
 * entry, except the log of observations, whose kinds of observations are listed, shown and
 * forgotten like entries.
 *
 * An entry has a kind, a key (unique within its kind), and the fingerprint of the machine and the
 * libraries that it was made with: it is used if these are the same. Files are replaced
 * atomically, carry a checksum and the versions of their contents, and are readable text. Entries
 * that are damaged, outdated or of another version are reported and ignored; other entries remain
 * usable. Writers hold a lock while they write a file, for which others wait at most a second.
 * Only the user who creates the folder can read it.
 *
 * A store without a folder is empty and stores nothing.
 */
#ifndef TCPLAN_STORE_H
#define TCPLAN_STORE_H

#include "tcplan/blas_cores.h"
#include "tcplan/ceilings.h"
#include "tcplan/communication.h"
#include "tcplan/experience.h"
#include "tcplan/models.h"
#include "tcplan/provider.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Parts of a fingerprint, which identifies a machine and the libraries whose kernels are timed on
 * it. */
enum tcplan_fingerprint_part {
    TCPLAN_FINGERPRINT_CPU,
    TCPLAN_FINGERPRINT_CORES,
    TCPLAN_FINGERPRINT_CACHES,
    /**
     * The first library: part TCPLAN_FINGERPRINT_LIBRARIES + p is provider p, among the providers
     * that are libraries and not opened as files. Stored code names its own compiler.
     */
    TCPLAN_FINGERPRINT_LIBRARIES,
    TCPLAN_FINGERPRINT_PARTS = TCPLAN_FINGERPRINT_LIBRARIES + TCPLAN_PROVIDER_EMITTED
};

struct tcplan_fingerprint {
    char part[TCPLAN_FINGERPRINT_PARTS][TCPLAN_MACHINE_TEXT]; /**< parts by number, such as
                                                                 `OpenBLAS 0.3.21 (SkylakeX)`;
                                                                 `none` if absent */
};

/** Returns `CPU`, `cores`, `caches`, `BLAS`, `libxsmm` or `BLIS`. */
TCPLAN_API const char *tcplan_fingerprint_part_name(int part);

/** Returns the fingerprint of a machine and of the libraries in this process. */
TCPLAN_API struct tcplan_fingerprint tcplan_fingerprint_make(const struct tcplan_machine *machine);

/**
 * Describes how two fingerprints differ, such as `BLAS OpenBLAS 0.3.20 (Zen), not OpenBLAS 0.3.21
 * (SkylakeX)`.
 *
 * @param out    receives the text, truncated to its size; empty if they are equal
 * @return the number of parts that differ
 */
TCPLAN_API int tcplan_fingerprint_compare(char *out, size_t size,
                                          const struct tcplan_fingerprint *found,
                                          const struct tcplan_fingerprint *expected);

/** A store: a plain value without open files. */
struct tcplan_store {
    const char *folder; /**< name of the folder, borrowed; NULL: the store has no folder. The folder
                           is created when something is stored. */
    struct tcplan_fingerprint fingerprint;
    int64_t now; /**< present time in seconds since 1970, for tests; 0: the system's clock */
};

enum { TCPLAN_STORE_NAME = 128 };

/** An entry of a list. */
struct tcplan_store_item {
    char name[TCPLAN_STORE_NAME]; /**< name of the entry's file, without the extension */
    char kind[TCPLAN_STORE_NAME]; /**< kind of the entry; empty: unknown */
    char key[TCPLAN_STORE_NAME];
    int64_t made;              /**< time at which the entry was made, in seconds since 1970 */
    int64_t bytes;             /**< size of the file */
    enum tcplan_status status; /**< TCPLAN_OK: the entry is usable here; otherwise the reason why
                                  not */
    char reason[TCPLAN_MESSAGE_SIZE];
};

/** Zero-initialise before use. */
struct tcplan_store_list {
    size_t count;
    struct tcplan_store_item *item; /**< entries in the order of names */
};

/**
 * Lists all entries, including those of other machines.
 *
 * @param out  receives the list, to be freed with tcplan_store_list_free() whatever is returned
 * @return TCPLAN_OK, an empty list if there is no folder; TCPLAN_ENVIRONMENT if the folder cannot
 *         be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_store_list(struct tcplan_store_list *out,
                                                const struct tcplan_store *store,
                                                struct tcplan_error *error);

TCPLAN_API void tcplan_store_list_free(struct tcplan_store_list *list);

/**
 * Describes an entry in words.
 *
 * @param out   receives text of several lines, to be freed with free()
 * @param name  name of the entry, as in a list
 * @return TCPLAN_OK; TCPLAN_INVALID if there is no such entry, it is damaged or of another version;
 *         TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_store_show(char **out, const struct tcplan_store *store,
                                                const char *name, struct tcplan_error *error);

/** Selects entries to forget: those that meet every condition. */
struct tcplan_store_choice {
    const char *name;  /**< name of an entry, or a kind; NULL: any */
    double least_days; /**< selects entries made at least this many days ago; 0: any age */
    bool unusable;     /**< whether only entries that are not usable here are selected: of other
                          machines or libraries, damaged or outdated */
};

/**
 * Removes entries. Other files in the folder are not touched.
 *
 * @param count  receives the number of removed entries
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if the folder is locked or a file cannot be removed;
 *     TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_store_forget(size_t *count, const struct tcplan_store *store,
                                                  const struct tcplan_store_choice *choice,
                                                  struct tcplan_error *error);

/**
 * Reads the stored ceilings of this machine.
 *
 * @param out receives the ceilings for the given numbers of threads, as far as they are stored, to
 *                be freed with tcplan_roofline_free(); NULL if there are none. Some may be
 *                missing, see tcplan_roofline_has()
 * @param thread  `count` numbers of threads
 * @return TCPLAN_OK, also if there are none at all; TCPLAN_MISMATCH if some belong to another
 *         machine, BLAS or version, or are outdated; the message gives the reason. If only the
 *         BLAS differs, all ceilings but gemm are returned; TCPLAN_INVALID if they are damaged;
 *         TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_store_ceilings(struct tcplan_roofline **out,
                                                    const struct tcplan_store *store,
                                                    const int thread[], int count,
                                                    struct tcplan_error *error);

/**
 * Stores ceilings of this machine: one entry for each number of threads, replacing an earlier one.
 * Removes outdated entries and, oldest first, those beyond 16 MiB, except models and their
 * samples.
 *
 * @return TCPLAN_OK, also if the store has no folder; TCPLAN_ENVIRONMENT if it cannot be written or
 *         is locked; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_store_keep_ceilings(const struct tcplan_store *store,
                                                         const struct tcplan_roofline *roofline,
                                                         struct tcplan_error *error);

/**
 * Reads an experience: from a log, the observations of earlier processes on this machine with
 * these libraries; and the machine's costs of lines, pages and copies. A log that has grown too
 * large is shortened.
 *
 * @param out  receives the experience, to be freed with tcplan_experience_free(): an empty one if
 *             nothing is stored or usable; NULL if memory runs out
 * @return TCPLAN_OK, also if a few observations are damaged; TCPLAN_MISMATCH if the costs belong
 *         to another machine or version, or are outdated; TCPLAN_INVALID if the costs are damaged,
 *         or the log is not a regular file of at most a few MiB; TCPLAN_ENVIRONMENT;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_store_experience(struct tcplan_experience **out,
                                                      const struct tcplan_store *store,
                                                      struct tcplan_error *error);

/**
 * Appends to the log what an experience has observed since it was created, read or last stored.
 * Observations that cannot be written, for example because the disk is full, are appended by the
 * next call.
 *
 * @return TCPLAN_OK, also if there is nothing new or the store has no folder; TCPLAN_ENVIRONMENT
 *     if the log cannot be written or is locked; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_store_keep_experience(const struct tcplan_store *store,
                                                           struct tcplan_experience *experience,
                                                           struct tcplan_error *error);

/** Stores the cost model of the machine's lines, pages and copies, replacing an earlier one.
 * Returns a status of tcplan_store_keep_ceilings(). */
TCPLAN_API enum tcplan_status tcplan_store_keep_costs(const struct tcplan_store *store,
                                                      const struct tcplan_costs *costs,
                                                      struct tcplan_error *error);

/**
 * Reads the stored models of this machine and its present libraries: for a library in the
 * fingerprint, only those of its version.
 *
 * @param out  receives the set, sorted, to be freed with tcplan_models_free(); it may be empty;
 *             NULL if memory runs out
 * @return TCPLAN_OK; TCPLAN_MISMATCH or TCPLAN_INVALID if a file is outdated, damaged or of another
 *         version: the models of all others are read, and the message describes the first;
 *         TCPLAN_ENVIRONMENT if the folder cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_store_models(struct tcplan_models **out,
                                                  const struct tcplan_store *store,
                                                  struct tcplan_error *error);

/**
 * Stores models of this machine, each replacing one of the same case, setup and domain. Models of
 * a routine in one setup share a file. They are never removed to make room.
 *
 * @param model  `count` models, borrowed
 * @return TCPLAN_OK, also if the store has no folder; TCPLAN_ENVIRONMENT if it cannot be written or
 *         is locked; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_store_keep_models(const struct tcplan_store *store,
                                                       const struct tcplan_model *const model[],
                                                       size_t count, struct tcplan_error *error);

/**
 * Reads the stored samples of a case in a setup: those to which its models were fitted, and those
 * of an unfinished generation.
 *
 * @param out  zero-initialised; receives the samples, to be freed with tcplan_model_samples_free()
 *     whatever is returned; none if none are stored or usable
 * @return a status of tcplan_store_ceilings()
 */
TCPLAN_API enum tcplan_status tcplan_store_samples(struct tcplan_model_samples *out,
                                                   const struct tcplan_store *store,
                                                   const char *case_text,
                                                   const struct tcplan_model_setup *setup,
                                                   struct tcplan_error *error);

/** Adds samples to the stored ones; a sample replaces the stored one of its point. Returns a status
 * of tcplan_store_keep_models(). */
TCPLAN_API enum tcplan_status tcplan_store_keep_samples(const struct tcplan_store *store,
                                                        const char *case_text,
                                                        const struct tcplan_model_setup *setup,
                                                        const struct tcplan_model_samples *samples,
                                                        struct tcplan_error *error);

/**
 * Finds the trials of core types of a provider's library: those of the same file on this processor,
 * regardless of the core type that it selects now.
 *
 * @param found  receives whether there are any
 * @return a status of tcplan_store_ceilings()
 */
TCPLAN_API enum tcplan_status tcplan_store_blas_trials(bool *found, struct tcplan_blas_trials *out,
                                                       const struct tcplan_store *store,
                                                       enum tcplan_provider provider,
                                                       struct tcplan_error *error);

/** Stores trials, replacing earlier ones of the same library. Returns a status of
 * tcplan_store_keep_ceilings(). */
TCPLAN_API enum tcplan_status tcplan_store_keep_blas_trials(const struct tcplan_store *store,
                                                            const struct tcplan_blas_trials *trials,
                                                            enum tcplan_provider provider,
                                                            struct tcplan_error *error);

/**
 * Finds the model of MPI's calls of this machine, as stored by `tcplan-mpi-sample`.
 *
 * @param out  receives the model, to be freed with tcplan_communication_free(); NULL: none
 * @return a status of tcplan_store_ceilings()
 */
TCPLAN_API enum tcplan_status tcplan_store_communication(struct tcplan_communication **out,
                                                         const struct tcplan_store *store,
                                                         struct tcplan_error *error);

/** Stores a model of MPI's calls, replacing an earlier one; it is never removed to make room.
 * Returns a status of tcplan_store_keep_ceilings(). */
TCPLAN_API enum tcplan_status tcplan_store_keep_communication(
    const struct tcplan_store *store, struct tcplan_communication *communication,
    struct tcplan_error *error);

/**
 * Returns ceilings as the text of a file outside a store, named by the user; to be freed with
 * free(). NULL if memory runs out.
 */
TCPLAN_API char *tcplan_ceilings_text(const struct tcplan_roofline *roofline,
                                      const struct tcplan_fingerprint *fingerprint);

/**
 * Reads ceilings from a file outside a store, which may be from any machine.
 *
 * @param out          receives the ceilings, to be freed with tcplan_roofline_free(); their machine
 *                     has the file's name as its source
 * @param fingerprint  receives the machine and libraries that they were measured with; may be NULL
 * @return TCPLAN_OK; TCPLAN_INVALID if the file does not contain ceilings, is damaged, or is of
 *     another version; TCPLAN_ENVIRONMENT if it cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_ceilings_load(struct tcplan_roofline **out,
                                                   struct tcplan_fingerprint *fingerprint,
                                                   const char *path, struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
