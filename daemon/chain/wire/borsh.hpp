// Borsh (encoding.md §1): little-endian integers, u32-counted sequences, u8-tagged variants.
//
// The Reader keeps the first error it meets and from then on returns zeros and empty values, so
// that a decoder reads a structure straight through and asks ok() in its loops and at its end.
#pragma once

#include "base/result.hpp"
#include "base/u128.hpp"
#include "chain/wire/bytes.hpp"
#include "chain/wire/hash.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::chain {

struct BorshError {
    std::string path;        // "actions[2].gas"; empty: the input as a whole
    std::string reason;      // "needs 8 bytes, 3 left"
    std::size_t offset = 0;  // of the value that could not be read
    std::string to_string() const;
};

template <class T>
using BorshResult = base::Result<T, BorshError>;

class Reader {
public:
    explicit Reader(ByteView input) : input_(input) {}

    // `what` names the value in errors; it must outlive the Reader.
    std::uint8_t u8(const char* what) { return integer<std::uint8_t>(what); }
    std::uint16_t u16(const char* what) { return integer<std::uint16_t>(what); }
    std::uint32_t u32(const char* what) { return integer<std::uint32_t>(what); }
    std::uint64_t u64(const char* what) { return integer<std::uint64_t>(what); }
    base::u128 u128(const char* what) { return integer<base::u128>(what); }
    bool boolean(const char* what);
    CryptoHash hash(const char* what);
    ByteView raw(const char* what, std::size_t size);
    Bytes bytes(const char* what);         // Vec<u8>
    std::string string(const char* what);  // valid UTF-8
    bool option(const char* what);         // the tag: true if a value follows
    // The index of an enum that has `variants` variants.
    std::uint8_t variant(const char* what, unsigned variants);
    // The count of a sequence; refuses one that could not fit into the rest of the input if each
    // element takes `smallest` bytes at least. Nothing may be allocated from the count alone.
    std::uint32_t count(const char* what, std::size_t smallest = 1);

    // Records an error of the decoder's own, at `offset`.
    void fail(const char* what, std::string reason, std::size_t offset);
    void expect_end();  // the input must be used up

    bool ok() const { return !failed_; }
    const BorshError& error() const { return error_; }
    std::size_t offset() const { return offset_; }
    std::size_t remaining() const { return input_.size() - offset_; }
    std::uint8_t peek(std::size_t ahead) const { return input_[offset_ + ahead]; }

    // The finished value, or the first error.
    template <class T>
    BorshResult<T> finish(T value) {
        expect_end();
        if (failed_) return error_;
        return value;
    }

    // Names a part of the structure in error paths while it lives.
    class Scope {
    public:
        static constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);
        Scope(Reader& reader, const char* name, std::size_t index = kNoIndex) : reader_(reader) {
            reader_.path_.push_back({name, index});
        }
        ~Scope() { reader_.path_.pop_back(); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        Reader& reader_;
    };

private:
    struct Step {
        const char* name;
        std::size_t index;
    };

    bool take(const char* what, std::size_t size, ByteView& out);
    std::string path_to(const char* what) const;

    template <class T>
    T integer(const char* what) {
        ByteView view;
        if (!take(what, sizeof(T), view)) return 0;
        T value = 0;
        for (std::size_t i = sizeof(T); i > 0; --i) {
            if constexpr (sizeof(T) > 1) value = static_cast<T>(value << 8);
            value = static_cast<T>(value | view[i - 1]);
        }
        return value;
    }

    ByteView input_;
    std::size_t offset_ = 0;
    bool failed_ = false;
    BorshError error_;
    std::vector<Step> path_;
};

class Writer {
public:
    void u8(std::uint8_t value) { integer(value); }
    void u16(std::uint16_t value) { integer(value); }
    void u32(std::uint32_t value) { integer(value); }
    void u64(std::uint64_t value) { integer(value); }
    void u128(base::u128 value) { integer(value); }
    void boolean(bool value) { u8(value ? 1 : 0); }
    void hash(const CryptoHash& value) { raw(value.bytes); }
    void raw(ByteView value) { out_.insert(out_.end(), value.begin(), value.end()); }
    void bytes(ByteView value);  // Vec<u8>
    void string(std::string_view value) { bytes(bytes_of(value)); }
    void option(bool present) { boolean(present); }
    void count(std::size_t value);  // throws std::length_error above 2^32 - 1

    const Bytes& result() const { return out_; }
    Bytes take() { return std::move(out_); }

private:
    template <class T>
    void integer(T value) {
        for (std::size_t i = 0; i < sizeof(T); ++i)
            out_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }

    Bytes out_;
};

}  // namespace receiptd::chain
