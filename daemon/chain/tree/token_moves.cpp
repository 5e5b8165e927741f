#include "chain/tree/token_moves.hpp"

#include "chain/wire/account_id.hpp"

#include <simdjson.h>

#include <optional>
#include <utility>

namespace receiptd::chain {

namespace {

namespace ondemand = simdjson::ondemand;

enum class TokenStandard : std::uint8_t { fungible, pieces, many };

// Members that name who has the tokens before and after.
struct Sides {
    Text from, to;
};

struct TokenEvent {
    TokenStandard standard = TokenStandard::fungible;
    Sides sides;
};

std::optional<TokenEvent> token_event(const ContractEvent& event) {
    TokenEvent found;
    Text prefix;
    if (event.standard == "nep141") {
        prefix = "ft_";
    } else if (event.standard == "nep171") {
        found.standard = TokenStandard::pieces;
        prefix = "nft_";
    } else if (event.standard == "nep245") {
        found.standard = TokenStandard::many;
        prefix = "mt_";
    } else {
        return std::nullopt;
    }
    if (!event.event.starts_with(prefix)) return std::nullopt;
    const auto verb = event.event.substr(prefix.size());
    if (verb == "transfer")
        found.sides = {"old_owner_id", "new_owner_id"};
    else if (verb == "mint")
        found.sides = {{}, "owner_id"};
    else if (verb == "burn")
        found.sides = {"owner_id", {}};
    else
        return std::nullopt;
    return found;
}

struct Item {
    Text from, to;
    std::optional<base::u128> amount;
    std::vector<Text> amounts, token_ids;
};

class TokenMoves {
public:
    explicit TokenMoves(const TokenEvent& event) : event_(event) {}

    // False: it cannot be read, and nothing behind it.
    bool item(ondemand::object object) {
        Item item;
        for (auto field : object) {
            Text key;
            ondemand::value value;
            if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
            if (field.value().get(value) != simdjson::SUCCESS) return false;
            if (!member(key, value, item)) return false;
        }
        add(item);
        return moves.size() < kMostTokenMoves;
    }

    std::vector<TokenMove> moves;

private:
    bool member(Text key, ondemand::value& value, Item& item) const {
        Text text;
        if (!event_.sides.from.empty() && key == event_.sides.from) {
            if (value.get(text) == simdjson::SUCCESS) item.from = text;
        } else if (!event_.sides.to.empty() && key == event_.sides.to) {
            if (value.get(text) == simdjson::SUCCESS) item.to = text;
        } else if (key == "amount" && event_.standard == TokenStandard::fungible) {
            if (value.get(text) == simdjson::SUCCESS) item.amount = base::parse_u128(text);
        } else if (key == "amounts" && event_.standard == TokenStandard::many) {
            return texts(value, item.amounts);
        } else if (key == "token_ids" && event_.standard != TokenStandard::fungible) {
            return texts(value, item.token_ids);
        }
        return true;
    }

    static bool texts(ondemand::value& value, std::vector<Text>& texts) {
        ondemand::array list;
        if (value.get(list) != simdjson::SUCCESS) return true;
        for (auto each : list) {
            Text text;
            ondemand::value one;
            if (each.get(one) != simdjson::SUCCESS) return false;
            if (one.get(text) != simdjson::SUCCESS) text = {};
            texts.push_back(text);
        }
        return true;
    }

    void add(const Item& item) {
        const bool is_many = event_.standard == TokenStandard::many;
        const bool is_whole =
            is_account(event_.sides.from, item.from) && is_account(event_.sides.to, item.to);
        if (!is_many) {
            const auto amount =
                event_.standard == TokenStandard::pieces ? base::u128{item.token_ids.size()} : item.amount;
            add(item, {}, is_whole ? amount : std::nullopt);
        } else if (!is_whole || item.amounts.size() != item.token_ids.size()) {
            add(item, {}, std::nullopt);
        } else {
            for (std::size_t i = 0; i < item.amounts.size() && moves.size() < kMostTokenMoves; ++i)
                add(item, item.token_ids[i], base::parse_u128(item.amounts[i]));
        }
    }

    void add(const Item& item, Text token, std::optional<base::u128> amount) {
        const auto position = position_++;
        if (amount.value_or(0) > 0 && item.from != item.to)
            moves.push_back({position, item.from, item.to, token, *amount});
    }

    static bool is_account(Text member, Text account_id) {
        return member.empty() || is_valid_account_id(account_id);
    }

    TokenEvent event_;
    std::size_t position_ = 0;
};

}  // namespace

std::vector<TokenMove> token_moves(const ContractEvent& event) {
    const auto known = token_event(event);
    if (!known || event.data.empty()) return {};
    thread_local ondemand::parser parser;
    thread_local simdjson::padded_string json;
    json = simdjson::padded_string(event.data);
    TokenMoves found(*known);
    ondemand::document document;
    ondemand::array list;
    if (parser.iterate(json).get(document) != simdjson::SUCCESS) return {};
    if (document.get_array().get(list) != simdjson::SUCCESS) return {};
    for (auto each : list) {
        ondemand::object object;
        if (each.get_object().get(object) != simdjson::SUCCESS || !found.item(object)) break;
    }
    return std::move(found.moves);
}

}  // namespace receiptd::chain
