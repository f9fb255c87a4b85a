#include "contractions/xml_element.h"

#include <errno.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/input_file.h"

/** No network access, and no messages of libxml2 on stderr. */
enum { READING = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING };

static enum tcplan_status refuse(xmlParserCtxtPtr parser, const char *path,
                                 struct tcplan_error *error) {
    const xmlError *reason = xmlCtxtGetLastError(parser);
    if (reason && reason->code == XML_ERR_NO_MEMORY) return error_no_memory(error);
    const char *message = reason && reason->message ? reason->message : "no XML";
    const int length = (int)strcspn(message, "\n");
    enum tcplan_status status = error_set(
        error, TCPLAN_INVALID, "'%.200s' is not well-formed XML: %.*s", path, length, message);
    if (error && reason && reason->line > 0) error->line = (size_t)reason->line;
    return status;
}

static bool is_called(const xmlNode *node, const char *name) {
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

static xmlNodePtr find(xmlDocPtr document, const char *name) {
    xmlNodePtr root = xmlDocGetRootElement(document);
    if (!root || is_called(root, name)) return root;
    for (xmlNodePtr child = root->children; child; child = child->next) {
        if (is_called(child, name)) return child;
    }
    return NULL;
}

static enum tcplan_status print(char **out, xmlDocPtr document, xmlNodePtr node,
                                struct tcplan_error *error) {
    xmlBufferPtr buffer = xmlBufferCreate();
    const int written = buffer ? xmlNodeDump(buffer, document, node, 0, 0) : -1;
    *out = written >= 0 ? base_strdup((const char *)xmlBufferContent(buffer)) : NULL;
    if (buffer) xmlBufferFree(buffer);
    return *out ? TCPLAN_OK : error_no_memory(error);
}

/** An xmlInputReadCallback. */
static int read_bytes(void *context, char *buffer, int size) {
    FILE *file = context;
    const size_t bytes = fread(buffer, 1, (size_t)size, file);
    return ferror(file) ? -1 : (int)bytes;
}

static enum tcplan_status cannot_read(const char *path, int reason, struct tcplan_error *error) {
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot read '%.200s': %s", path, strerror(reason));
}

static enum tcplan_status take_element(char **out, xmlDocPtr document, const char *path,
                                       const char *name, struct tcplan_error *error) {
    xmlNodePtr node = find(document, name);
    return node ? print(out, document, node, error)
                : error_set(error, TCPLAN_INVALID, "'%.200s' holds no element <%s>", path, name);
}

/** Parses an open file. It is passed as a stream because libxml2 would interpret a name as a URI
 * and print errors to stderr. */
static enum tcplan_status read_file(char **out, FILE *file, const char *path, const char *name,
                                    struct tcplan_error *error) {
    xmlParserCtxtPtr parser = xmlNewParserCtxt();
    if (!parser) return error_no_memory(error);
    xmlDocPtr document = xmlCtxtReadIO(parser, read_bytes, NULL, file, NULL, NULL, READING);
    enum tcplan_status status;
    if (ferror(file)) {
        status = cannot_read(path, errno, error);
    } else {
        status =
            document ? take_element(out, document, path, name, error) : refuse(parser, path, error);
    }
    xmlFreeDoc(document);
    xmlFreeParserCtxt(parser);
    return status;
}

enum tcplan_status xml_element_read(char **out, const char *path, const char *name,
                                    struct tcplan_error *error) {
    enum tcplan_status status = input_file_check("", path, error);
    if (status != TCPLAN_OK) return status;
    FILE *file = fopen(path, "re");
    if (!file) return cannot_read(path, errno, error);
    status = read_file(out, file, path, name, error);
    fclose(file);
    return status;
}
