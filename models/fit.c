#include "models/fit.h"

#include <assert.h>
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sorted.h"

/* Singular values below this share of the largest count as 0. */
#define SMALLEST_SINGULAR 1e-14

/** LAPACK's least-squares solver. It is declared here because some BLAS installations lack LAPACK's
 * header. */
extern void dgelsd_(const int *m, const int *n, const int *nrhs, double *a, const int *lda,
                    double *b, const int *ldb, double *s, const double *rcond, int *rank,
                    double *work, const int *lwork, int *iwork, int *info);

/* The basis. */

void fit_scale(double t[TCPLAN_MODEL_SIZES], const struct tcplan_model_domain *domain,
               const int64_t size[]) {
    for (int i = 0; i < domain->count; i++) {
        const int64_t low = domain->low[i], high = domain->high[i];
        t[i] = high > low ? (double)(2 * size[i] - low - high) / (double)(high - low) : 0;
    }
}

int fit_monomials(double out[TCPLAN_MODEL_COEFFICIENTS], const double t[], const int degree[],
                  int count) {
    int length = 1;
    out[0] = 1;
    for (int i = 0; i < count; i++) {
        /* from last to first, because each product is replaced by degree[i] + 1 products */
        for (int j = length - 1; j >= 0; j--) {
            const double product = out[j];
            double power = 1;
            for (int e = 0; e <= degree[i]; e++, power *= t[i])
                out[j * (degree[i] + 1) + e] = product * power;
        }
        assert(length * (degree[i] + 1) <= TCPLAN_MODEL_COEFFICIENTS);
        length *= degree[i] + 1;
    }
    return length;
}

double fit_value(const struct tcplan_model_piece *piece, enum tcplan_model_statistic statistic,
                 const int64_t size[]) {
    double t[TCPLAN_MODEL_SIZES], monomial[TCPLAN_MODEL_COEFFICIENTS];
    fit_scale(t, &piece->domain, size);
    const int length = fit_monomials(monomial, t, piece->degree, piece->domain.count);
    double value = 0;
    for (int j = 0; j < length; j++) value += piece->coefficient[j][statistic] * monomial[j];
    return value;
}

/* Least squares. */

/** A least-squares problem for dgelsd, with its workspace. */
struct least_squares {
    int rows, columns, longer;
    double *a;        /* rows x columns, column-major */
    double *b;        /* max(rows, columns) entries: the right-hand side, then the solution */
    double *singular; /* the singular values */
    double *work;
    int *iwork;
    int work_length;
};

static int solve(struct least_squares *problem) {
    const double rcond = SMALLEST_SINGULAR;
    const int one = 1;
    int rank, info;
    dgelsd_(&problem->rows, &problem->columns, &one, problem->a, &problem->rows, problem->b,
            &problem->longer, problem->singular, &rcond, &rank, problem->work,
            &problem->work_length, problem->iwork, &info);
    return info;
}

/** Queries the size of LAPACK's workspace and allocates it. */
static enum tcplan_status make_room(struct least_squares *problem, struct tcplan_error *error) {
    double work = 0;
    int iwork = 0;
    problem->work = &work;
    problem->iwork = &iwork;
    problem->work_length = -1;
    const int info = solve(problem);
    problem->work = NULL;
    problem->iwork = NULL;
    if (info != 0)
        return error_set(error, TCPLAN_ENVIRONMENT, "LAPACK's dgelsd rejected its argument %d",
                         (int)-info);
    problem->work_length = (int)work;
    problem->work = base_alloc(sizeof *problem->work * (size_t)(work < 1 ? 1 : work));
    problem->iwork = base_alloc(sizeof *problem->iwork * (size_t)(iwork < 1 ? 1 : iwork));
    return problem->work && problem->iwork ? TCPLAN_OK : error_no_memory(error);
}

