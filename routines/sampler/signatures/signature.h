/**
 * The table of routines: the arguments of a BLAS or LAPACK routine, the sizes that follow from
 * others, its operations and its traffic.
 *
 * A routine is one line of `routines.c`, valid for all its types: its name with `?` for the letter
 * of the type, the types, its arguments and its operations. Arguments are written in the order of
 * the Fortran interface:
 *
 *   transA=NTC   a flag: one of these letters
 *   itype=1|2|3  an integer: one of these
 *   m            a size: any name without another meaning; m:EXPR has a smallest value, as k1:1
 *   alpha        a scalar: alpha, beta, and names with `.scalar`
 *   A(m,n)       a matrix with its rows and columns, which is read; =A(m,n) is only written,
 *                +A(m,n) read and written
 *   x(n)         a vector
 *   A.tri(n)     a triangular matrix, whose triangle uplo selects; .sym is a symmetric or Hermitian
 *                one, of which one triangle is read; also .packed and .band(rows,n)
 *   ldA, incx    the leading dimension of A, the increment of x
 *   work(n)      work memory: any name that begins with `work`; lwork:n:32*n its length, with the
 *                smallest and the fastest value
 *   info         receives the error code
 *   NAME.char    a text
 *
 * A dot may precede the type of elements if it is not that of the routine: `.real` (the real type
 * of a complex one), `.int`, `.d`.
 *
 * Sizes are expressions of arguments: + - * /, min(,), max(,), a condition `side=L?m:n` or
 * `m>=n?a:b`, and parentheses. Operations are such expressions too. In them, `mul` and `add` are
 * the operations of a multiplication and an addition in the type (1 and 1, or 6 and 2 for complex
 * numbers), and `fma` is their sum. They count the operations of the classic algorithm with all
 * scalars 1 (dissertation, appendix A and table of appendix B).
 *
 * The values of a call are an array of integers in the order of the arguments: letters for flags,
 * numbers for sizes, leading dimensions, increments and lengths, and 0 for all others (data,
 * scalars, info, text). All functions are pure, except those that find a routine, which parse its
 * line at first use.
 */
#ifndef SAMPLER_SIGNATURE_H
#define SAMPLER_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "tcplan/problem.h"
#include "tcplan/status.h"

enum { SIGNATURE_MAX_ARGUMENTS = 20, SIGNATURE_NAME = 16, SIGNATURE_LETTERS = 8 };

enum signature_class {
    SIGNATURE_FLAG, /**< a flag, which has one of a few values: side, uplo, trans, diag; itype, isgn
                     */
    SIGNATURE_DIM,  /**< a size, on which the time depends */
    SIGNATURE_SCALAR, /**< a scalar: alpha, beta */
    SIGNATURE_DATA,   /**< a matrix or vector */
    SIGNATURE_LD,
    SIGNATURE_INC,
    SIGNATURE_WORK,
    SIGNATURE_LWORK,
    SIGNATURE_INFO,
    SIGNATURE_STRING,
    SIGNATURE_CLASSES
};

/** Access to data, as bits. */
enum { SIGNATURE_READ = 1, SIGNATURE_WRITTEN = 2 };

/** Storage of data. */
enum signature_storage {
    SIGNATURE_VECTOR,    /**< `rows` elements, with an increment if the argument has one */
    SIGNATURE_GENERAL,   /**< a matrix of rows x columns */
    SIGNATURE_TRIANGLE,  /**< a matrix of order `rows`: the triangle that `uplo` selects (without
                            such a flag the upper one); the rest is not accessed */
    SIGNATURE_SYMMETRIC, /**< like SIGNATURE_TRIANGLE, but the second triangle mirrors the first one
                          */
    SIGNATURE_PACKED,    /**< a matrix of order `rows`: the columns of its triangle without gaps */
    SIGNATURE_BAND /**< `rows` diagonals x `columns`; `rows` is the smallest leading dimension */
};

/** Types of elements. */
enum signature_elements {
    SIGNATURE_OWN,
    SIGNATURE_REAL,
    SIGNATURE_INTEGER,
    SIGNATURE_CHARACTER,
    SIGNATURE_FLOAT,
    SIGNATURE_DOUBLE
};

/** Type of a routine's return value, which is returned in registers, as by gfortran and C. */
enum signature_result {
    SIGNATURE_NOTHING,
    SIGNATURE_RETURNS_INT,
    SIGNATURE_RETURNS_FLOAT,
    SIGNATURE_RETURNS_DOUBLE,
    SIGNATURE_RETURNS_FLOAT_COMPLEX,
    SIGNATURE_RETURNS_DOUBLE_COMPLEX
};

/** A parsed formula; private to routines/sampler/signatures. */
struct formula;

struct signature_argument {
    char name[SIGNATURE_NAME];
    enum signature_class class;
    unsigned access;                  /**< for data, work and info: access, as bits */
    enum signature_storage storage;   /**< for data: how they are stored */
    enum signature_elements elements; /**< for data, scalars and work: element type; for flags:
                                         integers if they are not letters */
    int values;                       /**< for flags: number of values */
    int value[SIGNATURE_LETTERS];     /**< for flags: the letters or integers */
    int of;     /**< for leading dimensions and increments: number of the data argument to which it
                   belongs; for lengths: number of the work argument; for others -1 */
    int stride; /**< for data: number of the argument that is its leading dimension or increment;
                   -1: none, the data have no gaps */
    const struct formula *least;   /**< for sizes and lengths: the smallest value; NULL: 0 */
    const struct formula *usual;   /**< for lengths: the value with which the routine is fastest;
                                      NULL: the smallest */
    const struct formula *rows;    /**< for data and work: the first extent; NULL for others */
    const struct formula *columns; /**< for data: the second extent; NULL if there is only one */
};

