/**
 * The table of live objects, which clients know by number. It detects invalid numbers and those of
 * destroyed objects; clients of the reference implementation pass invalid handles.
 *
 * Lookups take no lock. A thread must not destroy an object while another thread uses it.
 */
#ifndef TAPP_OBJECTS_H
#define TAPP_OBJECTS_H

#include <stdint.h>

enum tapp_kind {
    TAPP_KIND_NONE,
    TAPP_KIND_HANDLE,
    TAPP_KIND_EXECUTOR,
    TAPP_KIND_TENSOR,
    TAPP_KIND_PRODUCT,
    TAPP_KIND_STATUS
};

/** Adds an object.
 * @return its number, which is positive; 0 if out of memory */
intptr_t tapp_object_add(enum tapp_kind kind, void *object);

/** Returns the object with a number, if it is live and has that kind; else NULL. */
void *tapp_object_find(intptr_t number, enum tapp_kind kind);

/** Removes an object and returns it as tapp_object_find() does. The caller frees it. */
void *tapp_object_remove(intptr_t number, enum tapp_kind kind);

/** Returns the kind of the object with a number; TAPP_KIND_NONE if there is none. */
enum tapp_kind tapp_object_kind(intptr_t number);

#endif