static enum tcplan_status least_squares_new(struct least_squares *problem, size_t rows,
                                            size_t columns, struct tcplan_error *error) {
    const size_t longer = rows > columns ? rows : columns;
    *problem =
        (struct least_squares){.rows = (int)rows, .columns = (int)columns, .longer = (int)longer};
    problem->a = base_alloc(sizeof *problem->a * rows * columns);
    problem->b = base_alloc(sizeof *problem->b * longer);
    problem->singular = base_alloc(sizeof *problem->singular * longer);
    if (!problem->a || !problem->b || !problem->singular) return error_no_memory(error);
    return make_room(problem, error);
}

static void least_squares_free(struct least_squares *problem) {
    base_free(problem->a);
    base_free(problem->b);
    base_free(problem->singular);
    base_free(problem->work);
    base_free(problem->iwork);
}

/** Returns the value to which errors of a sample's statistic are relative: the statistic itself, or
 * the mean if the statistic is the deviation, which may be 0. */
static double unit_of(const struct tcplan_model_sample *sample,
                      enum tcplan_model_statistic statistic) {
    return sample->ns[statistic == TCPLAN_MODEL_DEVIATION ? TCPLAN_MODEL_MEAN : statistic];
}

/** The samples of a fit and their weights. */
struct fitted {
    const struct tcplan_model_sample *const *sample;
    const double *weight; /* weight of each sample; NULL: equal weights */
};

static void fill(struct least_squares *problem, const struct tcplan_model_piece *piece,
                 enum tcplan_model_statistic statistic, const struct fitted *points) {
    double t[TCPLAN_MODEL_SIZES], monomial[TCPLAN_MODEL_COEFFICIENTS] = {0};
    const size_t rows = (size_t)problem->rows, columns = (size_t)problem->columns;
    for (size_t i = 0; i < rows; i++) {
        const struct tcplan_model_sample *sample = points->sample[i];
        const double relative_to =
            unit_of(sample, statistic) / (points->weight ? points->weight[i] : 1);
        fit_scale(t, &piece->domain, sample->size);
        fit_monomials(monomial, t, piece->degree, piece->domain.count);
        for (size_t j = 0; j < columns; j++) problem->a[j * rows + i] = monomial[j] / relative_to;
        problem->b[i] = sample->ns[statistic] / relative_to;
    }
}

static enum tcplan_status fit_statistic(struct least_squares *problem,
                                        const struct tcplan_model_piece *piece,
                                        enum tcplan_model_statistic statistic,
                                        const struct fitted *points, struct tcplan_error *error) {
    fill(problem, piece, statistic, points);
    bool good = solve(problem) == 0;
    for (int j = 0; j < problem->columns; j++) {
        piece->coefficient[j][statistic] = problem->b[j];
        good = good && isfinite(problem->b[j]);
    }
    return good ? TCPLAN_OK
                : error_set(error, TCPLAN_ENVIRONMENT,
                            "LAPACK's dgelsd found no polynomial for %zu points",
                            (size_t)problem->rows);
}

enum tcplan_status fit_piece(const struct tcplan_model_piece *piece,
                             const struct tcplan_model_sample *const sample[],
                             const double weight[], size_t points, struct tcplan_error *error) {
    const struct fitted fitted = {.sample = sample, .weight = weight};
    struct least_squares problem;
    const int coefficients = tcplan_model_coefficients(piece->degree, piece->domain.count);
    enum tcplan_status status = least_squares_new(&problem, points, (size_t)coefficients, error);
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS && status == TCPLAN_OK; s++) {
        status = fit_statistic(&problem, piece, (enum tcplan_model_statistic)s, &fitted, error);
    }
    least_squares_free(&problem);
    return status;
}

/* Errors. */

double fit_measure(enum tcplan_model_measure measure, double error[], size_t count) {
    assert(count > 0);
    double sum = 0;
    sort_numbers(error, count);
    for (size_t i = 0; i < count; i++) sum += error[i];
    switch (measure) {
    case TCPLAN_MODEL_OF_MEAN: return sum / (double)count;
    case TCPLAN_MODEL_OF_MOST: return error[(9 * count + 9) / 10 - 1];
    case TCPLAN_MODEL_OF_MAXIMUM:
    case TCPLAN_MODEL_MEASURES: break;
    }
    return error[count - 1];
}
