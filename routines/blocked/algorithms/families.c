/*
 * The algorithms of Peise 2017, chapter 4 (figures 1.1, 4.8, 4.13 and 4.16), and LAPACK's as in
 * LAPACK 3.5. If the source has a lower triangle only, the upper counterpart is the transposed
 * text (text.h), as in LAPACK. Recursive algorithms follow the outlook of chapter 7: their
 * statements are those of the last step of a loop over two blocks.
 */
#include "routines/blocked/algorithms/families.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */

static const struct blocked_line potrf[] = {
    {"1", "bordered", "for n down: A10 := A10 L00^-H; A11 := A11 - A10 A10^H; A11 := potf2(A11)"},
    {"2", "left-looking", "for n down: A11 := A11 - A10 A10^H; A11 := potf2(A11); A21 := A21 - A20 A10^H; A21 := A21 L11^-H"},
    {"3", "right-looking", "for n down: A11 := potf2(A11); A21 := A21 L11^-H; A22 := A22 - A21 A21^H"},
    {"r", "recursive", "halve n: A11 := again(A11); A21 := A21 L11^-H; A22 := A22 - A21 A21^H; A22 := again(A22); else: A := potf2(A)"},
};

static const struct blocked_line trtri[] = {
    {"1", "bordered", "for n down: A10 := A10 A00; A10 := -A11^-1 A10; A11 := trti2(A11)"},
    {"2", "lazy", "for n down: A21 := A22^-1 A21; A21 := -A21 A11^-1; A11 := trti2(A11)"},
    {"3", "greedy", "for n down: A21 := -A21 A11^-1; A20 := A20 + A21 A10; A10 := A11^-1 A10; A11 := trti2(A11)"},
    {"4", "unstable", "for n down: A21 := -A22^-1 A21; A20 := A20 - A21 A10; A10 := A10 A00; A11 := trti2(A11)"},
    {"5", "bordered, upward", "for n up: A21 := A22 A21; A21 := -A21 A11^-1; A11 := trti2(A11)"},
    {"6", "lazy, upward", "for n up: A10 := A10 A00^-1; A10 := -A11^-1 A10; A11 := trti2(A11)"},
    {"7", "greedy, upward", "for n up: A10 := -A11^-1 A10; A20 := A20 + A21 A10; A21 := A21 A11^-1; A11 := trti2(A11)"},
    {"8", "unstable, upward", "for n up: A10 := -A10 A00^-1; A20 := A20 - A21 A10; A21 := A22 A21; A11 := trti2(A11)"},
    {"r1", "recursive, lazy", "halve n: A21 := A22^-1 A21; A21 := -A21 A11^-1; A11 := again(A11); A22 := again(A22); else: A := trti2(A)"},
    {"r2", "recursive", "halve n: A11 := again(A11); A21 := A21 A11; A21 := -A22^-1 A21; A22 := again(A22); else: A := trti2(A)"},
    {"r3", "recursive, upward", "halve n: A22 := again(A22); A21 := A22 A21; A21 := -A21 A11^-1; A11 := again(A11); else: A := trti2(A)"},
};

static const struct blocked_line lauum[] = {
    {"1", NULL, "for n down: A10 := A11^H A10; A11 := lauu2(A11); A10 := A10 + A21^H A20; A11 := A11 + A21^H A21"},
    {"r", "recursive", "halve n: A11 := again(A11); A11 := A11 + A21^H A21; A21 := A22^H A21; A22 := again(A22); else: A := lauu2(A)"},
};

static const struct blocked_line sygst[] = {
    {"1", NULL, "for n down: A11 := sygs2(itype=1, A11, L11); A21 := A21 L11^-H; A21 := A21 - 0.5 L21 A11; A22 := A22 - A21 L21^H - L21 A21^H; "
               "A21 := A21 - 0.5 L21 A11; A21 := L22^-1 A21"},
    {"r", "recursive", "halve n: A11 := again(A11, L11); A21 := A21 L11^-H; A21 := A21 - 0.5 L21 A11; A22 := A22 - A21 L21^H - L21 A21^H; "
                       "A21 := A21 - 0.5 L21 A11; A21 := L22^-1 A21; A22 := again(A22, L22); else: A := sygs2(itype=1, A, L)"},
};

