/**
 * Coupled cluster with singles and doubles: 32 products are planned once and executed in every
 * iteration, until the amplitudes converge. The system is small and has no physical meaning. At
 * the end the residual of the doubles is compared with naive loops over the equations as the paper
 * prints them.
 *
 * J. F. Stanton, J. Gauss, J. D. Watts, R. J. Bartlett, J. Chem. Phys. 94, 4334 (1991), in spin
 * orbitals; i, j, m, n are occupied, a, b, e, f virtual.
 *
 *   ccsd_doubles [estimate|quick|normal|thorough]
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tcplan/tcplan.h>

enum { OCCUPIED = 4, VIRTUAL = 6, ORBITALS = OCCUPIED + VIRTUAL };

typedef double occupied_four[OCCUPIED][OCCUPIED][OCCUPIED][OCCUPIED];
typedef double doubles[VIRTUAL][VIRTUAL][OCCUPIED][OCCUPIED];

static double energy[ORBITALS];
static double V[ORBITALS][ORBITALS][ORBITALS][ORBITALS]; /* the antisymmetrised integrals <pq||rs>
                                                          */
static double S[VIRTUAL][OCCUPIED],
    Q[VIRTUAL][OCCUPIED]; /* the singles amplitudes, and the right-hand side of their equations */
static doubles T, R, B, C, D; /* the doubles amplitudes T; R, B, C, D: the right-hand side of their
                                 equations, see update() */
static doubles P, X, U,
    Y; /* P: products of singles amplitudes; X, U, Y: sums of P and T, see effective() */
static double E[VIRTUAL][VIRTUAL], G[OCCUPIED][OCCUPIED],
    H[OCCUPIED][VIRTUAL]; /* the intermediates F of the paper */
static occupied_four K;   /* K, J and M: the intermediates W of the paper */
static double J[VIRTUAL][VIRTUAL][VIRTUAL][VIRTUAL], M[OCCUPIED][VIRTUAL][VIRTUAL][OCCUPIED],
    L[OCCUPIED][VIRTUAL][OCCUPIED][OCCUPIED];
static double Z;

/**
 * The products in the order in which they are executed; tensors are row-major. V and W are both
 * the array of integrals: the letter of an index selects its occupied or its virtual part, so an
 * operand is a sub-tensor, used in place. K contains the whole term that is quadratic in the
 * doubles; the paper divides the term between K and J.
 */
static const char *const formulas[] = {
    "P_abij=S_ai*S_bj",
    "E_ae=S_fm*V_mafe",
    "E_ae+=-0.5*X_afmn*V_mnef",
    "G_mi=S_en*V_mnie",
    "G_mi+=0.5*X_efin*V_mnef",
    "H_me=S_fn*V_mnef",
    "Q_ai=S_ei*E_ae",
    "Q_ai+=-S_am*G_mi",
    "Q_ai+=T_aeim*H_me",
    "Q_ai+=-S_fn*V_naif",
    "Q_ai+=-0.5*T_efim*V_maef",
    "Q_ai+=-0.5*T_aemn*V_nmei",
    "E_ae+=-0.5*S_am*H_me",
    "G_mi+=0.5*S_ei*H_me",
    "K_mnij=S_ej*V_mnie+W_mnij",
    "K_mnij+=-S_ei*V_mnje",
    "K_mnij+=0.5*U_efij*V_mnef",
    "J_abef=-S_bm*V_amef+W_abef",
    "J_abef+=S_am*V_bmef",
    "M_mbej=S_fj*V_mbef+W_mbej",
    "M_mbej+=-S_bn*V_mnej",
    "M_mbej+=-Y_fbjn*V_mnef",
    "L_mbij=S_ei*V_mbej",
    "R_abij=0.5*U_abmn*K_mnij+W_ijab",
    "R_abij+=0.5*U_efij*J_abef",
    "B_abij=T_aeij*E_be",
    "B_abij+=-S_am*V_mbij",
    "C_abij=-T_abim*G_mj",
    "C_abij+=S_ei*V_abej",
    "D_abij=T_aeim*M_mbej",
    "D_abij+=-S_am*L_mbij",
    "Z=0.25*U_abij*V_ijab",
};
enum { TERMS = sizeof formulas / sizeof *formulas };

/** A planned product, with the addresses of its tensors. */
struct term {
    struct tcplan_plan *plan;
    struct tcplan_execution execution;
};

