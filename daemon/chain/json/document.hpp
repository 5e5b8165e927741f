// A received JSON text and what is decoded from it that is no plain view into it: unescaped strings, and the
// elements of lists.
#pragma once

#include "chain/json/decode_error.hpp"

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace receiptd::chain {

// simdjson reads up to this many bytes past the end; a std::string with this much spare capacity
// is parsed without a copy. HTTP bodies are received that way (net/http_client.hpp).
inline constexpr std::size_t kJsonPadding = 64;

class Document {
public:
    explicit Document(std::string json) : json_(std::move(json)), arena_(json_.size() / kOfJson + kLeast) {
        if (json_.capacity() < json_.size() + kJsonPadding) json_.reserve(json_.size() + kJsonPadding);
    }
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    std::string_view json() const { return json_; }
    std::size_t capacity() const { return json_.capacity(); }

    // Freed with the document.
    void* allocate(std::size_t bytes, std::size_t alignment = 1) { return arena_.allocate(bytes, alignment); }

private:
    // The lists of a whole block take a tenth of its text.
    static constexpr std::size_t kOfJson = 10;
    static constexpr std::size_t kLeast = 512;

    std::string json_;
    std::pmr::monotonic_buffer_resource arena_;
};

// Allocates in a document, or without one on the heap. What is in a document is not destroyed: it goes with
// the document, and may be gone before the list. A copy is on the heap: it may be made by another thread than
// the document's.
template <class T>
struct InDocument {
    using value_type = T;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;

    InDocument() = default;
    explicit InDocument(Document& in) : document(&in) {}
    template <class U>
    explicit InDocument(const InDocument<U>& other) : document(other.document) {}
    InDocument select_on_container_copy_construction() const { return {}; }

    T* allocate(std::size_t count) {
        if (!document) return std::allocator<T>().allocate(count);
        return static_cast<T*>(document->allocate(count * sizeof(T), alignof(T)));
    }
    void deallocate(T* elements, std::size_t count) {
        if (!document) std::allocator<T>().deallocate(elements, count);
    }
    template <class U>
    void destroy(U* element) {
        if (!document) std::destroy_at(element);
    }
    template <class U>
    bool operator==(const InDocument<U>& other) const {
        return document == other.document;
    }

    Document* document = nullptr;
};

// A short list of a model.
template <class T>
using List = std::vector<T, InDocument<T>>;

// A decoded value together with the document its views point into. Movable; the views stay valid.
template <class T>
struct Decoded {
    Decoded() = default;
    Decoded(std::unique_ptr<Document> text, T model) : document(std::move(text)), value(std::move(model)) {}
    Decoded(Decoded&&) = default;
    // A value never outlives its document.
    Decoded& operator=(Decoded&& other) {
        value = std::move(other.value);
        document = std::move(other.document);
        unreadable = std::move(other.unreadable);
        return *this;
    }

    std::unique_ptr<Document> document;
    T value{};
    std::vector<UnreadablePart> unreadable;  // that the value lacks (decode.hpp, Parts)
};

}  // namespace receiptd::chain
