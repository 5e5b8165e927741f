#include "watch/metadata.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <utility>

namespace receiptd::watch {
namespace {

using Metadata = nlohmann::json;

constexpr std::size_t kLongestRead = 4 * kLongestMetadata;  // with spaces
constexpr double kFirstInexact = 9'007'199'254'740'992;     // 2^53

const std::string kNoObject = "must be a JSON object";
const std::string kTooLong = "must have at most " + std::to_string(kLongestMetadata) + " bytes";

bool has_nul(const std::string& text) { return text.find('\0') != std::string::npos; }

// Empty: nothing is wrong. PostgreSQL stores no NUL; larger numbers would come back rounded.
std::string fault_in(const Metadata& value, std::size_t depth) {
    if (value.is_structured() && depth == 0)
        return "must not be deeper than " + std::to_string(kDeepestMetadata) + " levels";
    if (value.is_string() && has_nul(value.get_ref<const std::string&>()))
        return "must not hold a NUL character";
    if (value.is_number_float() && std::abs(value.get<double>()) >= kFirstInexact)
        return "holds a number that is too large to stay exact: write it as a string";
    if (!value.is_structured()) return {};
    for (const auto& [name, part] : value.items()) {
        if (value.is_object() && has_nul(name)) return "must not hold a NUL character";
        if (auto fault = fault_in(part, depth - 1); !fault.empty()) return fault;
    }
    return {};
}

}  // namespace

base::Result<std::string, MetadataFault> metadata_text(const Metadata& value) {
    using Made = base::Result<std::string, MetadataFault>;
    if (!value.is_object()) return MetadataFault{kNoObject};
    if (auto fault = fault_in(value, kDeepestMetadata); !fault.empty())
        return MetadataFault{std::move(fault)};
    auto text = value.dump();
    if (text.size() > kLongestMetadata) return MetadataFault{kTooLong};
    return Made(boost::system::in_place_value, std::move(text));
}

base::Result<std::string, MetadataFault> read_metadata(std::string_view json) {
    if (json.size() > kLongestRead) return MetadataFault{kTooLong};
    const auto value = Metadata::parse(json, nullptr, false);
    if (value.is_discarded()) return MetadataFault{kNoObject};
    return metadata_text(value);
}

// One that was inserted by SQL may have spaces.
bool may_have_metadata(const std::string& stored, const std::string& given) {
    if (stored.empty() || given.empty() || stored == given) return true;
    return Metadata::parse(stored, nullptr, false) == Metadata::parse(given, nullptr, false);
}

}  // namespace receiptd::watch
