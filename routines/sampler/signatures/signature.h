/**
 * The table of routines: the arguments of a BLAS or LAPACK routine, the sizes that follow from
 * others, its operations and its traffic.
 *
 * A routine is one line of `routines.c`, valid in all its types: its name with a `?` where the
 * letter of the type stands, the types, its arguments and its operations. Arguments are written in
 * the order of the Fortran interface, as
 *
 *   transA=NTC   a flag: one of these letters                    (dtrsm's side, uplo, transA, diag)
 *   itype=1|2|3  an integer that is one of these
 *   m            a size                                          (any name that is nothing else);
 *                                                                m:EXPR one with a least value, as
 *                                                                k1:1
 *   alpha        a scalar: alpha and beta, and what says `.scalar`
 *   A(m,n)       a matrix that is read, its rows and columns     =A(m,n) is only written, +A(m,n)
 *                                                                read and written
 *   x(n)         a vector
 *   A.tri(n)     a triangular matrix, as uplo says; .sym a symmetric or Hermitian one, of which a
 *                triangle is read; .packed, and .band(rows,n)
 *   ldA, incx    the leading dimension of A, the increment of x
 *   work(n)      memory to work in; lwork:n:32*n its length, its least value and the one with which
 *                the routine is fast
 *   info         receives the error code
 *   NAME.char    a text
 *
 * Behind a dot may stand the type of elements if it is not the routine's: `.real` (the real one of
 * a complex type), `.int`, `.d`.
 *
 * Sizes are expressions in the names of arguments: + - * /, min(,), max(,), a condition
 * `side=L?m:n` or `m>=n?a:b`, parentheses. Operations are such expressions as well, in which `mul`
 * and `add` stand for what a multiplication and an addition of the type count (1 and 1; 6 and 2 of
 * complex numbers) and `fma` for their sum. They are the least that the classic algorithm needs
 * with all scalars 1 (dissertation, appendix A and table of appendix B).
 *
 * A call's values are an array of integers in the order of the arguments: flags as their letters,
 * sizes, leading dimensions, increments, and lengths as they are; arguments that are no integers
 * (data, scalars, info, text) are 0 there. Everything but the search for a name is a pure function;
 * nothing here measures.
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
    SIGNATURE_FLAG,   /**< side, uplo, trans, diag; itype, isgn: one of a few values */
    SIGNATURE_DIM,    /**< a size: what the time is a function of */
    SIGNATURE_SCALAR, /**< alpha, beta */
    SIGNATURE_DATA,   /**< a matrix or vector */
    SIGNATURE_LD,
    SIGNATURE_INC,
    SIGNATURE_WORK,
    SIGNATURE_LWORK,
    SIGNATURE_INFO,
    SIGNATURE_STRING,
    SIGNATURE_CLASSES
};

/** Accesses to data, as bits. */
enum { SIGNATURE_READ = 1, SIGNATURE_WRITTEN = 2 };

/** How data lie. */
enum signature_storage {
    SIGNATURE_VECTOR,    /**< rows elements, an increment apart if there is one */
    SIGNATURE_GENERAL,   /**< rows x columns */
    SIGNATURE_TRIANGLE,  /**< of order rows: the triangle that `uplo` says (the upper one without a
                            flag of that name); the rest is not touched */
    SIGNATURE_SYMMETRIC, /**< the same, and the rest is its mirror image */
    SIGNATURE_PACKED,    /**< of order rows: the columns of the triangle without gaps */
    SIGNATURE_BAND       /**< rows diagonals x columns; rows is the least leading dimension */
};

/** What elements are. */
enum signature_elements {
    SIGNATURE_OWN,
    SIGNATURE_REAL,
    SIGNATURE_INTEGER,
    SIGNATURE_CHARACTER,
    SIGNATURE_FLOAT,
    SIGNATURE_DOUBLE
};

/** The return value of a routine; all but nothing come in registers, as gfortran and C have it. */
enum signature_result {
    SIGNATURE_NOTHING,
    SIGNATURE_RETURNS_INT,
    SIGNATURE_RETURNS_FLOAT,
    SIGNATURE_RETURNS_DOUBLE,
    SIGNATURE_RETURNS_FLOAT_COMPLEX,
    SIGNATURE_RETURNS_DOUBLE_COMPLEX
};

/** A formula as it was read; private to routines/sampler/signatures. */
struct formula;

struct signature_argument {
    char name[SIGNATURE_NAME];
    enum signature_class class;
    unsigned access;                  /**< data, work, info: bits */
    enum signature_storage storage;   /**< data */
    enum signature_elements elements; /**< data, scalars, work; flags: integers if they are not
                                         letters */
    int values;                       /**< flags: how many there are */
    int value[SIGNATURE_LETTERS];     /**< flags: letters, or integers */
    int of;     /**< ld, inc: the data that it belongs to; lwork: the work; others: -1 */
    int stride; /**< data: the argument that is its ld or inc; -1: none, it has no gaps */
    const struct formula *least;   /**< sizes, lwork: the least value; NULL: 0 */
    const struct formula *usual;   /**< lwork: the value with which the routine is as fast as it can
                                      be; NULL: the least one */
    const struct formula *rows;    /**< data, work; NULL elsewhere */
    const struct formula *columns; /**< data: NULL if there is one extent only */
};

