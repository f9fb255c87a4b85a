#include "contractions/xml_text.h"

#include <inttypes.h>
#include <libxml/chvalid.h>
#include <libxml/xmlstring.h>

#include "base/decimal.h"

int xml_text_character(const char *text) {
    int length = 4;
    int code = xmlGetUTF8Char((const unsigned char *)text, &length);
    return code >= 0 && xmlIsCharQ((unsigned)code) ? length : 0;
}

/** What stands for a character within quotes; NULL: itself. */
static const char *escape(char c) {
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\t': return "&#9;";
    case '\n': return "&#10;";
    case '\r': return "&#13;";
    default: return NULL;
    }
}

void xml_text_attribute(struct strbuf *out, const char *name, const char *value) {
    strbuf_add(out, " %s=\"", name);
    while (value && *value) {
        const char *escaped = escape(*value);
        const int length = xml_text_character(value);
        if (escaped) {
            strbuf_add(out, "%s", escaped);
        } else {
            strbuf_add(out, "%.*s", length > 0 ? length : 1, length > 0 ? value : "?");
        }
        value += length > 0 ? length : 1;
    }
    strbuf_add(out, "\"");
}

void xml_text_integer(struct strbuf *out, const char *name, int64_t value) {
    strbuf_add(out, " %s=\"%" PRId64 "\"", name, value);
}

void xml_text_number(struct strbuf *out, const char *name, double value) {
    if (!(value >= 0 && value <= XML_NUMBER_MAX)) value = 0;
    strbuf_add(out, " %s=\"", name);
    decimal_print(out, value);
    strbuf_add(out, "\"");
}
