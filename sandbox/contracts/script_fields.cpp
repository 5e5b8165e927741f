#include "sandbox/contracts/script_fields.hpp"

#include "chain/wire/account_id.hpp"
#include "chain/wire/base64.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace receiptd::sandbox::contracts {

namespace {

constexpr double kMaxTgas = 1e6;  // far above what any call may have
constexpr std::size_t kShownChars = 80;
const Json kNull;

// A value as a panic shows it.
std::string shown(const Json& value) {
    std::string text = value.dump();
    if (text.size() <= kShownChars) return text;
    std::size_t end = kShownChars;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end) + "…";
}

}  // namespace

void ScriptValue::fail(const std::string& text) const {
    host_.panic(where_ + ": " + text);
    throw_returned_panic();
}

std::string ScriptValue::text() const {
    if (!json_.is_string()) fail("wanted a text, not " + shown(json_));
    return json_.get<std::string>();
}

std::string ScriptValue::account() const {
    std::string id = text();
    if (id == "@self") return host_.current_account_id();
    if (id == "@signer") return host_.signer_id();
    if (id == "@predecessor") return host_.predecessor_id();
    if (!chain::is_valid_account_id(id)) fail("not an account id: " + shown(json_));
    return id;
}

u128 ScriptValue::amount() const {
    const auto amount =
        json_.is_string() ? base::parse_u128(json_.get_ref<const std::string&>()) : std::nullopt;
    if (!amount) fail("wanted an amount of yocto as a decimal string, not " + shown(json_));
    return *amount;
}

Gas ScriptValue::gas() const {
    if (json_.is_string()) {
        const auto gas = base::parse_u128(json_.get_ref<const std::string&>());
        if (gas && *gas <= std::numeric_limits<Gas>::max()) return static_cast<Gas>(*gas);
    } else if (json_.is_number()) {
        const double tgas = json_.get<double>();
        if (tgas >= 0 && tgas <= kMaxTgas) return static_cast<Gas>(std::llround(tgas * 1e12));
    }
    fail("wanted a number of Tgas, or gas as a decimal string, not " + shown(json_));
}

std::uint64_t ScriptValue::count() const {
    if (!json_.is_number_unsigned()) fail("wanted a whole number, not " + shown(json_));
    return json_.get<std::uint64_t>();
}

Bytes ScriptValue::base64() const {
    auto bytes = chain::base64_decode(text());
    if (!bytes) fail("not base64: " + shown(json_));
    return std::move(*bytes);
}

sim::PublicKey ScriptValue::public_key() const {
    auto key = sim::PublicKey::parse(text());
    if (!key) fail("not a public key: " + shown(json_));
    return std::move(*key);
}

std::vector<ScriptValue> ScriptValue::list() const {
    if (!json_.is_array()) fail("wanted a list, not " + shown(json_));
    std::vector<ScriptValue> values;
    values.reserve(json_.size());
    for (const Json& element : json_) values.emplace_back(host_, where_, element);
    return values;
}

ScriptFields::ScriptFields(const ScriptValue& object) : object_(object) {
    if (!object.json().is_object()) object.fail("wanted an object, not " + shown(object.json()));
}

bool ScriptFields::has(const char* name) const { return object_.json().contains(name); }

ScriptValue ScriptFields::required(const char* name) {
    auto value = optional(name);
    if (!value) fail(std::string("\"") + name + "\" is missing");
    return *value;
}

std::optional<ScriptValue> ScriptFields::optional(const char* name) {
    known_.insert(name);
    const auto found = object_.json().find(name);
    if (found == object_.json().end()) return std::nullopt;
    return ScriptValue(object_.host(), object_.where() + ": \"" + name + "\"", *found);
}

void ScriptFields::finish() const {
    for (const auto& member : object_.json().items()) {
        if (!known_.contains(member.key())) fail("unknown member " + shown(Json(member.key())));
    }
}

ScriptCall read_script_call(ScriptFields& fields) {
    ScriptCall call;
    if (const auto program = fields.optional("run")) {
        if (fields.has("method") || fields.has("args") || fields.has("args_base64")) {
            fields.fail("\"run\" stands for a method and its args: give one or the other");
        }
        program->list();
        call.action.method_name = "run";
        call.action.args = json_bytes(Json{{"steps", program->json()}});
    } else {
        call.action.method_name = fields.required("method").text();
        const auto args = fields.optional("args");
        const auto raw = fields.optional("args_base64");
        if (args && raw) fields.fail("\"args\" and \"args_base64\" exclude each other");
        if (raw)
            call.action.args = raw->base64();
        else
            call.action.args = args ? json_bytes(args->json()) : to_bytes("{}");
    }
    const auto gas = fields.optional("gas");
    if (gas) call.action.gas = gas->gas();
    const auto weight = fields.optional("weight");
    call.weight = weight ? weight->count() : (gas ? 0 : 1);
    return call;
}

ScriptItem read_script_item(const ScriptValue& item, const std::string& what) {
    const Json& json = item.json();
    if (json.is_string()) {
        const auto& verb = json.get_ref<const std::string&>();
        return {verb, {item.host(), item.where() + " (" + verb + ")", kNull}};
    }
    if (!json.is_object() || json.size() != 1) {
        item.fail("wanted a " + what + ", an object with one member or a text, not " + shown(json));
    }
    const auto& verb = json.begin().key();
    return {verb, {item.host(), item.where() + " (" + verb + ")", json.begin().value()}};
}

}  // namespace receiptd::sandbox::contracts