static const struct blocked_line getrf[] = {
    {"1", NULL, "for m n down together: [A11;A21] := getf2([A11;A21], p1); [A10;A20] := laswp(k1=1, [A10;A20], p1); "
               "[A12;A22] := laswp(k1=1, [A12;A22], p1); A12 := L11^-1 A12; A22 := A22 - A21 A12; p1 := shift(k=m0, p1)"},
    {"r", "recursive", "for m n down together by all: [A11;A21] := factor_columns([A11;A21], p1); A12 := laswp(k1=1, A12, p1); A12 := L11^-1 A12"},
};

#define QR_BLOCK "[A11;A21] := geqr2([A11;A21], tau1); T11 := larft(direct=F, storev=C, [A11;A21], tau1, T11) where "
#define QR_PANEL "for m n down together: " QR_BLOCK
#define QR_UPDATE "; W21 := A12^H; W21 := W21 V11; W21 := W21 + A22^H A21; W21 := W21 T11; A22 := A22 - A21 W21^H; W21 := W21 V11^H; A12 := A12 - W21^H"

static const struct blocked_line geqrf[] = {
    {"", NULL, QR_PANEL "n2" QR_UPDATE},
};

/* Q is a product of blocks of reflectors H = I - V T V^H, the first one leftmost. From the left,
 * W = C^H V; from the right, W = C V. Q C and C Q^H take the last block first. */
#define REFLECTOR "T11 := larft(direct=F, storev=C, [A11;A21], tau1, T11) where "

static const struct blocked_line ormqr_lt[] = {
    {"", NULL, "for m k down together: " REFLECTOR "m1; W1 := C1^H; W1 := W1 V11; W1 := W1 + C2^H A21; W1 := W1 T11; C2 := C2 - A21 W1^H; "
               "W1 := W1 V11^H; C1 := C1 - W1^H"},
};

static const struct blocked_line ormqr_rn[] = {
    {"", NULL, "for n k down together: " REFLECTOR "n1; W1 := C1; W1 := W1 V11; W1 := W1 + C2 A21; W1 := W1 T11; C2 := C2 - W1 A21^H; "
               "W1 := W1 V11^H; C1 := C1 - W1"},
};

static const struct blocked_line ormqr_ln[] = {
    {"", NULL, "for m k up together: " REFLECTOR "m1; W1 := C1^H; W1 := W1 V11; W1 := W1 + C2^H A21; W1 := W1 T11^H; C2 := C2 - A21 W1^H; "
               "W1 := W1 V11^H; C1 := C1 - W1^H"},
};

static const struct blocked_line ormqr_rt[] = {
    {"", NULL, "for n k up together: " REFLECTOR "n1; W1 := C1; W1 := W1 V11; W1 := W1 + C2 A21; W1 := W1 T11^H; C2 := C2 - W1 A21^H; "
               "W1 := W1 V11^H; C1 := C1 - W1"},
};

/* Least squares by QR: Q R = A and B := Q^H B in one loop, because tau and T last for one step; then
 * R X = B in the first n rows. The other rows of B are the coordinates of the residuals. */
static const struct blocked_line gels[] = {
    {"", NULL, "A := reduce(A, B, tau, T, W, Z); B := back(A, B)"},
};

/* Tridiagonal form as in LAPACK, but without its switch to an unblocked algorithm for the last rows:
 * latrd also reduces the last block. */
static const struct blocked_line sytrd_l[] = {
    {"", NULL, "for n down: [A11,A12;A21,A22] := reduce_columns([A11,A12;A21,A22], d1, [e1;e2], [tau1;tau2], [W11;W21])"},
};