static double *tensor(char name) {
    switch (name) {
    case 'B': return &B[0][0][0][0];
    case 'C': return &C[0][0][0][0];
    case 'D': return &D[0][0][0][0];
    case 'E': return &E[0][0];
    case 'G': return &G[0][0];
    case 'H': return &H[0][0];
    case 'J': return &J[0][0][0][0];
    case 'K': return &K[0][0][0][0];
    case 'L': return &L[0][0][0][0];
    case 'M': return &M[0][0][0][0];
    case 'P': return &P[0][0][0][0];
    case 'Q': return &Q[0][0];
    case 'R': return &R[0][0][0][0];
    case 'S': return &S[0][0];
    case 'T': return &T[0][0][0][0];
    case 'U': return &U[0][0][0][0];
    case 'X': return &X[0][0][0][0];
    case 'Y': return &Y[0][0][0][0];
    case 'Z': return &Z;
    default: return &V[0][0][0][0];
    }
}

static bool is_virtual(char index) {
    return strchr("abef", index) != NULL;
}

/** Returns the address of the element whose indices are all 0. In a part of the integrals, index 0
 * is the first occupied or the first virtual orbital. */
static double *first_element(char name, const char *indices) {
    ptrdiff_t offset = 0;
    if (name == 'V' || name == 'W') {
        for (int d = 0; d < 4; d++)
            offset = offset * ORBITALS + (is_virtual(indices[d]) ? OCCUPIED : 0);
    }
    return tensor(name) + offset;
}

/** Plans the product of a formula. The formula names the result first, then the two factors and
 * possibly an addend. */
static enum tcplan_status plan_term(struct term *out, struct tcplan_planner *planner,
                                    const char *formula, struct tcplan_error *error) {
    char sizes[64] = "";
    char strides[128] = "";
    double *at[4] = {NULL};
    int tensors = 0;
    for (const char *c = formula; *c; c++) {
        if (isupper((unsigned char)*c)) {
            at[tensors++] = first_element(*c, c + 2);
            if (*c == 'V' || *c == 'W') {
                snprintf(strides + strlen(strides), sizeof strides - strlen(strides),
                         "%s%c=%d,%d,%d,1", *strides ? ";" : "", *c, ORBITALS * ORBITALS * ORBITALS,
                         ORBITALS * ORBITALS, ORBITALS);
            }
        } else if (islower((unsigned char)*c) && !memchr(formula, *c, (size_t)(c - formula))) {
            snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%c=%d",
                     *sizes ? "," : "", *c, is_virtual(*c) ? VIRTUAL : OCCUPIED);
        }
    }
    out->execution = (struct tcplan_execution){
        .size = sizeof out->execution, .A = at[1], .B = at[2], .C = at[3], .D = at[0]};
    struct tcplan_product *product = NULL;
    enum tcplan_status status =
        tcplan_product_parse(&product, formula, sizes, *strides ? strides : NULL, TCPLAN_DOUBLE,
                             TCPLAN_ROW_MAJOR, error);
    if (status == TCPLAN_OK) status = tcplan_plan_new(&out->plan, planner, product, error);
    tcplan_product_free(product); /* the plan does not refer to the product */
    return status;
}

/** Executes the terms from first to end - 1. */
static enum tcplan_status execute(const struct term *term, int first, int end,
                                  struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int t = first; status == TCPLAN_OK && t < end; t++)
        status = tcplan_plan_run(term[t].plan, &term[t].execution, error);
    return status;
}

/* The intermediates tau-tilde and tau of the paper. */
static double half_tau(int a, int b, int i, int j) {
    return T[a][b][i][j] + 0.5 * (S[a][i] * S[b][j] - S[b][i] * S[a][j]);
}
static double tau(int a, int b, int i, int j) {
    return T[a][b][i][j] + S[a][i] * S[b][j] - S[b][i] * S[a][j];
}

#define FOR_OCCUPIED(index) for (int index = 0; (index) < OCCUPIED; (index)++)
#define FOR_VIRTUAL(index) for (int index = 0; (index) < VIRTUAL; (index)++)
#define FOR_DOUBLES(a, b, i, j) FOR_VIRTUAL(a) FOR_VIRTUAL(b) FOR_OCCUPIED(i) FOR_OCCUPIED(j)

/** Computes X, U and Y from T and P_abij = S_ai S_bj. */
static void effective(void) {
    FOR_DOUBLES(a, b, i, j) {
        X[a][b][i][j] = T[a][b][i][j] + 0.5 * (P[a][b][i][j] - P[b][a][i][j]);
        U[a][b][i][j] = T[a][b][i][j] + P[a][b][i][j] - P[b][a][i][j];
        Y[a][b][i][j] = 0.5 * T[a][b][i][j] + P[a][b][i][j];
    }
}

/** Computes new amplitudes from the right-hand sides. Returns the largest change of an amplitude.
 */
