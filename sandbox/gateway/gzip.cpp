#include "sandbox/gateway/gzip.hpp"

#include <libdeflate.h>

#include <memory>
#include <new>

namespace receiptd::sandbox {

namespace {

constexpr int kLevel = 6;  // of 1 (fast) to 12 (small)

struct FreeCompressor {
    void operator()(libdeflate_compressor* handle) const { libdeflate_free_compressor(handle); }
};

}  // namespace

std::string gzip(std::string_view plain) {
    const std::unique_ptr<libdeflate_compressor, FreeCompressor> engine(libdeflate_alloc_compressor(kLevel));
    if (!engine) throw std::bad_alloc();
    std::string compressed(libdeflate_gzip_compress_bound(engine.get(), plain.size()), '\0');
    compressed.resize(libdeflate_gzip_compress(engine.get(), plain.data(), plain.size(), compressed.data(),
                                               compressed.size()));
    return compressed;
}

}  // namespace receiptd::sandbox
