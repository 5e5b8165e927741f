#include "chain/rows/args_json.hpp"

#include "chain/json/json_check.hpp"
#include "chain/tree/readable_args.hpp"

#include <functional>
#include <optional>
#include <string>

namespace receiptd::chain {

namespace {

struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
};

bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::size_t before_space(Text json, std::size_t end) {
    while (end > 0 && is_json_space(json[end - 1])) --end;
    return end;
}

// Finds the member `"args":"…"` whose string is `args` in `json`; nullopt if the view does not point into it
// (the string had escapes and was unescaped elsewhere).
std::optional<Span> args_member(Text json, Text args) {
    const std::less_equal<const char*> not_after;
    if (!not_after(json.data(), args.data()) ||
        !not_after(args.data() + args.size(), json.data() + json.size()))
        return std::nullopt;
    const auto first = static_cast<std::size_t>(args.data() - json.data());
    const auto last = first + args.size();
    if (first == 0 || json[first - 1] != '"' || last >= json.size() || json[last] != '"') return std::nullopt;
    const auto colon = before_space(json, first - 1);
    if (colon == 0 || json[colon - 1] != ':') return std::nullopt;
    const auto key_end = before_space(json, colon - 1);
    constexpr Text kKey = "\"args\"";
    if (!json.substr(0, key_end).ends_with(kKey)) return std::nullopt;
    return Span{key_end - kKey.size(), last + 1};
}

class Rewriter {
public:
    // `json`: as the actions point into it; `stored`: as long, what is written of it.
    Rewriter(CopyWriter& row, Text json, Text stored) : row_(row), json_(json), stored_(stored) {
        row_.begin_pieces();
    }

    void actions(const List<Action>& actions) {
        for (const auto& action : actions) {
            if (action.kind == ActionKind::function_call) function_call(action);
            this->actions(action.delegate_actions);
        }
    }

    void finish() {
        row_.piece(stored_.substr(done_));
        row_.end_pieces();
    }

private:
    void function_call(const Action& action) {
        const auto member = args_member(json_, action.args);
        if (!member || member->begin < done_) return;
        const auto readable = readable_args(action.args);
        if (!readable) return;
        row_.piece(stored_.substr(done_, member->begin - done_));
        row_.piece("\"args_json\":");
        row_.piece(*readable);
        done_ = member->end;
    }

    CopyWriter& row_;
    Text json_, stored_;
    std::size_t done_ = 0;  // stored_ up to here is written
};

}  // namespace

bool write_actions(CopyWriter& row, Text json, const List<Action>& actions) {
    const StorableJson storable(json);
    if (!storable.text) {
        row.null();
        return false;
    }
    Rewriter rewriter(row, json, *storable.text);
    rewriter.actions(actions);
    rewriter.finish();
    return storable.is_changed();
}

}  // namespace receiptd::chain
