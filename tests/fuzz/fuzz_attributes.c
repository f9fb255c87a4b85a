/**
 * Sets any bytes as an attribute of a TAPP handle, executor and product: a key, then its value.
 * The attribute must be rejected, or set so that it can be read and cleared.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tapp.h>
#include <tapp/tcplan.h>

#include "fuzz.h"

static TAPP_tensor_product make_product(TAPP_handle handle) {
    static const int64_t extent[] = {2, 3}, stride[] = {1, 2}, rows[] = {'a', 'i'},
                         columns[] = {'i', 'a'};
    TAPP_tensor_info info[2] = {0}, scalar = 0;
    TAPP_tensor_product product = 0;
    const int64_t other[] = {3, 2};
    if (TAPP_create_tensor_info(&info[0], TAPP_F64, 2, extent, stride) ||
        TAPP_create_tensor_info(&info[1], TAPP_F64, 2, other, stride))
        abort();
    if (TAPP_create_tensor_info(&scalar, TAPP_F64, 0, NULL, NULL)) abort();
    if (TAPP_create_tensor_product(&product, handle, TAPP_IDENTITY, info[0], rows, TAPP_IDENTITY,
                                   info[1], columns, TAPP_IDENTITY, scalar, NULL, TAPP_IDENTITY,
                                   scalar, NULL, TAPP_DEFAULT_PREC))
        abort();
    TAPP_destroy_tensor_info(info[0]);
    TAPP_destroy_tensor_info(info[1]);
    TAPP_destroy_tensor_info(scalar);
    return product;
}

static void check(TAPP_attr object, TAPP_key key, void *value) {
    void *kept = NULL;
    if (TAPP_attr_set(object, key, value) == 0 && (TAPP_attr_get(object, key, &kept) != 0 || !kept))
        abort();
    if (TAPP_attr_get(object, key, &kept) == 0 && !kept) abort();
    TAPP_attr_clear(object, key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { LEAST = 16 }; /* bytes of the longest value that is not a string */
    TAPP_handle handle = 0;
    TAPP_executor executor = 0;
    uint16_t key = 0;
    if (size < sizeof key) return 0;
    memcpy(&key, data, sizeof key);
    if (key == TAPP_TCPLAN_PLANS || key == TAPP_TCPLAN_STORE)
        return 0; /* these values are names of files: not opened */
    setenv("TCPLAN_EFFORT", "estimate", 1);
    char *value = calloc(size + LEAST, 1);
    if (!value || TAPP_create_handle(&handle) || TAPP_create_executor(&executor)) abort();
    memcpy(value, data + sizeof key, size - sizeof key);
    TAPP_tensor_product product = make_product(handle);
    check(handle, key, value);
    check(executor, key, value);
    check(product, key, value);
    TAPP_destroy_tensor_product(product);
    TAPP_destroy_executor(executor);
    TAPP_destroy_handle(handle);
    free(value);
    return 0;
}
