#include "net/gzip.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <memory>
#include <new>

namespace receiptd::net {

namespace {

constexpr std::size_t kParserSpare = 64;          // for simdjson
constexpr std::uint64_t kBestRatio = 1'040;       // nothing unpacks to more than this (deflate: 1,032)
constexpr std::size_t kSmallestRoom = 64 * 1024;  // a trailer that lies is found out in few steps
constexpr int kMostMembers = 8;                   // servers send one; millions of empty ones take seconds

struct FreeDecompressor {
    void operator()(libdeflate_decompressor* handle) const { libdeflate_free_decompressor(handle); }
};

bool starts_like_gzip(std::string_view text) {
    return text.size() >= 18 && text[0] == '\x1f' && text[1] == '\x8b';
}

}  // namespace

std::uint64_t stated_size(std::string_view compressed) {
    if (!starts_like_gzip(compressed)) return 0;
    std::uint64_t size = 0;
    for (std::size_t i = 1; i <= 4; ++i)
        size = size << 8 | static_cast<unsigned char>(compressed[compressed.size() - i]);
    return size;
}

base::Result<std::string, GunzipFault> gunzip(std::string_view compressed, std::uint64_t limit) {
    const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> engine(libdeflate_alloc_decompressor());
    if (!engine) throw std::bad_alloc();
    std::string plain;
    std::size_t filled = 0;
    int members = 0;
    do {  // a gzip text is one member or several
        if (!starts_like_gzip(compressed) || ++members > kMostMembers) return GunzipFault::malformed;
        const std::uint64_t stated = stated_size(compressed);
        const std::uint64_t left = limit - filled;
        if (stated > compressed.size() * kBestRatio) return GunzipFault::malformed;
        if (stated > left) return GunzipFault::too_large;
        std::uint64_t room = stated;
        for (;;) {
            plain.reserve(filled + room + kParserSpare);
            plain.resize(filled + room);
            std::size_t used = 0;
            std::size_t made = 0;
            const auto result =
                libdeflate_gzip_decompress_ex(engine.get(), compressed.data(), compressed.size(),
                                              plain.data() + filled, room, &used, &made);
            if (result == LIBDEFLATE_SUCCESS) {
                filled += made;
                compressed.remove_prefix(used);
                break;
            }
            if (result != LIBDEFLATE_INSUFFICIENT_SPACE) return GunzipFault::malformed;
            if (room == left) return GunzipFault::too_large;
            room = std::min<std::uint64_t>(left, std::max<std::uint64_t>(room * 2, kSmallestRoom));
        }
    } while (!compressed.empty());
    plain.resize(filled);
    return plain;
}

}  // namespace receiptd::net