static const struct blocked_line sytrd_u[] = {
    {"", NULL, "for n up: [A00,A01;A10,A11] := latrd([A00,A01;A10,A11], [e0;e1], [tau0;tau1], [W01;W11]); "
               "A00 := A00 - A01 W01^H - W01 A01^H; [A00,A01;A10,A11] := tridi([A00,A01;A10,A11], d1, [e0;e1])"},
};

/* Band form, the first of two stages to a tridiagonal form: LAPACK's sytrd_sy2sb. The block size is
 * the number of diagonals below the main one. A21 := R by QR, then A22 := Q^H A22 Q. */
static const struct blocked_line sy2sb_l[] = {
    {"", NULL, "for n down: A21 := reduce_block(A21, A22, tau1, T11, X21, W21, Z11)"},
};

/* As above with LQ: A12 := L, then A22 := Q A22 Q^H, with rows instead of columns as reflectors. */
static const struct blocked_line sy2sb_u[] = {
    {"", NULL, "for n down: A12 := reduce_rows(A12, A22, tau1, T11, X12, W12, Z11)"},
};

const struct blocked_part blocked_parts[] = {
    {"reduce_columns", "+A(n,n).hermitian.lower =d(k).real =e(n).real =tau(n) ~W(n,k)",
     "for n k down together by all: [A11,A12;A21,A22] := latrd([A11,A12;A21,A22], [e1;e2], [tau1;tau2], [W11;W21]); "
     "A22 := A22 - A21 W21^H - W21 A21^H; [A11,A12;A21,A22] := tridi([A11,A12;A21,A22], d1, [e1;e2])"},
    {"reduce_block", "+A(m,n) +S(m,m).hermitian.lower =tau(n) ~T(n,n).upper ~X(m,n) ~W(m,n) ~Z(n,n)",
     "for m n down together by all: [A11,A12;A21,A22] := factor_block([A11,A12;A21,A22], [tau1;tau2], [T11,T12;T21,T22], [Z11,Z12;Z21,Z22]); "
     "T11 := larft(direct=F, storev=C, [A11;A21], tau1, T11); [X11;X21] := unfold([A11;A21], [X11;X21]); "
     "[W11;W21] := [S11,S12;S21,S22] [X11;X21]; [W11;W21] := [W11;W21] T11; Z11 := [X11;X21]^H [W11;W21]; Z11 := T11^H Z11; "
     "[W11;W21] := [W11;W21] - 0.5 [X11;X21] Z11; "
     "[S11,S12;S21,S22] := [S11,S12;S21,S22] - [X11;X21] [W11;W21]^H - [W11;W21] [X11;X21]^H"},
    {"reduce_rows", "+A(n,m) +S(m,m).hermitian.upper =tau(n) ~T(n,n).upper ~X(n,m) ~W(n,m) ~Z(n,n)",
     "for n m down together by all: [A11,A12;A21,A22] := factor_rows([A11,A12;A21,A22], [tau1;tau2], [T11,T12;T21,T22], [Z11,Z12;Z21,Z22]); "
     "T11 := larft(direct=F, storev=R, [A11,A12], tau1, T11); [X11,X12] := unfold(storev=R, [A11,A12], [X11,X12]); "
     "[W11,W12] := [X11,X12] [S11,S12;S21,S22]; [W11,W12] := T11^H [W11,W12]; Z11 := [W11,W12] [X11,X12]^H; Z11 := Z11 T11; "
     "[W11,W12] := [W11,W12] - 0.5 Z11 [X11,X12]; "
     "[S11,S12;S21,S22] := [S11,S12;S21,S22] - [X11,X12]^H [W11,W12] - [W11,W12]^H [X11,X12]"},
    {"factor_rows", "+A(n,m) V=A.unit.upper =tau(n) ~T(n,n).upper ~W(n,n)",
     "for n m down together by 32: [A11,A12] := gelq2([A11,A12], tau1); T11 := larft(direct=F, storev=R, [A11,A12], tau1, T11) where n2; "
     "W21 := A21; W21 := W21 V11^H; W21 := W21 + A22 A12^H; W21 := W21 T11; A22 := A22 - W21 A12; W21 := W21 V11; A21 := A21 - W21"},
    {"factor_block", "+A(m,n) V=A.unit.lower =tau(n) ~T(n,n).upper ~W(n,n)", "for m n down together by 32: " QR_BLOCK "n2" QR_UPDATE},
    {"reduce", "+A(m,n) V=A.unit.lower +B(m,k) ~tau(n) ~T(n,n).upper ~W(n,n) ~Z(k,n)",
     QR_PANEL "m1" QR_UPDATE "; Z1 := B1^H; Z1 := Z1 V11; Z1 := Z1 + B2^H A21; Z1 := Z1 T11; B2 := B2 - A21 Z1^H; Z1 := Z1 V11^H; B1 := B1 - Z1^H"},
    {"factor_columns", "+A(m,n) L=A.unit.lower =p(n).int",
     "halve m n together: [A11;A21] := again([A11;A21], p1); [A12;A22] := laswp(k1=1, [A12;A22], p1); A12 := L11^-1 A12; A22 := A22 - A21 A12; "
     "A22 := again(A22, p2); A21 := laswp(k1=1, A21, p2); p2 := shift(k=n1, p2); else: A := getf2(A, p)"},
    {"back", "A(m,n) R=A.upper +B(m,k)", "for m n up together: B1 := R11^-1 B1; B0 := B0 - R01 B1"},
};

