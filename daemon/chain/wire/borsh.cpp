#include "chain/wire/borsh.hpp"

#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace receiptd::chain {

std::string BorshError::to_string() const {
    std::string text = path.empty() ? "" : path + ": ";
    return text + reason + " (at byte " + std::to_string(offset) + ")";
}

bool Reader::take(const char* what, std::size_t size, ByteView& out) {
    if (failed_) return false;
    if (size > remaining()) {
        fail(what, "needs " + std::to_string(size) + " bytes, " + std::to_string(remaining()) + " left",
             offset_);
        return false;
    }
    out = input_.subspan(offset_, size);
    offset_ += size;
    return true;
}

bool Reader::boolean(const char* what) {
    const std::size_t at = offset_;
    const std::uint8_t value = u8(what);
    if (value > 1) fail(what, "bool is " + std::to_string(value), at);
    return value == 1;
}

CryptoHash Reader::hash(const char* what) {
    CryptoHash hash;
    ByteView view;
    if (take(what, hash.bytes.size(), view)) std::copy(view.begin(), view.end(), hash.bytes.begin());
    return hash;
}

ByteView Reader::raw(const char* what, std::size_t size) {
    ByteView view;
    take(what, size, view);
    return view;
}

Bytes Reader::bytes(const char* what) {
    const ByteView view = raw(what, count(what));
    return {view.begin(), view.end()};
}

std::string Reader::string(const char* what) {
    const std::uint32_t size = count(what);
    const std::size_t at = offset_;
    const std::string_view text = text_of(raw(what, size));
    if (!simdjson::validate_utf8(text.data(), text.size())) {
        fail(what, "invalid UTF-8", at);
        return {};
    }
    return std::string(text);
}

bool Reader::option(const char* what) {
    const std::size_t at = offset_;
    const std::uint8_t tag = u8(what);
    if (tag > 1) fail(what, "option tag is " + std::to_string(tag), at);
    return tag == 1;
}

std::uint8_t Reader::variant(const char* what, unsigned variants) {
    const std::size_t at = offset_;
    const std::uint8_t index = u8(what);
    if (index >= variants) fail(what, "unknown variant " + std::to_string(index), at);
    return index;
}

std::uint32_t Reader::count(const char* what, std::size_t smallest) {
    const std::size_t at = offset_;
    const std::uint32_t value = u32(what);
    if (value > remaining() / smallest) {
        fail(what, "length " + std::to_string(value) + ", but " + std::to_string(remaining()) + " bytes left",
             at);
        return 0;
    }
    return value;
}

void Reader::fail(const char* what, std::string reason, std::size_t offset) {
    if (failed_) return;
    failed_ = true;
    error_ = {path_to(what), std::move(reason), offset};
}

void Reader::expect_end() {
    if (remaining() != 0) fail("", std::to_string(remaining()) + " trailing bytes", offset_);
}

std::string Reader::path_to(const char* what) const {
    std::string path;
    for (const Step& step : path_) {
        if (!path.empty()) path += '.';
        path += step.name;
        if (step.index != Scope::kNoIndex) path += '[' + std::to_string(step.index) + ']';
    }
    if (*what == '\0') return path;
    return path.empty() ? what : path + '.' + what;
}

void Writer::bytes(ByteView value) {
    count(value.size());
    raw(value);
}

void Writer::count(std::size_t value) {
    if (value > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("borsh: sequence too long");
    u32(static_cast<std::uint32_t>(value));
}

}  // namespace receiptd::chain
