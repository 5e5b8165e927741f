#include "base/exact_json.hpp"

#include "base/json_numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>

namespace receiptd::base {
namespace {

using Json = nlohmann::ordered_json;

// nlohmann's own maker of values, but for numbers.
class ExactMaker : public nlohmann::detail::json_sax_dom_parser<Json> {
public:
    ExactMaker(Json& into, const std::vector<std::string_view>& numbers)
        : json_sax_dom_parser(into, false), numbers_(numbers) {}

    bool number_unsigned(std::uint64_t place) {
        const auto digits = numbers_[place];
        return same<std::uint64_t>(digits) || same<std::int64_t>(digits) || same<double>(digits) ||
               keep(digits);
    }

private:
    // Takes the number where it is written as it was.
    template <class Number>
    bool same(std::string_view digits) {
        Number value{};
        const auto end = digits.data() + digits.size();
        const auto [last, error] = std::from_chars(digits.data(), end, value);
        if (error != std::errc() || last != end) return false;
        const Json number(value);
        return number.dump() == digits && put(value);
    }
    bool put(std::uint64_t value) { return json_sax_dom_parser::number_unsigned(value); }
    bool put(std::int64_t value) { return json_sax_dom_parser::number_integer(value); }
    bool put(double value) { return json_sax_dom_parser::number_float(value, {}); }
    bool keep(std::string_view digits) {
        Json::binary_t kept(std::vector<std::uint8_t>(digits.begin(), digits.end()));
        return json_sax_dom_parser::binary(kept);
    }

    const std::vector<std::string_view>& numbers_;
};

template <class AnyJson>
bool holds_digits(const AnyJson& json) {
    if (!json.is_structured()) return json.is_binary();
    return std::any_of(json.begin(), json.end(), [](const auto& each) { return holds_digits(each); });
}

template <class AnyJson>
std::string dumped(const AnyJson& json, int indent) {
    return json.dump(indent, ' ', false, AnyJson::error_handler_t::replace);
}

// As nlohmann writes them.
template <class AnyJson>
class Writer {
public:
    explicit Writer(int indent) : indent_(indent) {}

    void write(const AnyJson& json, int depth = 1) {
        if (json.is_binary()) {
            text.append(json.get_binary().begin(), json.get_binary().end());
            return;
        }
        if (!json.is_structured() || json.empty()) {
            text += dumped(json, -1);
            return;
        }
        const bool is_object = json.is_object();
        text += is_object ? '{' : '[';
        for (auto it = json.begin(); it != json.end(); ++it) {
            if (it != json.begin()) text += ',';
            new_line(depth);
            if (is_object) text += dumped(AnyJson(it.key()), -1) + (indent_ < 0 ? ":" : ": ");
            write(*it, depth + 1);
        }
        new_line(depth - 1);
        text += is_object ? '}' : ']';
    }

    std::string text;

private:
    void new_line(int depth) {
        if (indent_ >= 0) text.append(1, '\n').append(static_cast<std::size_t>(indent_ * depth), ' ');
    }

    int indent_;
};

template <class AnyJson>
std::string written(const AnyJson& json, int indent) {
    if (!holds_digits(json)) return dumped(json, indent);
    Writer<AnyJson> writer(indent);
    writer.write(json);
    return std::move(writer.text);
}

}  // namespace

Json read_json(std::string_view text) {
    const auto apart = without_numbers(text);
    Json json;
    ExactMaker maker(json, apart.numbers);
    if (!Json::sax_parse(apart.json, &maker)) return Json(Json::value_t::discarded);
    return json;
}

std::string write_json(const Json& json, int indent) { return written(json, indent); }
std::string write_json(const nlohmann::json& json, int indent) { return written(json, indent); }

std::optional<double> number_in(const Json& json) {
    if (json.is_number()) return json.get<double>();
    if (!json.is_binary()) return std::nullopt;
    const auto& digits = json.get_binary();
    return std::strtod(std::string(digits.begin(), digits.end()).c_str(), nullptr);
}

}  // namespace receiptd::base