struct signature {
    char name[SIGNATURE_NAME]; /**< as `dgemm`, in lower case */
    char base[SIGNATURE_NAME]; /**< without the letter of the type, as `gemm`; equal for all types
                                  of a line */
    enum tcplan_dtype dtype;
    enum signature_result result;
    bool is_own; /**< a function of tcplan, which no library has */
    int count;
    struct signature_argument argument[SIGNATURE_MAX_ARGUMENTS];
    const struct formula *operations;
    const char *text;    /**< the arguments as the table has them */
    const char *flops;   /**< the operations as the table has them */
    const char *purpose; /**< its purpose, in a few words */
    const char *degrees; /**< private: see signature_degrees() */
};

/* Finding. */

/**
 * Finds a routine by its name, in either case: `dgemm`. Signatures live as long as the program.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if none has the name: the message names the nearest one;
 *         TCPLAN_NO_MEMORY
 */
enum tcplan_status signature_find(const struct signature **out, const char *name,
                                  struct tcplan_error *error);

/** How many routines there are, each type counted. */
int signature_count(void);

/** Routine `number` of signature_count(), in the order of the table. As signature_find(). */
enum tcplan_status signature_at(const struct signature **out, int number,
                                struct tcplan_error *error);

/** The number of the argument of a name, as the table writes it: `ldA`; -1: none. */
int signature_argument(const struct signature *signature, const char *name);

/** `flag`, `size`, `scalar`, `data`, ... */
const char *signature_class_name(enum signature_class class);

/** Whether an argument is an integer that the caller gives: a flag, size, leading dimension,
 * increment or length. */
bool signature_has_value(const struct signature_argument *argument);

/** Bytes of an element of an argument: data, scalars, work, texts; of others those of an integer of
 * Fortran, 4, or 1 of a letter. */
int signature_element_bytes(const struct signature *signature, int argument);

/** Whether elements or the number of an argument are complex. */
bool signature_is_complex(const struct signature *signature, int argument);

/** Appends the signature for people: `dgemm(transA, transB, m, n, k, alpha, A, ldA, ...)` and a
 * line for each argument and metric. */
void signature_print(struct strbuf *out, const struct signature *signature);

/* Values of a call. */

/**
 * Sets values that are not given but follow from others: a leading dimension its least value, an
 * increment 1, a length what the routine needs. `given` marks the given values; flags that are not
 * given take their first letter, sizes must be given.
 */
void signature_complete(const struct signature *signature, int64_t value[], const bool given[]);

/**
 * Looks whether a routine can be called with these values: letters of flags, no negative sizes,
 * leading dimensions, increments that are not 0, lengths, extents that integers of Fortran can
 * count.
 *
 * @param argument  receives which argument is to blame; may be NULL
 * @return TCPLAN_OK; TCPLAN_INVALID, with found and expected values
 */
enum tcplan_status signature_check(const struct signature *signature, const int64_t value[],
                                   int *argument, struct tcplan_error *error);

/** The least value of a leading dimension, length (lwork) or size at these values. */
int64_t signature_least(const struct signature *signature, const int64_t value[], int argument);

/**
 * Elements from the first to the last one of data or work, gaps included: what memory it needs. 0
 * if there is nothing to touch; INT64_MAX where that is beyond any memory. For a scalar or info 1.
 */
int64_t signature_extent(const struct signature *signature, const int64_t value[], int argument);

/** Rows and columns of data as they are at these values; columns are 1 of vectors, and the order
 * again of triangles. */
void signature_shape(const struct signature *signature, const int64_t value[], int argument,
                     int64_t *rows, int64_t *columns);

/**
 * The size that the rows of data are at these flags, or their columns: of A of gemm m, where
 * transA=N. Those of a triangle are its order.
 *
 * @return the number of an argument; -1: the extent is no size by itself, but follows from several,
 *         or is a number
 */
int signature_size_of(const struct signature *signature, const int64_t value[], int argument,
                      bool columns);

/** Elements of data that are there without gaps: of triangles a half. In the dissertation the
 * volume. */
double signature_stored(const struct signature *signature, const int64_t value[], int argument);

/* Metrics (dissertation, appendix A). */

/** Operations. */
double signature_flops(const struct signature *signature, const int64_t value[]);

/** Bytes of all operands. */
double signature_bytes(const struct signature *signature, const int64_t value[]);

/** Bytes that have to be moved: reads and writes; data used in both directions counts twice. Exact:
 * the vectors of gemv that the source leaves out are in it. */
double signature_movement(const struct signature *signature, const int64_t value[]);

/* Models. */

/**
 * The degrees of the operations as a polynomial in the sizes, at the flags in `value` (side=L makes
 * trsm quadratic in m): the largest exponent of each size. Of routines without operations those of
 * the movement.
 *
 * @param degree  receives one for each size, in the order of the arguments
 * @param total   receives the degree of the whole, which bounds the sum of exponents; may be NULL
 * @return how many sizes there are
 */
int signature_degrees(const struct signature *signature, const int64_t value[],
                      int degree[SIGNATURE_MAX_ARGUMENTS], int *total);

#endif
