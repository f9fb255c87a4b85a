#include <stdio.h>
#include <string.h>

#include "routines/blocked/algorithms/families.h"

const char sylvester_matrices[] = "A(m,m).upper B(n,n).upper +C(m,n)";

/**
 * Algorithms that divide C into panels of rows or columns. Each panel is solved by the unblocked
 * routine or by another algorithm of this kind. Algorithms with number 1 update a panel right
 * before it is solved (lazy); those with number 2 update all later panels after each solution
 * (eager). A is traversed upward and B downward: C is solved from its lower left corner.
 */
static const struct panel {
    const char *name, *other[2], *steps;
} panels[] = {
    {"trsyl_m1", {"trsyl_n1", "trsyl_n2"}, "for m up: C1 := C1 - A12 C2; C1 := trsyl(A11, B, C1)"},
    {"trsyl_m2", {"trsyl_n1", "trsyl_n2"}, "for m up: C1 := trsyl(A11, B, C1); C0 := C0 - A01 C1"},
    {"trsyl_n1",
     {"trsyl_m1", "trsyl_m2"},
     "for n down: C1 := C1 - C0 B01; C1 := trsyl(A, B11, C1)"},
    {"trsyl_n2",
     {"trsyl_m1", "trsyl_m2"},
     "for n down: C1 := trsyl(A, B11, C1); C2 := C2 - C1 B12"},
};

/** Recursive algorithms, which halve the rows or the columns of C. */
static const struct {
    const char *name, *steps;
} recursive[SYLVESTER_RECURSIVE] = {
    {"rm", "halve m: C2 := again(A22, B, C2); C1 := C1 - A12 C2; C1 := again(A11, B, C1); "
           "else: C := trsyl(A, B, C)"},
    {"rn", "halve n: C1 := again(A, B11, C1); C2 := C2 - C1 B12; C2 := again(A, B22, C2); "
           "else: C := trsyl(A, B, C)"},
};

static const char unblocked[] = "trsyl(";

enum { BEHIND = sizeof "trsyl_" - 1 };

/**
 * Algorithms along the diagonal of C's blocks. a(ij:x,y) is Cij := Cij - Ax Cy, b(ij:x,y) is Cij
 * := Cij - Cx By, s(ij) solves with Aii and Bjj. The algorithms differ in the invariants for the
 * upper left and the lower right part of C, each of which is untouched, updated or solved: 1 to 9
 * are these nine pairs. In 10 to 14 the upper right part is updated as well.
 */
static const char *const diagonals[SYLVESTER_DIAGONAL] = {
    "a(10:12,20) s(10) b(21:20,01) s(21) a(11:12,21) b(11:10,01) s(11)",
    "s(10) a(00:01,10) b(21:20,01) s(21) a(11:12,21) b(11:10,01) s(11) a(01:01,11) a(01:02,21)",
    "b(21:20,01) s(21) a(11:12,21) b(11:10,01) s(11) a(01:01,11) a(01:02,21) b(01:00,01) s(01)",
    "a(10:12,20) s(10) s(21) a(11:12,21) b(11:10,01) s(11) b(12:10,02) b(12:11,12) b(22:21,12)",
    "a(10:12,20) s(10) a(11:12,21) b(11:10,01) s(11) a(12:12,22) b(12:10,02) b(12:11,12) s(12)",
    "s(10) a(00:01,10) s(21) a(11:12,21) b(11:10,01) s(11) a(01:01,11) a(01:02,21) b(12:10,02) b(12:11,12) b(22:21,12)",
    "s(21) a(11:12,21) b(11:10,01) s(11) a(01:01,11) a(01:02,21) b(01:00,01) s(01) b(12:10,02) b(12:11,12) b(22:21,12)",
    "s(10) a(00:01,10) a(11:12,21) b(11:10,01) s(11) a(01:01,11) a(01:02,21) a(12:12,22) b(12:10,02) b(12:11,12) s(12)",
    "a(11:12,21) b(11:10,01) s(11) a(01:01,11) a(01:02,21) b(01:00,01) s(01) a(12:12,22) b(12:10,02) b(12:11,12) s(12)",
    "s(21) a(11:12,21) s(11) a(01:01,11) a(01:02,21) s(01) b(02:01,12) b(12:11,12) b(22:21,12)",
    "s(10) a(00:01,10) b(11:10,01) s(11) a(01:01,11) b(12:10,02) b(12:11,12) s(12) a(02:01,12)",
    "a(11:12,21) s(11) a(01:01,11) a(01:02,21) s(01) b(02:01,12) a(12:12,22) b(12:11,12) s(12)",
    "b(11:10,01) s(11) a(01:01,11) b(01:00,01) s(01) b(12:10,02) b(12:11,12) s(12) a(02:01,12)",
    "s(11) a(01:01,11) s(01) b(12:11,12) s(12) a(02:01,12) b(02:01,12)",
};