struct signature {
    char name[SIGNATURE_NAME]; /**< name in lower case, such as `dgemm` */
    char base[SIGNATURE_NAME]; /**< name without the letter of the type, such as `gemm`; the same
                                  for all types of a line */
    enum tcplan_dtype dtype;
    enum signature_result result;
    bool is_own; /**< whether the routine is a function of tcplan, which no library has */
    int count;
    struct signature_argument argument[SIGNATURE_MAX_ARGUMENTS];
    const struct formula *operations;
    const char *text;    /**< the arguments as in the table */
    const char *flops;   /**< the operations as in the table */
    const char *purpose; /**< what the routine computes, in a few words */
    const char *degrees; /**< private: degrees given in the table, see signature_degrees() */
};

/**
 * Finds a routine by its name, in upper or lower case: `dgemm`. Signatures live as long as the
 * program.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if no routine has the name: the message suggests the nearest
 *         one; TCPLAN_NO_MEMORY
 */
enum tcplan_status signature_find(const struct signature **out, const char *name,
                                  struct tcplan_error *error);

/** Returns the number of routines, counting each type. */
int signature_count(void);

/** Finds routine `number` of signature_count(), in the order of the table. Status as
 * signature_find(). */
enum tcplan_status signature_at(const struct signature **out, int number,
                                struct tcplan_error *error);

/** Returns the number of the argument with a name as in the table: `ldA`; -1: none. */
int signature_argument(const struct signature *signature, const char *name);

/** Returns `flag`, `size`, `scalar`, `data`, ... */
const char *signature_class_name(enum signature_class class);

/** Returns whether an argument is an integer that the caller passes: a flag, size, leading
 * dimension, increment or length. */
bool signature_has_value(const struct signature_argument *argument);

/** Returns the size in bytes of an element of an argument. The element of data, scalars, work and
 * texts has their type; other arguments are Fortran integers (4 bytes) or letters (1 byte). */
int signature_element_bytes(const struct signature *signature, int argument);

/** Returns whether the elements or the number of an argument are complex. */
bool signature_is_complex(const struct signature *signature, int argument);

/** Appends the signature for readers: `dgemm(transA, transB, m, n, k, alpha, A, ldA, ...)` and a
 * line for each argument and metric. */
void signature_print(struct strbuf *out, const struct signature *signature);

/**
 * Sets values that are not given but have defaults: the smallest leading dimension, an increment
 * of 1, the length that the routine needs, the first letter of a flag. `given` marks the values
 * that are given; all sizes must be.
 */
void signature_complete(const struct signature *signature, int64_t value[], const bool given[]);

/**
 * Checks that a routine can be called with these values: letters of flags, no negative sizes,
 * leading dimensions, increments other than 0, lengths, extents that fit Fortran integers.
 *
 * @param argument  receives the faulty argument; may be NULL
 * @return TCPLAN_OK; TCPLAN_INVALID, with found and expected values
 */
enum tcplan_status signature_check(const struct signature *signature, const int64_t value[],
                                   int *argument, struct tcplan_error *error);

/**
 * Returns the smallest valid value of a leading dimension, length (lwork) or size at these values.
 */
int64_t signature_least(const struct signature *signature, const int64_t value[], int argument);

/**
 * Returns the number of elements of data or work memory from the first to the last one, gaps
 * included. 0 if nothing is accessed; INT64_MAX if the number exceeds any memory. 1 for a scalar
 * or info.
 */
int64_t signature_extent(const struct signature *signature, const int64_t value[], int argument);

/** Finds the rows and columns of data at these values; vectors have 1 column; triangles have as
 * many rows as columns. */
void signature_shape(const struct signature *signature, const int64_t value[], int argument,
                     int64_t *rows, int64_t *columns);

/**
 * Returns the size that equals the number of rows, or of columns, of data with these flags: m for
 * the rows of A in gemm if transA=N. For a triangle it is the order.
 *
 * @return the number of an argument; -1: the extent is a number, or follows from several sizes
 */
int signature_size_of(const struct signature *signature, const int64_t value[], int argument,
                      bool columns);

/** Returns the number of elements of data without gaps; for triangles, half of the elements. The
 * dissertation calls this number volume. */
double signature_stored(const struct signature *signature, const int64_t value[], int argument);

/** Returns the operations of a call. */
double signature_flops(const struct signature *signature, const int64_t value[]);

/** Returns the bytes of all operands. */
double signature_bytes(const struct signature *signature, const int64_t value[]);

/** Returns the bytes that have to be moved: reads and writes; data used in both directions counts
 * twice. Exact: includes gemv's vectors, which the dissertation omits. */
double signature_movement(const struct signature *signature, const int64_t value[]);

/** Returns how many of the bytes of signature_movement() are written. */
double signature_written(const struct signature *signature, const int64_t value[]);

/**
 * Returns the degrees of the operations as a polynomial in the sizes, at the flags in `value`
 * (side=L makes trsm quadratic in m): the largest exponent of each size. For routines without
 * operations, returns the degrees of the moved bytes.
 *
 * @param degree  receives one for each size, in the order of the arguments
 * @param total receives the degree in all sizes together, which bounds the sum of exponents; may
 *     be NULL
 * @return how many sizes there are
 */
int signature_degrees(const struct signature *signature, const int64_t value[],
                      int degree[SIGNATURE_MAX_ARGUMENTS], int *total);

#endif
