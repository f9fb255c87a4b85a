/**
 * Texts as values of JSON.
 */
#ifndef CLI_RENDER_JSON_TEXT_H
#define CLI_RENDER_JSON_TEXT_H

struct json_t;

/** The text as a value; where it is not UTF-8, its bytes beyond ASCII become question marks. NULL when memory is out. */
struct json_t *json_text(const char *text);

#endif
