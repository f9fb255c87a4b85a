/**
 * The objects of the interface, which clients know by numbers: a table that says whether a number
 * is an object that lives, and of which kind. So what was never made, or destroyed already, is told
 * from what is there - clients of the reference implementation pass handles that nobody made.
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

/** The object with a number, if it lives and is of that kind; else NULL. */
void *tapp_object_find(intptr_t number, enum tapp_kind kind);

/** The same, and its number is no object from now on. The caller frees it. */
void *tapp_object_remove(intptr_t number, enum tapp_kind kind);

/** The kind of the object with a number; TAPP_KIND_NONE: there is none. */
enum tapp_kind tapp_object_kind(intptr_t number);

#endif