static double update(void) {
    double largest = 0;
    FOR_VIRTUAL(a) FOR_OCCUPIED(i) {
        const double value = Q[a][i] / (energy[i] - energy[OCCUPIED + a]);
        largest = fmax(largest, fabs(value - S[a][i]));
        S[a][i] = value;
    }
    FOR_DOUBLES(a, b, i, j) {
        const double sum = R[a][b][i][j] + B[a][b][i][j] - B[b][a][i][j] + C[a][b][i][j] -
                           C[a][b][j][i] + D[a][b][i][j] - D[b][a][i][j] - D[a][b][j][i] +
                           D[b][a][j][i];
        const double value =
            sum / (energy[i] + energy[j] - energy[OCCUPIED + a] - energy[OCCUPIED + b]);
        largest = fmax(largest, fabs(value - T[a][b][i][j]));
        T[a][b][i][j] = value;
    }
    return largest;
}

/** Sets orbital energies with a gap, and integrals <pq||rs> = (pr|qs) - (ps|qr) with the symmetries
 * of integrals over real orbitals. (pr|qs) is a sum of five products. */
static void make_up(void) {
    double factor[5][ORBITALS][ORBITALS];
    for (int p = 0; p < ORBITALS; p++) {
        energy[p] = p < OCCUPIED ? -3 + 0.2 * p : 1 + 0.3 * (p - OCCUPIED);
        for (int q = 0; q < ORBITALS; q++) {
            for (int x = 0; x < 5; x++)
                factor[x][p][q] = 0.5 * cos(0.7 * (x + 1) * (p + 1) * (q + 1)) / (1 + abs(p - q));
        }
    }
    for (int p = 0; p < ORBITALS; p++) {
        for (int q = 0; q < ORBITALS; q++) {
            for (int r = 0; r < ORBITALS; r++) {
                for (int s = 0; s < ORBITALS; s++) {
                    V[p][q][r][s] = 0;
                    for (int x = 0; x < 5; x++)
                        V[p][q][r][s] +=
                            factor[x][p][r] * factor[x][q][s] - factor[x][p][s] * factor[x][q][r];
                }
            }
        }
    }
}

/* The equations of the paper as naive loops. In V, virtual indices begin at OCCUPIED. */

enum { O = OCCUPIED };

static double F_me(int m, int e) {
    double sum = 0;
    FOR_OCCUPIED(n) FOR_VIRTUAL(f) sum += S[f][n] * V[m][n][O + e][O + f];
    return sum;
}
static double F_ae(int a, int e) {
    double sum = 0;
    FOR_OCCUPIED(m) FOR_VIRTUAL(f) {
        sum += S[f][m] * V[m][O + a][O + f][O + e];
        FOR_OCCUPIED(n) sum -= 0.5 * half_tau(a, f, m, n) * V[m][n][O + e][O + f];
    }
    return sum;
}
static double F_mi(int m, int i) {
    double sum = 0;
    FOR_OCCUPIED(n) FOR_VIRTUAL(e) {
        sum += S[e][n] * V[m][n][i][O + e];
        FOR_VIRTUAL(f) sum += 0.5 * half_tau(e, f, i, n) * V[m][n][O + e][O + f];
    }
    return sum;
}
static double W_mnij(int m, int n, int i, int j) {
    double sum = V[m][n][i][j];
    FOR_VIRTUAL(e) {
        sum += S[e][j] * V[m][n][i][O + e] - S[e][i] * V[m][n][j][O + e];
        FOR_VIRTUAL(f) sum += 0.25 * tau(e, f, i, j) * V[m][n][O + e][O + f];
    }
    return sum;
}
static double W_abef(int a, int b, int e, int f) {
    double sum = V[O + a][O + b][O + e][O + f];
    FOR_OCCUPIED(m) {
        sum += S[a][m] * V[O + b][m][O + e][O + f] - S[b][m] * V[O + a][m][O + e][O + f];
        FOR_OCCUPIED(n) sum += 0.25 * tau(a, b, m, n) * V[m][n][O + e][O + f];
    }
    return sum;
}
static double W_mbej(int m, int b, int e, int j) {
    double sum = V[m][O + b][O + e][j];
    FOR_VIRTUAL(f) sum += S[f][j] * V[m][O + b][O + e][O + f];
    FOR_OCCUPIED(n) {
        sum -= S[b][n] * V[m][n][O + e][j];
        FOR_VIRTUAL(f) sum -= (0.5 * T[f][b][j][n] + S[f][j] * S[b][n]) * V[m][n][O + e][O + f];
    }
    return sum;
}

