/** The result of a library's entry: a finding with the names of the entry. */
#ifndef STUDY_RECORD_H
#define STUDY_RECORD_H

#include "base/arena.h"
#include "study/finding.h"
#include "tcplan/library.h"

/** Zero-initialise before use; can be used again and again. */
struct record {
    struct tcplan_result result;
    struct arena arena;
};

/** Begins a record. Borrows from the entry. */
void record_begin(struct record *record, const struct tcplan_library_entry *entry);

/**
 * Enters a finding; false if memory runs out.
 *
 * @param reused_from id of the result for which the finding was made; NULL: it was made for this
 *     entry
 */
bool record_find(struct record *record, const struct tcplan_library_entry *entry,
                 const struct finding *finding, const char *reused_from);

/** Enters the reason for a missing finding; returns false if memory runs out. */
bool record_fail(struct record *record, const char *reason);

void record_free(struct record *record);

#endif
