// The hand-written documents of tests/data/fuzz, whole or with one place changed.
#pragma once

#include "chain/json/decode.hpp"

#include "support/read_file.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace receiptd::chain::testing {

using OrderedJson = nlohmann::ordered_json;

// e.g. "block/full.json"
inline std::string fixture(const std::string& name) {
    return test::read_file(std::string(RECEIPTD_TEST_DATA) + "/fuzz/" + name);
}

// The fixture with the value at a JSON pointer replaced by raw JSON text, or removed.
class Changed {
public:
    explicit Changed(const std::string& name) : json_(OrderedJson::parse(fixture(name))) {}
    Changed& set(const std::string& pointer, const std::string& raw) {
        json_[OrderedJson::json_pointer(pointer)] = "@" + std::to_string(replacements_.size());
        replacements_.push_back(raw);
        return *this;
    }
    Changed& remove(const std::string& pointer) {
        const OrderedJson::json_pointer at(pointer);
        json_.at(at.parent_pointer()).erase(at.back());
        return *this;
    }
    std::string text() const {
        std::string text = json_.dump();
        for (std::size_t i = 0; i < replacements_.size(); ++i) {
            const std::string mark = "\"@" + std::to_string(i) + "\"";
            const std::size_t at = text.find(mark);  // not there: removed or set again since
            if (at != std::string::npos) text.replace(at, mark.size(), replacements_[i]);
        }
        return text;
    }

private:
    OrderedJson json_;
    std::vector<std::string> replacements_;
};

// "path: reason" of a failure; empty for a success.
template <class Result>
std::string error_of(const Result& result) {
    return result ? std::string() : result.error().to_string();
}

}  // namespace receiptd::chain::testing
