/**
 * Models as XML, for exchange: one document for models of one machine.
 *
 *   <models format="1" tcplan="0.2.0">
 *     <machine CPU="..." cores="..." caches="..." BLAS="..." libxsmm="..." BLIS="..."/>
 *           the fingerprint, see tcplan/store.h
 *     <model case="dgemm transA=N transB=N alpha=1 beta=0" provider="openblas" version="..."
 *            threads="1" placement="warm" ...>
 *       <size name="m" degree="1" low="24" high="536"/>...
 *       <piece low="24 24 24" high="536 536 536" degree="1 1 1" points="216" error="0.004"
 *              minimum="..." median="..." maximum="..." mean="..." deviation="..."/>
 *
 * A checked model has an element <check> before its pieces. Coefficients of a piece are in the
 * order of struct tcplan_model_piece; numbers have the shortest text that reads back to the same
 * double, so reading restores exactly what was written. The schema is
 * contractions/schemas/models.rng.
 */
#ifndef TCPLAN_MODELS_FILE_H
#define TCPLAN_MODELS_FILE_H

#include "tcplan/models.h"
#include "tcplan/store.h"
#include "tcplan/xml.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes models.
 *
 * @param fingerprint fingerprint of the models' machine
 * @param write        called with pieces of the document
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if `write` returned false; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_models_write(const struct tcplan_models *models,
                                                  const struct tcplan_fingerprint *fingerprint,
                                                  tcplan_write_fn *write, void *context,
                                                  struct tcplan_error *error);

/**
 * Reads a document with models of any machine.
 *
 * @param out          receives the set, to be freed with tcplan_models_free(); NULL if the document
 *                     is invalid: it is read as a whole or not at all
 * @param fingerprint  receives the fingerprint of the models' machine
 * @param read         called for the bytes
 * @return TCPLAN_OK; TCPLAN_INVALID with the line: not well-formed (cut off, for instance), not
 *         valid, or a model with impossible pieces or numbers; TCPLAN_ENVIRONMENT if `read`
 *         returned -1; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_models_read(struct tcplan_models **out,
                                                 struct tcplan_fingerprint *fingerprint,
                                                 tcplan_read_fn *read, void *context,
                                                 struct tcplan_error *error);

/** Reads a file as tcplan_models_read() does, with the same status; also TCPLAN_ENVIRONMENT if it
 * cannot be read, and TCPLAN_INVALID if it is a pipe or a device. */
TCPLAN_API enum tcplan_status tcplan_models_load(struct tcplan_models **out,
                                                 struct tcplan_fingerprint *fingerprint,
                                                 const char *path, struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