#define COUNT(table) (int)(sizeof(table) / sizeof *(table)), table
#define CHOLESKY "A = L L^H, A positive definite; if upper, U^H U", "+A(n,n).hermitian.lower L=A.lower"
#define INVERSE "A := A^-1, A triangular", "+A(n,n).lower"
#define SQUARE "A := L^H L, A = L lower triangular; if upper, U U^H", "+A(n,n).lower"
#define TRIDIAGONAL "Q^H A Q = T, A symmetric or Hermitian, T tridiagonal, with diagonal d and off-diagonal e; Q as reflectors"
#define BAND(side) "Q^H A Q = B, A symmetric or Hermitian, B with as many diagonals " side " the main one as a block has rows"
#define STANDARD "A := L^-1 A L^-H, A symmetric or Hermitian, L lower triangular; if upper, U^-H A U^-1", "+A(n,n).hermitian.lower L(n,n).lower"

const struct blocked_family blocked_families[] = {
    {"potrf_L", "potrf uplo=L", CHOLESKY, 64, "2", COUNT(potrf), false},
    {"potrf_U", "potrf uplo=U", CHOLESKY, 64, "2", COUNT(potrf), true},
    {"trtri_LN", "trtri uplo=L diag=N", INVERSE, 64, "5", COUNT(trtri), false},
    {"trtri_UN", "trtri uplo=U diag=N", INVERSE, 64, "1", COUNT(trtri), true},
    {"trsyl", "trsyl transA=N transB=N isgn=1", "A X + X B = C, A and B upper triangular, X overwrites C", sylvester_matrices, 64, NULL,
     SYLVESTER_COUNT, NULL, false},
    {"lauum_L", "lauum uplo=L", SQUARE, 64, "1", COUNT(lauum), false},
    {"lauum_U", "lauum uplo=U", SQUARE, 64, "1", COUNT(lauum), true},
    {"sygst_1L", "sygst itype=1 uplo=L", STANDARD, 64, "1", COUNT(sygst), false},
    {"sygst_1U", "sygst itype=1 uplo=U", STANDARD, 64, "1", COUNT(sygst), true},
    {"getrf", "getrf", "P L U = A, with pivots", "+A(m,n) L=A.unit.lower =p(n).int", 64, "1", COUNT(getrf), false},
    {"geqrf", "geqrf", "Q R = A, Q as reflectors", "+A(m,n) V=A.unit.lower =tau(n) ~T(n,n).upper ~W(n,n)", 32, "", COUNT(geqrf), false},
    {"ormqr_LT", "ormqr side=L trans=T", "C := Q^H C, Q as reflectors", "A(m,k) V=A.unit.lower tau(k) +C(m,n) ~T(k,k).upper ~W(n,k)", 32, "",
     COUNT(ormqr_lt), false},
    {"ormqr_RN", "ormqr side=R trans=N", "C := C Q, Q as reflectors", "A(n,k) V=A.unit.lower tau(k) +C(m,n) ~T(k,k).upper ~W(m,k)", 32, "",
     COUNT(ormqr_rn), false},
    {"ormqr_LN", "ormqr side=L trans=N", "C := Q C, Q as reflectors", "A(m,k) V=A.unit.lower tau(k) +C(m,n) ~T(k,k).upper ~W(n,k)", 32, "",
     COUNT(ormqr_ln), false},
    {"ormqr_RT", "ormqr side=R trans=T", "C := C Q^H, Q as reflectors", "A(n,k) V=A.unit.lower tau(k) +C(m,n) ~T(k,k).upper ~W(m,k)", 32, "",
     COUNT(ormqr_rt), false},
    {"sytrd_L", "sytrd uplo=L", TRIDIAGONAL, "+A(n,n).hermitian.lower =d(n).real =e(n).real =tau(n) ~W(n,n)", 32, "", COUNT(sytrd_l), false},
    {"sytrd_U", "sytrd uplo=U", TRIDIAGONAL, "+A(n,n).hermitian.upper =d(n).real =e(n).real =tau(n) ~W(n,n)", 32, "", COUNT(sytrd_u), false},
    {"sy2sb_L", "sytrd_sy2sb uplo=L kd=b", BAND("below"), "+A(n,n).hermitian.lower =tau(n) ~T(n,n).upper ~X(n,n) ~W(n,n) ~Z(n,n)", 32, "",
     COUNT(sy2sb_l), false},
    {"sy2sb_U", "sytrd_sy2sb uplo=U kd=b", BAND("above"), "+A(n,n).hermitian.upper =tau(n) ~T(n,n).upper ~X(n,n) ~W(n,n) ~Z(n,n)", 32, "",
     COUNT(sy2sb_u), false},
    {"gels", "gels trans=N", "minimises |B - A X| by QR, A of full rank, m >= n; X overwrites the first n rows of B",
     "+A(m,n) +B(m,nrhs) ~tau(n) ~T(n,n).upper ~W(n,n) ~Z(nrhs,n)", 32, "", COUNT(gels), false},
};

