/**
 * Stored plans for tests, in a store's folder or in a single file. Functions store plans and find
 * them again. Any failure fails the test.
 */
#ifndef SUPPORT_STORED_PLANS_H
#define SUPPORT_STORED_PLANS_H

#include "support/random_contraction.h"
#include "tcplan/stored_plans.h"

enum { NOW = 1700000000, DAY = 86400, NORMAL = 2, THOROUGH = 3, QUICK = 1 };

/* Where plans are stored; most tests run for both places. */

enum place { IN_FOLDER, IN_FILE, PLACES };

extern char places_folder[64], places_file[64];

/** Set-up and tear-down of a group of tests: create and remove the folder of both places. The
 * set-up of each test empties the folder. */
int places_make(void **state);
int places_remove(void **state);
int places_clear(void **state);

/** Returns the store in the folder, for an imaginary machine, opened at time `now`. */
struct tcplan_store places_store(int64_t now);

/** Opens a place at a given time; place_open() does so at NOW. To be closed with
 * tcplan_stored_plans_close(). */
struct tcplan_stored_plans *place_open_at(enum place place, int64_t now);
struct tcplan_stored_plans *place_open(enum place place);

/** Returns how many usable plans a place contains. */
size_t place_count(enum place place);

/** Uses the plan with this number at time `now`, in a child process. */
void place_use_plan(enum place place, int number, int64_t now);

/** Returns whether a place has the plan with a number. */
bool place_has_plan(enum place place, int number);

/** Removes the chosen plans from a place; returns their number. */
size_t place_forget_plans(enum place place, int64_t now, const struct tcplan_plan_choice *choice);

/** Returns the path of the only plan in the folder. */
void places_only_path(char out[256]);

/* Plans. */

extern const struct tcplan_plan_setup one_thread;

/** A problem and one of its algorithms. */
struct subject {
    struct random_contraction given;
    struct tcplan_found_plan plan;
};

/**
 * Makes a problem and one of its algorithms.
 *
 * @param strides  NULL: dense tensors
 */
void subject_init(struct subject *out, const char *text, const char *sizes, const char *strides,
                  const char *algorithm);

/** Makes a problem `C_abc=A_ai*B_ibc` whose extents depend on a number. */
void subject_numbered(struct subject *out, int number);

void subject_free(struct subject *subject);

/** Store and find the plan of a subject; with `anew`, as a new process does: without plans in
 * memory. */
enum tcplan_status subject_keep(struct tcplan_stored_plans *plans, const struct subject *subject);
enum tcplan_status subject_find(struct tcplan_stored_plans *plans, const struct subject *subject);
enum tcplan_status subject_keep_anew(enum place place, const struct subject *subject);
enum tcplan_status subject_find_anew(enum place place, const struct subject *subject);

/** Returns the contents of a file; empty if it does not exist. */
char *file_read(const char *path, size_t *length);
void file_write(const char *path, const char *text, size_t length);
void assert_file_holds(const char *path, const char *text, size_t length);

/** Returns the entries of plans 1 to `count` as one text; each was last used a second after the
 * previous one. If `count` is above 1, they are also stored in the folder. */
char *plan_entries(int count);

/** Returns the entry of plan 1 with `from` replaced by `to`, and a correct checksum. */
char *plan_entry_changed(const char *from, const char *to);

#endif
