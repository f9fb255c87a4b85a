/*
 * A C interface of einsum_ir's backend on libxsmm, for bench/peers: one contraction of doubles,
 * which is compiled once and executed often. This file is compiled together with einsum_ir's own
 * sources, which are not part of tcplan.
 */
#include <unistd.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "backend/BinaryContractionTpp.h"
#include "backend/MemoryManager.h"

namespace {

using ids = std::vector<int64_t>;

struct contraction {
    std::map<int64_t, int64_t> extents;
    ids left, right, out;
    bool swapped;
    einsum_ir::backend::MemoryManager memory;
    einsum_ir::backend::BinaryContractionTpp backend;
};

/** Returns the indices of a column-major tensor in einsum_ir's order, in which the contiguous one
 * is last. */
ids reversed(const char *indices) {
    ids out;
    for (; *indices; indices++) out.insert(out.begin(), *indices);
    return out;
}

bool has(const ids &tensor, int64_t index) {
    for (int64_t other : tensor) {
        if (other == index) return true;
    }
    return false;
}

}  // namespace

extern "C" {

/**
 * C := A B of column-major tensors.
 *
 * @param a, b, c   a letter for each index, the contiguous one first
 * @param indices   all letters
 * @param extents   extent of each index
 * @return the compiled contraction, to be freed with peer_free(); NULL if einsum_ir does not
 *     support it
 */
void *peer_plan(const char *a, const char *b, const char *c, const char *indices, const int64_t *extents, int threads) {
    auto *made = new contraction;
    made->out = reversed(c);
    made->left = reversed(a);
    made->right = reversed(b);
    for (size_t i = 0; indices[i]; i++) made->extents[indices[i]] = extents[i];
    /* The rows of einsum_ir's result belong to its left factor, so that is the factor with the
     * result's contiguous index. */
    made->swapped = !made->out.empty() && !has(made->left, made->out.back());
    if (made->swapped) std::swap(made->left, made->right);
    const auto *sizes = &made->extents;
    const auto real = einsum_ir::FP64;
    made->backend.init(made->left.size(), made->right.size(), made->out.size(), sizes, sizes, sizes, nullptr, sizes, nullptr, made->left.data(),
                       made->right.data(), made->out.data(), nullptr, nullptr, &made->memory, real, real, real, real, einsum_ir::ZERO, einsum_ir::MADD,
                       einsum_ir::UNDEFINED_KTYPE, threads);
    const long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (cache > 0) made->backend.m_l2_cache_size = cache;
    if (made->backend.compile() != einsum_ir::SUCCESS) {
        delete made;
        return nullptr;
    }
    made->memory.alloc_all_memory();
    return made;
}

void peer_run(void *planned, const double *A, const double *B, double *C) {
    auto *made = static_cast<contraction *>(planned);
    made->backend.contract(made->swapped ? B : A, made->swapped ? A : B, C);
}

void peer_free(void *planned) {
    delete static_cast<contraction *>(planned);
}
}