const char *sylvester_panel(const char *name, size_t length) {
    for (size_t p = 0; p < sizeof panels / sizeof *panels; p++) {
        if (strlen(panels[p].name) == length && strncmp(panels[p].name, name, length) == 0)
            return panels[p].steps;
    }
    return NULL;
}

/**
 * Returns the statement that solves panel `place`, 0 or 1, of an algorithm along the diagonal.
 * Panels of a block column (C21 and C01) are solved by an algorithm by rows, those of a block row
 * (C10 and C12) by one by columns. The last two bits of the algorithm's number select the two
 * algorithms.
 */
static const char *solver_of(int algorithm, int place, bool is_column) {
    const bool second = algorithm & (place == 0 ? 2 : 1);
    return is_column ? (second ? "trsyl_m2" : "trsyl_m1") : (second ? "trsyl_n2" : "trsyl_n1");
}

/** Returns the position of the next panel solution in a row of the table `diagonals`; NULL: there
 * is none. The solution of the diagonal block does not count. */
static const char *next_panel(const char *at) {
    at = strstr(at, "s(");
    return at && strncmp(at, "s(11)", 5) == 0 ? strstr(at + 2, "s(") : at;
}

void sylvester_name(char out[TCPLAN_BLOCKED_NAME], int algorithm) {
    if (algorithm < SYLVESTER_LAYERED) {
        const struct panel *outer = &panels[algorithm / 2];
        snprintf(out, TCPLAN_BLOCKED_NAME, "%s%s", outer->name + BEHIND,
                 outer->other[algorithm % 2] + BEHIND);
        return;
    }
    algorithm -= SYLVESTER_LAYERED;
    if (algorithm >= 4 * SYLVESTER_DIAGONAL) {
        snprintf(out, TCPLAN_BLOCKED_NAME, "%s",
                 recursive[algorithm - 4 * SYLVESTER_DIAGONAL].name);
        return;
    }
    const char *first = next_panel(diagonals[algorithm / 4]), *second = next_panel(first + 2);
    snprintf(out, TCPLAN_BLOCKED_NAME, "%d%s%s", algorithm / 4 + 1,
             solver_of(algorithm, 0, first[3] == '1') + BEHIND,
             solver_of(algorithm, 1, second[3] == '1') + BEHIND);
}

/** Adds the statement of a term in a row of `diagonals`. `term` points after the term's letter and
 * parenthesis, `solver` to the solver of the panel if the term is a solution. */
static int print_term(char *out, size_t size, char letter, const char *term, const char *solver) {
    const char i = term[0], j = term[1];
    if (letter == 's')
        return snprintf(out, size, "C%c%c := %s(A%c%c, B%c%c, C%c%c); ", i, j, solver, i, i, j, j,
                        i, j);
    const char *x = term + 3, *y = term + 6;
    return snprintf(out, size,
                    letter == 'a' ? "C%c%c := C%c%c - A%.2s C%.2s; "
                                  : "C%c%c := C%c%c - C%.2s B%.2s; ",
                    i, j, i, j, x, y);
}

void sylvester_steps(char out[FAMILY_STEPS], int algorithm) {
    if (algorithm < SYLVESTER_LAYERED) {
        const struct panel *outer = &panels[algorithm / 2];
        const int before = (int)(strstr(outer->steps, unblocked) - outer->steps);
        snprintf(out, FAMILY_STEPS, "%.*s%s%s", before, outer->steps, outer->other[algorithm % 2],
                 strchr(outer->steps + before, '('));
        return;
    }
    algorithm -= SYLVESTER_LAYERED;
    if (algorithm >= 4 * SYLVESTER_DIAGONAL) {
        snprintf(out, FAMILY_STEPS, "%s", recursive[algorithm - 4 * SYLVESTER_DIAGONAL].steps);
        return;
    }
    size_t length = (size_t)snprintf(out, FAMILY_STEPS, "for m up, n down: ");
    int place = 0;
    for (const char *at = diagonals[algorithm / 4]; *at && length < FAMILY_STEPS;
         at += strspn(at, " ")) {
        const bool is_panel = at[0] == 's' && strncmp(at, "s(11)", 5) != 0;
        const char *solver = is_panel ? solver_of(algorithm, place++, at[3] == '1') : "trsyl";
        length += (size_t)print_term(out + length, FAMILY_STEPS - length, at[0], at + 2, solver);
        at += strcspn(at, " ");
    }
}