/* clang-format on */

const int blocked_part_count = sizeof blocked_parts / sizeof *blocked_parts;
const int blocked_family_count = sizeof blocked_families / sizeof *blocked_families;

void blocked_family_variant(char out[TCPLAN_BLOCKED_NAME], const struct blocked_family *family,
                            int algorithm) {
    if (family->text) {
        snprintf(out, TCPLAN_BLOCKED_NAME, "%s", family->text[algorithm].name);
    } else {
        sylvester_name(out, algorithm);
    }
}

void blocked_family_name(char out[TCPLAN_BLOCKED_NAME], const struct blocked_family *family,
                         int algorithm) {
    char variant[TCPLAN_BLOCKED_NAME];
    blocked_family_variant(variant, family, algorithm);
    /* If the operation's name ends with flags, a digit or letter follows them directly, since it
     * cannot be mistaken for a flag; otherwise an underscore separates the two. */
    snprintf(out, TCPLAN_BLOCKED_NAME, "%s%s%.16s", family->name,
             *variant && !strchr(family->name, '_') ? "_" : "", variant);
}

void blocked_family_steps(char out[FAMILY_STEPS], const struct blocked_family *family,
                          int algorithm) {
    if (family->text) {
        snprintf(out, FAMILY_STEPS, "%s", family->text[algorithm].steps);
    } else {
        sylvester_steps(out, algorithm);
    }
}
