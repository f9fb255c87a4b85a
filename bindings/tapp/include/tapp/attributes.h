/**
 * Attributes: values of an object by key. Each library has its own keys; those of this library are
 * in tapp/tcplan.h.
 */
#ifndef TAPP_ATTRIBUTES_H_
#define TAPP_ATTRIBUTES_H_

#include <stdint.h>

#include "tapp/error.h"
#include "tapp/util.h"

/** Any object: a handle, an executor, a product or a status. */
typedef intptr_t TAPP_attr;
typedef int TAPP_key;

/** Sets an attribute to a copy of the value to which `value` points. */
TAPP_EXPORT TAPP_error TAPP_attr_set(TAPP_attr attr, TAPP_key key, void *value);

/** Stores a pointer to the value of an attribute in `*value`. The pointer is valid until an
 * attribute of the object is set or the object is destroyed. */
TAPP_EXPORT TAPP_error TAPP_attr_get(TAPP_attr attr, TAPP_key key, void **value);

/** Resets an attribute to its default. */
TAPP_EXPORT TAPP_error TAPP_attr_clear(TAPP_attr attr, TAPP_key key);

#endif
