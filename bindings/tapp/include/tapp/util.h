/** Defines TAPP_EXPORT, which marks the functions of the interface: the shared library exports
 * them, and they have C linkage in C++. */
#ifndef TAPP_UTIL_H_
#define TAPP_UTIL_H_

#ifdef __cplusplus
#define TAPP_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define TAPP_EXPORT __attribute__((visibility("default")))
#endif

#endif
