/**
 * Relative least squares (Peise 2017, 3.2.4): finds the polynomial of given degrees with the
 * smallest sum of squared relative errors.
 */
#ifndef MODELS_FIT_H
#define MODELS_FIT_H

#include "tcplan/models.h"

/** Computes the t_i of struct tcplan_model_piece for sizes in a box: from -1 to 1, 0 if the box
 * has a single size. */
void fit_scale(double t[TCPLAN_MODEL_SIZES], const struct tcplan_model_domain *domain,
               const int64_t size[]);

/** Computes the products of powers of t, in the order of a piece's coefficients; returns their
 * number. */
int fit_monomials(double out[TCPLAN_MODEL_COEFFICIENTS], const double t[], const int degree[],
                  int count);

/**
 * Fits the polynomials of a piece, one for each statistic. With y_i the statistic of sample i, m_j
 * the monomials, X_ij = m_j(x_i) / y_i and weights w, the coefficients b minimise the norm of
 * w (1 - X b). LAPACK's dgelsd solves this with a singular value decomposition; singular values
 * below 1e-14 of the largest count as 0. The deviation may be 0, so its errors are relative to the
 * mean.
 *
 * @param piece  gives domain and degrees; its coefficients are written
 * @param sample  `points` samples within the domain
 * @param weight  weight of each point's error, above 0; NULL: all weights are equal
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if LAPACK finds no solution, or one that
 *     is not finite
 */
enum tcplan_status fit_piece(const struct tcplan_model_piece *piece,
                             const struct tcplan_model_sample *const sample[],
                             const double weight[], size_t points, struct tcplan_error *error);

/** Returns the value of one statistic's polynomial. It may be negative, and the statistics may be
 * out of order: a minimum above the median. */
double fit_value(const struct tcplan_model_piece *piece, enum tcplan_model_statistic statistic,
                 const int64_t size[]);

/** Returns the mean, 90th percentile or maximum of `count` >= 1 errors; sorts them. */
double fit_measure(enum tcplan_model_measure measure, double error[], size_t count);

#endif
