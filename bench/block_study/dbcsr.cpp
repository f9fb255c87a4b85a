/* Tensors of DBCSR, on one process. They are mapped to matrices such that the contraction is a
 * product of these matrices, without another reordering. DBCSR stores blocks in column-major
 * order. */
#include <dbcsr.h>
#include <mpi.h>
#include <dbcsr_tensor.h>

#include <algorithm>
#include <vector>

#include "peer.h"

namespace {

enum { MOST_DIMENSIONS = 4 }; /* of DBCSR's default build */

using numbers = std::vector<int>;

struct tensor {
    dbcsr_t_pgrid grid = nullptr;
    dbcsr_t_distribution distribution = nullptr;
    dbcsr_t_tensor handle = nullptr;
    numbers rows, columns; /* dimensions */
};

struct product {
    const peer_product *given;
    tensor made[3];
};

void begin() {
    int is_running;
    MPI_Initialized(&is_running);
    if (is_running) return;
    int provided;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    c_dbcsr_init_lib(MPI_COMM_WORLD, nullptr);
}

bool has(const peer_tensor &tensor, int index) {
    return std::count(tensor.index, tensor.index + tensor.rank, index) > 0;
}

int place(const peer_tensor &tensor, int index) {
    return (int)(std::find(tensor.index, tensor.index + tensor.rank, index) - tensor.index);
}

/** Returns the dimensions of `tensor` whose index `other` has too, in the order of `order`. */
numbers shared(const peer_tensor &tensor, const peer_tensor &other, const peer_tensor &order) {
    numbers out;
    for (int d = 0; d < order.rank; d++)
        if (has(tensor, order.index[d]) && has(other, order.index[d]))
            out.push_back(place(tensor, order.index[d]));
    return out;
}

void make(tensor &out, const peer_product &product, const peer_tensor &given) {
    const MPI_Fint world = MPI_Comm_c2f(MPI_COMM_WORLD);
    const int rank = given.rank;
    numbers dims(rank, 0), process[MOST_DIMENSIONS], key[MOST_DIMENSIONS];
    const int *extent[MOST_DIMENSIONS] = {}, *reserved[MOST_DIMENSIONS] = {}, *process_of[MOST_DIMENSIONS] = {};
    int sections[MOST_DIMENSIONS] = {};
    for (int d = 0; d < rank; d++) {
        sections[d] = product.sections[given.index[d]];
        extent[d] = product.extent[given.index[d]];
        process[d].assign(sections[d], 0);
        process_of[d] = process[d].data();
        for (int64_t b = 0; b < given.count; b++) key[d].push_back(given.key[b * rank + d]);
        reserved[d] = key[d].data();
    }
    c_dbcsr_t_pgrid_create(&world, dims.data(), rank, &out.grid, nullptr);
    c_dbcsr_t_distribution_new(&out.distribution, out.grid, process_of[0], sections[0], process_of[1], sections[1],
                               process_of[2], sections[2], process_of[3], sections[3]);
    c_dbcsr_t_create_new(&out.handle, "tensor", out.distribution, out.rows.data(), (int)out.rows.size(), out.columns.data(),
                         (int)out.columns.size(), nullptr, extent[0], sections[0], extent[1], sections[1], extent[2],
                         sections[2], extent[3], sections[3]);
    if (given.count > 0)
        c_dbcsr_t_reserve_blocks_index(out.handle, (int)given.count, reserved[0], reserved[1], reserved[2], reserved[3]);
}

/** Calls `use` with the key, the extents and the address of each block. */
template <typename Use>
void each_block(const peer_product &product, const peer_tensor &given, Use use) {
    for (int64_t b = 0; b < given.count; b++) {
        int extents[MOST_DIMENSIONS];
        const int *key = given.key + b * given.rank;
        for (int d = 0; d < given.rank; d++) extents[d] = product.extent[given.index[d]][key[d]];
        use(key, extents, given.block[b]);
    }
}

}  // namespace

extern "C" {

void *peer_make(const peer_product *given) {
    const peer_tensor *A = &given->tensor[0], *B = &given->tensor[1], *C = &given->tensor[2];
    for (const peer_tensor &tensor : given->tensor)
        if (tensor.rank > MOST_DIMENSIONS || tensor.rank < 2) return nullptr;
    begin();
    auto *out = new product;
    out->given = given;
    out->made[0].rows = shared(*A, *C, *C);
    out->made[0].columns = shared(*A, *B, *A);
    out->made[1].rows = shared(*B, *A, *A);
    out->made[1].columns = shared(*B, *C, *C);
    out->made[2].rows = shared(*C, *A, *C);
    out->made[2].columns = shared(*C, *B, *C);
    for (int t = 0; t < 3; t++) make(out->made[t], *given, given->tensor[t]);
    for (int t = 0; t < 2; t++)
        each_block(*given, given->tensor[t], [&](const int *key, const int *extents, double *block) {
            c_dbcsr_t_put_block(out->made[t].handle, key, extents, block, nullptr, nullptr);
        });
    return out;
}

void peer_run(void *made) {
    auto *p = (product *)made;
    tensor *t = p->made;
    const bool keeps = true; /* only the listed blocks of C */
    const auto size = [](const numbers &n) { return (int)n.size(); };
    c_dbcsr_t_contract_r_dp(1.0, t[0].handle, t[1].handle, 0.0, t[2].handle, t[0].columns.data(), size(t[0].columns),
                            t[0].rows.data(), size(t[0].rows), t[1].rows.data(), size(t[1].rows), t[1].columns.data(),
                            size(t[1].columns), t[2].rows.data(), size(t[2].rows), t[2].columns.data(), size(t[2].columns),
                            nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &keeps,
                            nullptr, nullptr);
}

void peer_read(void *made) {
    auto *p = (product *)made;
    each_block(*p->given, p->given->tensor[2], [&](const int *key, const int *extents, double *block) {
        bool found;
        c_dbcsr_t_get_block(p->made[2].handle, key, extents, block, &found);
    });
}

void peer_free(void *made) {
    auto *p = (product *)made;
    for (tensor &t : p->made) {
        c_dbcsr_t_destroy(&t.handle);
        c_dbcsr_t_distribution_destroy(&t.distribution);
        c_dbcsr_t_pgrid_destroy(&t.grid, nullptr);
    }
    delete p;
}
}
