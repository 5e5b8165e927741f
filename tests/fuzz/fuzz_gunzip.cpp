// Never more than the limit, always with the spare bytes that simdjson needs.
#include "fuzz/visit_model.hpp"
#include "net/gzip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view compressed(reinterpret_cast<const char*>(data), size);
    for (const std::uint64_t limit : {std::uint64_t{100}, std::uint64_t{1} << 20}) {
        const auto plain = receiptd::net::gunzip(compressed, limit);
        if (!plain) continue;
        receiptd::fuzz::require(plain->size() <= limit, "at most the limit");
        receiptd::fuzz::require(plain->capacity() >= plain->size() + 64, "64 spare bytes");
        receiptd::fuzz::visit(*plain);
    }
    return 0;
}
