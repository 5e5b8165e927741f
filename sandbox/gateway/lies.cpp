#include "sandbox/gateway/lies.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::sandbox {

namespace {

using nlohmann::json;

struct Member {
    std::string_view name;
    bool (*fits)(const json& value);
    std::string_view expected;
    json standard = nullptr;
};

struct Known {
    std::string_view name;
    std::vector<Member> members;
};

Member number(std::string_view name, json standard = nullptr) {
    return {name, [](const json& value) { return value.is_number_unsigned(); }, "a whole number",
            std::move(standard)};
}
Member above_zero(std::string_view name, json standard) {
    const auto fits = [](const json& value) { return value.is_number_unsigned() && value > 0u; };
    return {name, fits, "a whole number above 0", std::move(standard)};
}
Member text(std::string_view name, json standard = nullptr) {
    return {name, [](const json& value) { return value.is_string(); }, "a string", std::move(standard)};
}
Member any(std::string_view name, json standard) {
    return {name, [](const json&) { return true; }, "any JSON", std::move(standard)};
}
Member integer(std::string_view name, json standard) {
    return {name, [](const json& value) { return value.is_number_integer(); }, "an integer",
            std::move(standard)};
}
Member flag(std::string_view name) {
    return {name, [](const json& value) { return value.is_boolean(); }, "true or false", false};
}

Member outcome_kind(std::string_view name) {
    const auto fits = [](const json& value) { return value == "failure" || value == "success"; };
    return {name, fits, "failure or success", "failure"};
}
Member of_what(std::string_view name) {
    const auto fits = [](const json& value) { return value == "receipt" || value == "transaction"; };
    return {name, fits, "receipt or transaction", "receipt"};
}
Member refusal(std::string_view name) {
    return {name, [](const json& value) { return value == 401 || value == 402 || value == 403; },
            "401, 402 or 403", 403};
}
Member version(std::string_view name) {
    const auto fits = [](const json& value) { return value == "2.9" || value == "2.10" || value == "2.12"; };
    return {name, fits, "2.9, 2.10 or 2.12", "2.12"};
}
Member shard_list(std::string_view name) {
    const auto fits = [](const json& value) {
        return value.is_array() && std::all_of(value.begin(), value.end(),
                                               [](const json& each) { return each.is_number_unsigned(); });
    };
    return {name, fits, "an array of shard ids"};
}

Member json_texts(std::string_view name) {
    const auto fits = [](const json& value) {
        return value.is_object() &&
               std::all_of(value.begin(), value.end(), [](const json& each) { return each.is_string(); });
    };
    return {name, fits, "an object of JSON texts", json::object()};
}

const std::vector<Known>& known_lies() {
    static const std::vector<Known> known{
        {"false_head", {above_zero("ahead", 30), number("height"), number("like")}},
        {"fork", {number("from"), above_zero("blocks", 1), flag("wrong_parent"), integer("days", 0)}},
        {"false_header", {text("member"), any("value", nullptr), integer("days", 0), integer("step", 0)}},
        {"network", {text("chain_id"), text("genesis_hash"), flag("blocks")}},
        {"balance", {text("amount", "0"), text("account")}},
        {"nonce", {above_zero("ahead", 1'000'000), number("nonce"), text("account")}},
        {"missing_key", {text("account")}},
        {"missing_account", {text("account")}},
        {"gas_price", {text("price", "1")}},
        {"validity_period", {number("blocks", 10)}},
        {"earliest_height", {number("height", 0)}},
        {"invalid_transaction", {any("error", "Expired")}},
        {"unknown_transaction", {text("tx_hash")}},
        {"untracked_shards", {shard_list("shards")}},
        {"long_names", {above_zero("bytes", 6'000)}},
        {"odd_members", {json_texts("values"), text("hash")}},
        {"doubled_shard", {}},
        {"large_tree", {above_zero("inputs", 2'000)}},
        {"unfinished_tree", {number("bytes", 1 << 20), number("receipts", 0)}},
        {"false_outcome", {outcome_kind("status"), text("log")}},
        {"outcome_left_out", {of_what("of")}},
        {"outcome_invented", {}},
        {"false_tx_hash", {text("tx_hash")}},
        {"null_block", {above_zero("every", 1), number("height")}},
        {"null_outcome", {above_zero("every", 1), text("tx_hash")}},
        {"missing_outcome", {above_zero("every", 1), text("receipt_id")}},
        {"outcome_again", {above_zero("after", 3), above_zero("every", 1), flag("transactions")}},
        {"dialect", {version("version"), flag("sorted"), flag("twice")}},
        {"forbidden", {refusal("status"), text("method", "")}},
        {"deep_json", {above_zero("levels", 200'000), text("method", "")}},
        {"gzip_bomb", {above_zero("members", 1), number("bytes", 128 << 20), text("method", "")}},
    };
    return known;
}

const Known* known_lie(std::string_view name) {
    const auto& all = known_lies();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Known& each) { return each.name == name; });
    return found == all.end() ? nullptr : &*found;
}

std::string names() {
    std::string all;
    for (const auto& each : known_lies()) all.append(all.empty() ? "" : ", ").append(each.name);
    return all;
}

std::string member_names(const Known& known) {
    std::string all = "times";
    for (const auto& each : known.members) all.append(", ").append(each.name);
    return all;
}

// Empty, or what is wrong.
std::string read_member(const Known& known, const std::string& name, const json& value, Lie& lie) {
    if (name == "times") {
        if (!value.is_number_unsigned() || value == 0u) return "times must be a whole number above 0";
        lie.times = value.get<std::uint64_t>();
        return "";
    }
    const auto member = std::find_if(known.members.begin(), known.members.end(),
                                     [&](const Member& each) { return each.name == name; });
    if (member == known.members.end())
        return "`" + lie.name + "` has no member `" + name + "`; it has: " + member_names(known);
    if (!member->fits(value)) return name + " must be " + std::string(member->expected);
    lie.members[name] = value;
    return "";
}

// Empty, or what is wrong.
std::string read_lie(const json& object, Lie& lie) {
    if (!object.is_object() || !object.contains("lie") || !object["lie"].is_string())
        return "must be an object with a `lie`, one of " + names();
    lie.name = object["lie"].get<std::string>();
    const Known* known = known_lie(lie.name);
    if (!known) return "lie must be one of " + names() + ", not `" + lie.name + "`";
    for (const auto& member : known->members) lie.members[std::string(member.name)] = member.standard;
    for (const auto& [name, value] : object.items()) {
        if (name == "lie") continue;
        const auto problem = read_member(*known, name, value, lie);
        if (!problem.empty()) return problem;
    }
    return "";
}

}  // namespace

Lie* Lies::find(std::string_view name) {
    const auto found =
        std::find_if(lies_.begin(), lies_.end(), [&](const Lie& lie) { return lie.name == name; });
    return found == lies_.end() ? nullptr : &*found;
}

void Lies::settle() {
    std::erase_if(lies_, [](Lie& lie) {
        if (!std::exchange(lie.told, false)) return false;
        ++lie.answers;
        return lie.times > 0 && --lie.times == 0;
    });
}

base::Result<std::vector<Lie>, std::string> read_lies(const json& list) {
    if (!list.is_array()) return std::string("lies must be an array of objects");
    std::vector<Lie> lies;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto problem = read_lie(list[i], lies.emplace_back());
        if (!problem.empty()) return "lies[" + std::to_string(i) + "]: " + problem;
    }
    return lies;
}

json to_json(const std::vector<Lie>& lies) {
    json list = json::array();
    for (const auto& lie : lies) {
        json object = lie.members;
        for (auto member = object.begin(); member != object.end();)
            member = member->is_null() ? object.erase(member) : std::next(member);
        object["lie"] = lie.name;
        object["told"] = lie.answers;
        if (lie.times > 0) object["times"] = lie.times;
        list.push_back(std::move(object));
    }
    return list;
}

}  // namespace receiptd::sandbox
