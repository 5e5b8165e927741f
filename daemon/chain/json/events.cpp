#include "chain/json/events.hpp"

#include "chain/json/document.hpp"
#include "chain/json/json_check.hpp"

#include <simdjson.h>

#include <string>

namespace receiptd::chain {

namespace {

constexpr Text kPrefix = "EVENT_JSON:";

// Anybody may emit any name, and names are indexed: PostgreSQL refuses index entries of 2.7 kB.
constexpr std::size_t kLongestEventName = 256;

Text cut(Text name) {
    if (name.size() <= kLongestEventName) return name;
    std::size_t end = kLongestEventName;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // inside a character
    return name.substr(0, end);
}

Text name_or_empty(simdjson::ondemand::value value) {
    Text text;
    if (value.get_string().get(text) != simdjson::SUCCESS) return {};
    return cut(text);
}

Text data_text(simdjson::ondemand::value value) {
    Text text;
    if (simdjson::to_json_string(value).get(text) != simdjson::SUCCESS || text == "null") return {};
    return text;
}

void read_member(simdjson::ondemand::field field, ContractEvent& event) {
    Text key;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) return;
    if (key == "standard")
        event.standard = name_or_empty(field.value());
    else if (key == "version")
        event.version = name_or_empty(field.value());
    else if (key == "event")
        event.event = name_or_empty(field.value());
    else if (key == "data")
        event.data = data_text(field.value());
}

}  // namespace

std::optional<ContractEvent> read_event(Text log) {
    if (!log.starts_with(kPrefix)) return std::nullopt;
    const Text payload = log.substr(kPrefix.size());
    const StorableJson storable(payload);
    if (!storable.text) return std::nullopt;

    thread_local simdjson::ondemand::parser parser;
    thread_local std::string json;
    json.assign(*storable.text);
    if (json.capacity() < json.size() + kJsonPadding) json.reserve((json.size() + kJsonPadding) * 2);
    simdjson::ondemand::document document;
    simdjson::ondemand::object object;
    if (parser.iterate(json.data(), json.size(), json.capacity()).get(document) != simdjson::SUCCESS ||
        document.get_object().get(object) != simdjson::SUCCESS)
        return std::nullopt;
    ContractEvent event;
    for (auto member : object) {
        simdjson::ondemand::field field;
        if (std::move(member).get(field) != simdjson::SUCCESS) return std::nullopt;
        read_member(std::move(field), event);
    }
    return event;
}

}  // namespace receiptd::chain