/* The terms that the paper permutes in a and b, in i and j, or in both, and the terms that it does
 * not permute. */
static double in_ab(int a, int b, int i, int j) {
    double sum = 0;
    FOR_VIRTUAL(e) {
        double dressed = F_ae(b, e);
        FOR_OCCUPIED(m) dressed -= 0.5 * S[b][m] * F_me(m, e);
        sum += T[a][e][i][j] * dressed;
    }
    FOR_OCCUPIED(m) sum -= S[a][m] * V[m][O + b][i][j];
    return sum;
}
static double in_ij(int a, int b, int i, int j) {
    double sum = 0;
    FOR_OCCUPIED(m) {
        double dressed = F_mi(m, j);
        FOR_VIRTUAL(e) dressed += 0.5 * S[e][j] * F_me(m, e);
        sum -= T[a][b][i][m] * dressed;
    }
    FOR_VIRTUAL(e) sum += S[e][i] * V[O + a][O + b][O + e][j];
    return sum;
}
static double in_both(int a, int b, int i, int j) {
    double sum = 0;
    FOR_OCCUPIED(m)
    FOR_VIRTUAL(e)
    sum += T[a][e][i][m] * W_mbej(m, b, e, j) - S[e][i] * S[a][m] * V[m][O + b][O + e][j];
    return sum;
}
static double in_none(int a, int b, int i, int j) {
    double sum = V[i][j][O + a][O + b];
    FOR_OCCUPIED(m) FOR_OCCUPIED(n) sum += 0.5 * tau(a, b, m, n) * W_mnij(m, n, i, j);
    FOR_VIRTUAL(e) FOR_VIRTUAL(f) sum += 0.5 * tau(e, f, i, j) * W_abef(a, b, e, f);
    return sum;
}

/** Returns the largest absolute residual of the doubles equations. */
static double naive_residual(void) {
    double largest = 0;
    FOR_DOUBLES(a, b, i, j) {
        const double right = in_none(a, b, i, j) + in_ab(a, b, i, j) - in_ab(b, a, i, j) +
                             in_ij(a, b, i, j) - in_ij(a, b, j, i) + in_both(a, b, i, j) -
                             in_both(b, a, i, j) - in_both(a, b, j, i) + in_both(b, a, j, i);
        largest =
            fmax(largest, fabs(right - (energy[i] + energy[j] - energy[O + a] - energy[O + b]) *
                                           T[a][b][i][j]));
    }
    return largest;
}

/** Iterates to convergence. Returns the number of iterations, or 0 without convergence. */
static int converge(const struct term *term, struct tcplan_error *error) {
    for (int iteration = 1; iteration <= 100; iteration++) {
        if (execute(term, 0, 1, error) != TCPLAN_OK) return 0;
        effective();
        if (execute(term, 1, TERMS, error) != TCPLAN_OK) return 0;
        if (update() < 1e-13) return iteration;
    }
    snprintf(error->message, sizeof error->message, "no convergence");
    return 0;
}

static enum tcplan_effort effort_named(const char *word) {
    static const char *const words[] = {"estimate", "quick", "normal", "thorough"};
    for (int e = 0; e < 4; e++) {
        if (strcmp(word, words[e]) == 0) return (enum tcplan_effort)e;
    }
    return TCPLAN_EFFORT_NORMAL;
}

int main(int argc, char **argv) {
    struct tcplan_error error = {.message = ""};
    struct tcplan_planner *planner = NULL;
    static struct term term[TERMS];
    int planned = 0;
    int iterations = 0;
    double residual = INFINITY;
    make_up();
    if (tcplan_planner_new(&planner, &error) == TCPLAN_OK &&
        tcplan_planner_set_effort(planner, argc > 1 ? effort_named(argv[1]) : TCPLAN_EFFORT_NORMAL,
                                  NULL) == TCPLAN_OK) {
        while (planned < TERMS &&
               plan_term(&term[planned], planner, formulas[planned], &error) == TCPLAN_OK)
            planned++;
    }
    if (planned == TERMS) iterations = converge(term, &error);
    if (iterations) {
        residual = naive_residual();
        printf(
            "correlation energy %.10f after %d iterations of %d planned products; residual by naive loops %.0e\n",
            Z, iterations, (int)TERMS, residual);
    } else {
        fprintf(stderr, "ccsd_doubles: %s%s%s\n", planned < TERMS ? formulas[planned] : "",
                planned < TERMS ? ": " : "", error.message);
    }
    for (int t = 0; t < planned; t++) tcplan_plan_free(term[t].plan);
    tcplan_planner_free(planner);
    return residual < 1e-11 ? EXIT_SUCCESS : EXIT_FAILURE;
}
