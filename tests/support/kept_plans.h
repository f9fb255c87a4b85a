/**
 * For tests of stored plans: the two places where they can be, under a folder of the test's own,
 * and plans that are kept and found there. Any failure fails the test.
 */
#ifndef SUPPORT_KEPT_PLANS_H
#define SUPPORT_KEPT_PLANS_H

#include "support/random_contraction.h"
#include "tcplan/stored_plans.h"

enum { NOW = 1700000000, DAY = 86400, NORMAL = 2, THOROUGH = 3, QUICK = 1 };

/* The places. The same tests go through both. */

enum place { IN_FOLDER, IN_FILE, PLACES };

extern char places_folder[64], places_file[64];

/** Of a group of tests: makes the folder that both are in, and removes it. Before each test:
 * empties it. */
int places_make(void **state);
int places_remove(void **state);
int places_clear(void **state);

/** The store in the folder, of a machine that there is not, at a time. */
struct tcplan_store places_store(int64_t now);

/** Opened at a time, NOW without one; to be closed with tcplan_stored_plans_close(). */
struct tcplan_stored_plans *place_open_at(enum place place, int64_t now);
struct tcplan_stored_plans *place_open(enum place place);

/** How many plans in it are used. */
size_t place_count(enum place place);

/** Uses the plan of a number at a time, in a process of its own. */
void place_use_plan(enum place place, int number, int64_t now);

/** Whether it has the plan of a number. */
bool place_has_plan(enum place place, int number);

/** How many plans were forgotten. */
size_t place_forget_plans(enum place place, int64_t now, const struct tcplan_plan_choice *choice);

/** The path of the only plan in the folder. */
void places_only_path(char out[256]);

/* Plans. */

extern const struct tcplan_plan_setup one_thread;

/** A problem and one of its algorithms. */
struct subject {
    struct random_contraction given;
    struct tcplan_found_plan plan;
};

/** @param strides  NULL: dense */
void subject_init(struct subject *out, const char *text, const char *sizes, const char *strides,
                  const char *algorithm);

/** Of extents that differ by number: `C_abc=A_ai*B_ibc`. */
void subject_numbered(struct subject *out, int number);

void subject_free(struct subject *subject);

/** Keeps it, finds it; `anew` in a process that knows nothing. */
enum tcplan_status subject_keep(struct tcplan_stored_plans *plans, const struct subject *subject);
enum tcplan_status subject_find(struct tcplan_stored_plans *plans, const struct subject *subject);
enum tcplan_status subject_keep_anew(enum place place, const struct subject *subject);
enum tcplan_status subject_find_anew(enum place place, const struct subject *subject);

/* Files and texts; those that are returned are to be freed with free(). */

/** All of a file; empty if there is none. */
char *file_read(const char *path, size_t *length);
void file_write(const char *path, const char *text, size_t length);
void assert_file_holds(const char *path, const char *text, size_t length);

/** Entries of plans 1 to `count` as one text, each used a second after the one before; where there
 * are several they are put into the folder as well. */
char *plan_entries(int count);

/** An entry of plan 1 with a part of its text replaced and a checksum that fits. */
char *plan_entry_changed(const char *from, const char *to);

#endif
