/**
 * The driver of emitted files (emit/templates/driver.c) as text.
 */
#ifndef BLOCKED_DRIVER_TEXT_H
#define BLOCKED_DRIVER_TEXT_H

extern const char driver_template_text[];

#endif
