#include <stdio.h>
#include <string.h>

#include "study/conformance/library.h"

/** A number of any element type, as an argument of TAPP functions. */
struct number {
    double complex room; /* makes the union large enough, and aligned, for all types */
};

static struct number number_of(double complex value, TAPP_datatype type) {
    struct number number = {0};
    product_put(&number, 0, type, value);
    return number;
}

/** Records which function is called, so that a crash can be attributed to it. */
static void enter(const struct tapp_functions *tapp, const char *function) {
    strcpy(tapp->function, function);
}

static struct library_reply done(void) {
    return (struct library_reply){0};
}

/** Returns the reply for an error code. The library must be able to explain the code. */
static struct library_reply refused(const struct tapp_functions *tapp, const char *function,
                                    int code) {
    char text[100] = "";
    enter(tapp, "TAPP_check_success");
    const bool is_success = tapp->check_success(code);
    enter(tapp, "TAPP_explain_error");
    tapp->explain_error(code, sizeof text, text);
    struct library_reply reply = {.is_refused = true, .code = code};
    snprintf(reply.why, sizeof reply.why, "%s() returns %d (%.90s)%s", function, code, text,
             is_success ? ", which TAPP_check_success() calls a success" : "");
    return reply;
}

struct library_reply tapp_plan(struct planned *out, const struct tapp_functions *tapp,
                               const struct product *product) {
    const struct product_tensor *tensor = product->tensor;
    *out = (struct planned){0};
    enter(tapp, "TAPP_create_handle");
    int code = tapp->create_handle(&out->handle);
    if (code != 0) return refused(tapp, "TAPP_create_handle", code);
    enter(tapp, "TAPP_create_executor");
    code = tapp->create_executor(&out->executor);
    if (code != 0) return refused(tapp, "TAPP_create_executor", code);
    for (int t = 0; t < PRODUCT_TENSORS; t++) {
        enter(tapp, "TAPP_create_tensor_info");
        code = tapp->create_tensor_info(&out->info[t], tensor[t].type, tensor[t].rank,
                                        tensor[t].extent, tensor[t].stride);
        if (code != 0) return refused(tapp, "TAPP_create_tensor_info", code);
        out->info_count++;
    }
    enter(tapp, "TAPP_create_tensor_product");
    code = tapp->create_tensor_product(
        &out->product, out->handle, tensor[PRODUCT_A].op, out->info[PRODUCT_A],
        tensor[PRODUCT_A].index, tensor[PRODUCT_B].op, out->info[PRODUCT_B],
        tensor[PRODUCT_B].index, tensor[PRODUCT_C].op, out->info[PRODUCT_C],
        tensor[PRODUCT_C].index, tensor[PRODUCT_D].op, out->info[PRODUCT_D],
        tensor[PRODUCT_D].index, product->prec);
    if (code == 0) return done();
    out->product = 0;
    return refused(tapp, "TAPP_create_tensor_product", code);
}

/** Executes two equal products: D is the second result, and `other` has room for the first. */
static int execute_batch(const struct planned *planned, const struct tapp_functions *tapp,
                         const struct tensors *tensors, const void *alpha, const void *beta,
                         void *other, TAPP_status *status) {
    const void *A = tensors_at(tensors, PRODUCT_A), *B = tensors_at(tensors, PRODUCT_B),
               *C = tensors_at(tensors, PRODUCT_C);
    const void *both_A[] = {A, A}, *both_B[] = {B, B}, *both_C[] = {C, C};
    void *both_D[] = {other, tensors_at(tensors, PRODUCT_D)};
    return tapp->execute_batched_product(planned->product, planned->executor, status, 2, alpha,
                                         both_A, both_B, beta, both_C, both_D);
}

struct library_reply tapp_execute(const struct planned *planned, const struct tapp_functions *tapp,
                                  const struct tensors *tensors) {
    const struct product *product = tensors->product;
    const TAPP_datatype type = product->tensor[PRODUCT_D].type;
    const struct number alpha = number_of(product->alpha, type),
                        beta = number_of(product->beta, type);
    const bool is_batch = product->call == PRODUCT_BATCHED;
    struct tensor_memory other = {0};
    TAPP_status status = 0;
    int code;
    if (is_batch && !tapp->execute_batched_product)
        return (struct library_reply){.is_refused = true,
                                      .why = "TAPP_execute_batched_product is missing"};
    if (is_batch && !tensor_init(&other, &product->tensor[PRODUCT_D], false))
        return (struct library_reply){.is_refused = true, .why = "out of memory"};
    enter(tapp, is_batch ? "TAPP_execute_batched_product" : "TAPP_execute_product");
    if (is_batch)
        code = execute_batch(planned, tapp, tensors, &alpha, &beta, other.at, &status);
    else
        code = tapp->execute_product(planned->product, planned->executor, &status, &alpha,
                                     tensors_at(tensors, PRODUCT_A), tensors_at(tensors, PRODUCT_B),
                                     &beta, tensors_at(tensors, PRODUCT_C),
                                     tensors_at(tensors, PRODUCT_D));
    tensor_free(&other);
    if (code != 0)
        return refused(tapp, is_batch ? "TAPP_execute_batched_product" : "TAPP_execute_product",
                       code);
    if (status != 0 && tapp->destroy_status) tapp->destroy_status(status);
    return done();
}

void tapp_free(struct planned *planned, const struct tapp_functions *tapp) {
    enter(tapp, "a function that destroys an object");
    if (planned->product) tapp->destroy_tensor_product(planned->product);
    for (int t = 0; t < planned->info_count; t++) tapp->destroy_tensor_info(planned->info[t]);
    if (planned->executor) tapp->destroy_executor(planned->executor);
    if (planned->handle) tapp->destroy_handle(planned->handle);
}

struct library_reply tapp_compute(const struct tapp_functions *tapp, struct tensors *tensors) {
    struct planned planned;
    struct library_reply reply = tapp_plan(&planned, tapp, tensors->product);
    const int times = tensors->product->call == PRODUCT_TWICE ? 2 : 1;
    for (int e = 0; e < times && !reply.is_refused; e++) {
        if (e > 0) tensors_reset(tensors);
        reply = tapp_execute(&planned, tapp, tensors);
    }
    tapp_free(&planned, tapp);
    return reply;
}
