/** Marks the functions that the shared library exports; everything else is hidden. */
#ifndef TCPLAN_EXPORT_H
#define TCPLAN_EXPORT_H

#if defined(__GNUC__)
#define TCPLAN_API __attribute__((visibility("default")))
#else
#define TCPLAN_API
#endif

#endif
