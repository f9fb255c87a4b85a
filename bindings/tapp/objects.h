/**
 * The objects of the interface, which clients know by numbers: a table of the live objects and
 * their kinds, by number. It identifies invalid and destroyed numbers; clients of the reference
 * implementation pass invalid handles.
 *
 * Looking one up takes no lock. As everywhere, an object must not be destroyed by one thread while
 * another one uses it.
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

/** Enters an object. @return its number, which is positive; 0: memory runs out */
intptr_t tapp_object_add(enum tapp_kind kind, void *object);

/** Returns the object with a number, if it is live and has that kind; else NULL. */
void *tapp_object_find(intptr_t number, enum tapp_kind kind);

/** The same, and its number is no object from now on. The caller frees it. */
void *tapp_object_remove(intptr_t number, enum tapp_kind kind);

/** The kind of the object with a number; TAPP_KIND_NONE: there is none. */
enum tapp_kind tapp_object_kind(intptr_t number);

#endif
