/**
 * Stored plans for tests: the two places where they can be (a store's folder and a file), below a
 * folder of the test, and functions that store and find plans there. Any failure fails the test.
 */
#ifndef SUPPORT_KEPT_PLANS_H
#define SUPPORT_KEPT_PLANS_H

#include "support/random_contraction.h"
#include "tcplan/stored_plans.h"

enum { NOW = 1700000000, DAY = 86400, NORMAL = 2, THOROUGH = 3, QUICK = 1 };

/* The places. The same tests run for both. */

enum place { IN_FOLDER, IN_FILE, PLACES };

extern char places_folder[64], places_file[64];

/** Set-up and tear-down of a group of tests, which create and remove the folder with both places;
 * and the set-up of each test, which empties it. */
int places_make(void **state);
int places_remove(void **state);
int places_clear(void **state);

/** Returns the store in the folder, for a machine that does not exist, at a given time. */
struct tcplan_store places_store(int64_t now);

/** Opens a place at a given time, or at NOW; to be closed with tcplan_stored_plans_close(). */
struct tcplan_stored_plans *place_open_at(enum place place, int64_t now);
struct tcplan_stored_plans *place_open(enum place place);

/** Returns how many usable plans a place has. */
size_t place_count(enum place place);

/** Uses the plan with a number at a given time, in a child process. */
void place_use_plan(enum place place, int number, int64_t now);

/** Returns whether a place has the plan with a number. */
bool place_has_plan(enum place place, int number);

/** Forgets plans; returns how many. */
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

/** Makes a problem and an algorithm.
 *
 * @param strides  NULL: dense */
void subject_init(struct subject *out, const char *text, const char *sizes, const char *strides,
                  const char *algorithm);

/** Makes a problem `C_abc=A_ai*B_ibc` whose extents depend on a number. */
void subject_numbered(struct subject *out, int number);

void subject_free(struct subject *subject);

/** Store and find a subject's plan; `anew`: in a process without plans in memory. */
enum tcplan_status subject_keep(struct tcplan_stored_plans *plans, const struct subject *subject);
enum tcplan_status subject_find(struct tcplan_stored_plans *plans, const struct subject *subject);
enum tcplan_status subject_keep_anew(enum place place, const struct subject *subject);
enum tcplan_status subject_find_anew(enum place place, const struct subject *subject);

/* Files and texts. Returned texts are to be freed with free(). */

/** Returns the contents of a file; empty if it does not exist. */
char *file_read(const char *path, size_t *length);
void file_write(const char *path, const char *text, size_t length);
void assert_file_holds(const char *path, const char *text, size_t length);

/** Returns the entries of plans 1 to `count` as one text, each last used a second after the
 * previous one. If there are several, they are also stored in the folder. */
char *plan_entries(int count);

/** Returns an entry of plan 1 with a part of its text replaced, and a matching checksum. */
char *plan_entry_changed(const char *from, const char *to);

#endif
