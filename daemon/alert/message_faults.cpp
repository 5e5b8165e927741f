#include "alert/message_faults.hpp"

#include "base/exact_json.hpp"
#include "rule/messages.hpp"

namespace receiptd::alert {
namespace {

using Checked = nlohmann::ordered_json;

rule::ValueType type_of_value(const Checked& value) {
    using rule::ValueType;
    if (value.is_null()) return ValueType::null;
    if (value.is_boolean()) return ValueType::boolean;
    if (value.is_string()) return ValueType::text;
    if (value.is_array()) return ValueType::list;
    if (value.is_object()) return ValueType::table;
    return ValueType::number;
}

// The member; nullptr: it is missing. `is_there`: whether what it is a member of is an object.
const Checked* member(const Checked& body, const std::vector<std::string>& path, bool& is_there) {
    const auto* value = &body;
    for (std::size_t i = 0; i < path.size(); ++i) {
        is_there = value->is_object();
        const auto found = is_there ? value->find(path[i]) : value->end();
        if (!is_there || found == value->end()) {
            is_there = is_there && i + 1 == path.size();
            return nullptr;
        }
        value = &*found;
    }
    return value;
}

std::string dotted(const std::vector<std::string>& path) {
    std::string text;
    for (const auto& name : path) text += (text.empty() ? "" : ".") + name;
    return text;
}

}  // namespace

std::vector<std::string> faults_of(const Checked& body) {
    std::vector<std::string> faults;
    for (const auto& required : rule::required_members(body.value("type", ""))) {
        bool is_there = false;
        const auto* value = member(body, required.path, is_there);
        if (value ? !required.allows(type_of_value(*value)) : is_there)
            faults.push_back(dotted(required.path));
    }
    return faults;
}

}  // namespace receiptd::alert
