#include "sandbox/gateway/fault_json.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {

namespace {

using nlohmann::json;

// How the amount of a fault is called; nullptr: it has none.
const char* amount_name(Fault fault) {
    switch (fault) {
        case Fault::server_error: return "status";
        case Fault::slow:
        case Fault::latency: return "ms";
        case Fault::stale:
        case Fault::pruned: return "blocks";
        case Fault::clock: return "seconds";
        case Fault::flapping: return "requests";
        case Fault::without_receipts: return "keep_every";
        default: return nullptr;
    }
}

std::string read_amount(const json& value, FaultShare& rule) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() == 0) return "a whole number above 0";
    rule.amount = value.get<std::uint64_t>();
    if (rule.fault == Fault::server_error && (rule.amount < 400 || rule.amount > 599)) return "400 to 599";
    constexpr std::uint64_t kLongest = 3'600'000;
    if ((rule.fault == Fault::slow || rule.fault == Fault::latency) && rule.amount > kLongest)
        return "at most 3600000";
    if (rule.fault == Fault::clock && rule.amount > kLongest) return "at most 3600000";
    return "";
}

std::string read_wrong(const json& value, WrongAnswer& wrong) {
    if (value == "other_block") return "";
    wrong.other_block = false;
    if (value.is_object() && value.size() == 1 && value.contains("result")) {
        wrong.result = value["result"].dump();
        return "";
    }
    if (value.is_object() && value.size() == 1 && value.contains("error") && value["error"].is_string()) {
        wrong.error = value["error"].get<std::string>();
        return "";
    }
    return R"("other_block", {"result": any JSON} or {"error": "NAME_OF_A_CAUSE"})";
}

// Empty, or what the member must be.
std::string read_member(const std::string& name, const json& value, FaultShare& rule) {
    if (name == "share") {
        const bool good = value.is_number() && value.get<double>() >= 0 && value.get<double>() <= 1;
        if (good) rule.share = value.get<double>();
        return good ? "" : "a number from 0 to 1";
    }
    if (name == "method") {
        if (value.is_string()) rule.method = value.get<std::string>();
        return value.is_string() ? "" : "a JSON-RPC method or the start of a path";
    }
    if (name == "answer" && rule.fault == Fault::wrong) return read_wrong(value, rule.wrong);
    const char* amount = amount_name(rule.fault);
    if (amount && name == amount) return read_amount(value, rule);
    return "left out: this fault has no such member";
}

base::Result<FaultShare, std::string> read_rule(const json& object) {
    if (!object.is_object() || !object.contains("fault") || !object["fault"].is_string())
        return std::string("must be an object with a `fault`, one of ") + fault_names();
    FaultShare rule;
    rule.fault = fault_named(object["fault"].get_ref<const std::string&>());
    rule.share = 1;
    if (rule.fault == Fault::none)
        return "fault must be one of " + fault_names() + ", not `" + object["fault"].get<std::string>() + "`";
    for (const auto& [name, value] : object.items()) {
        if (name == "fault") continue;
        const std::string expected = read_member(name, value, rule);
        if (!expected.empty()) return name + " must be " + expected;
    }
    return rule;
}

json answer_json(const WrongAnswer& wrong) {
    if (wrong.other_block) return "other_block";
    if (!wrong.error.empty()) return {{"error", wrong.error}};
    return {{"result", json::parse(wrong.result)}};
}

}  // namespace

base::Result<FaultPlan, std::string> read_fault_plan(const json& rules) {
    if (!rules.is_array()) return std::string("faults must be an array of objects");
    FaultPlan plan;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        auto rule = read_rule(rules[i]);
        if (rule.has_error()) return "faults[" + std::to_string(i) + "]: " + rule.error();
        plan.push_back(std::move(*rule));
    }
    if (auto problem = check_shares(plan); !problem.empty()) return "faults: " + problem;
    return plan;
}

json to_json(const FaultPlan& plan) {
    json rules = json::array();
    for (const auto& rule : plan) {
        json object{{"fault", fault_name(rule.fault)}, {"share", rule.share}};
        if (!rule.method.empty()) object["method"] = rule.method;
        if (rule.amount > 0) object[amount_name(rule.fault)] = rule.amount;
        if (rule.fault == Fault::wrong) object["answer"] = answer_json(rule.wrong);
        rules.push_back(std::move(object));
    }
    return rules;
}

}  // namespace receiptd::sandbox
