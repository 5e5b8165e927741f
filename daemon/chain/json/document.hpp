// A received JSON text and everything decoded from it that is not a plain view into it.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <utility>

namespace receiptd::chain {

// simdjson reads up to this many bytes past the end; a std::string with this much spare capacity
// is parsed without a copy. HTTP bodies are received that way (net/http_client.hpp).
inline constexpr std::size_t kJsonPadding = 64;

class Document {
public:
    explicit Document(std::string json) : json_(std::move(json)) {
        if (json_.capacity() < json_.size() + kJsonPadding) json_.reserve(json_.size() + kJsonPadding);
    }
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    std::string_view json() const { return json_; }
    std::size_t capacity() const { return json_.capacity(); }

    // Storage for unescaped strings, freed with the document.
    char* allocate(std::size_t bytes) { return static_cast<char*>(arena_.allocate(bytes, 1)); }

private:
    std::string json_;
    std::pmr::monotonic_buffer_resource arena_;
};

// A decoded value together with the document its views point into. Movable; the views stay valid.
template <class T>
struct Decoded {
    std::unique_ptr<Document> document;
    T value;
};

}  // namespace receiptd::chain
