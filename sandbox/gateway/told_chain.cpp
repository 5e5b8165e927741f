#include "sandbox/gateway/told_chain.hpp"

#include "sandbox/gateway/rpc_context.hpp"

#include <algorithm>
#include <limits>

namespace receiptd::sandbox {

namespace {

constexpr Height kForEver = std::numeric_limits<Height>::max();

constexpr std::int64_t kNanosecondsPerDay = 86'400'000'000'000;

void change(nlohmann::ordered_json& header, Lie& lie) {
    if (lie.has("member")) {
        const auto member = lie.text("member");
        if (lie.has("value"))
            header[member] = lie.members["value"];
        else
            header.erase(member);
    }
    const auto days = lie.members["days"].get<std::int64_t>() +
                      lie.members["step"].get<std::int64_t>() * static_cast<std::int64_t>(lie.answers);
    if (days != 0) {
        const auto truth = std::stoll(header["timestamp_nanosec"].get<std::string>());
        const auto time = truth + days * kNanosecondsPerDay;
        header["timestamp"] = time;
        header["timestamp_nanosec"] = std::to_string(time);
    }
    lie.told = true;
}

// `path`: of the header.
std::string with_false_header(const std::string& text, const char* path, Lie& lie) {
    auto told = nlohmann::ordered_json::parse(text);
    change(told[nlohmann::ordered_json::json_pointer(path)], lie);
    return told.dump();
}

// The hash of no block.
std::string nobodys_hash() { return chain::sha256(chain::bytes_of("nobody's block")).to_string(); }

}  // namespace

void ToldChain::begin() {
    hashes_.clear();
    const Height tip = truth_.tip();
    const Height final = truth_.final_head(tip);
    if (Lie* lie = lies_.find("false_head")) {
        if (!lie->has("height")) lie->members["height"] = final + lie->number("ahead");
        if (!lie->has("like")) lie->members["like"] = tip;
    }
    if (Lie* lie = lies_.find("fork"); lie && !lie->has("from")) {
        Height from = final + 1;
        while (from < tip && !truth_.has_block(from)) ++from;
        lie->members["from"] = from;
    }
}

std::optional<ToldChain::Forged> ToldChain::false_head() const {
    Lie* lie = forger_ ? lies_.find("false_head") : nullptr;
    if (!lie) return std::nullopt;
    return Forged{lie, lie->number("height"), lie->number("height"), true};
}

std::optional<ToldChain::Forged> ToldChain::fork() const {
    Lie* lie = forger_ ? lies_.find("fork") : nullptr;
    if (lie) {
        const Height from = lie->number("from");
        const Height more = std::min(lie->number("blocks") - 1, kForEver - from);
        return Forged{lie, from, from + more, lie->members["wrong_parent"] == true};
    }
    lie = forger_ ? lies_.find("network") : nullptr;
    if (!lie || lie->members["blocks"] != true) return std::nullopt;
    return Forged{lie, truth_.first(), kForEver, false};
}

std::optional<ToldChain::Forged> ToldChain::forged_at(Height height) const {
    if (const auto head = false_head(); head && height == head->from) return head;
    const auto forked = fork();
    if (!forked || height < forked->from || height > forked->to || !truth_.has_block(height))
        return std::nullopt;
    return forked;
}

Forgery ToldChain::forgery(const Forged& forged, Height height) const {
    Forgery made{height, height, height - 1, nobodys_hash()};
    if (forged.lie->name == "fork") made.days = forged.lie->members["days"].get<std::int64_t>();
    if (forged.lie->name == "false_head") made.like = forged.lie->number("like");
    if (made.like != height || height <= truth_.oldest()) return made;
    made.prev_height = truth_.back(height, 1);
    if (made.prev_height >= forged.from)
        made.prev_hash = hashes_.at(made.prev_height);
    else if (!forged.wrong_parent)
        made.prev_hash = block_hash(truth_, made.prev_height);
    return made;
}

const std::string& ToldChain::forged_hash(Height height) const {
    // A forged block's hash needs those of its forged ancestors.
    std::vector<Height> missing;
    for (Height at = height; !hashes_.contains(at) && forged_at(at); at = back(at, 1)) {
        missing.push_back(at);
        if (at <= oldest() || forged_at(at)->lie->name == "false_head") break;
    }
    for (auto at = missing.rbegin(); at != missing.rend(); ++at)
        hashes_[*at] = forger_->forge(forgery(*forged_at(*at), *at)).hash;
    return hashes_.at(height);
}

Height ToldChain::tip() const {
    const auto head = false_head();
    return head ? std::max(head->from, truth_.tip()) : truth_.tip();
}

Height ToldChain::true_tip(Height tip) const { return std::min(tip, truth_.tip()); }

std::optional<TransactionView> ToldChain::transaction(std::string_view hash, Height tip) const {
    return truth_.transaction(hash, true_tip(tip));
}

Height ToldChain::told_final(Height truth, Height tip) const {
    if (const auto head = false_head(); head && head->from <= tip) truth = std::max(truth, head->from);
    // A fork is told as final as soon as it has blocks.
    if (const auto forked = fork(); forked && forked->lie->name == "fork" && forked->from <= tip) {
        Height highest = std::min(forked->to, tip);
        while (highest > forked->from && !truth_.has_block(highest)) --highest;
        truth = std::max(truth, highest);
    }
    return truth;
}

Height ToldChain::final_head(Height tip) const { return told_final(truth_.final_head(true_tip(tip)), tip); }

Height ToldChain::near_final_head(Height tip) const {
    return told_final(truth_.near_final_head(true_tip(tip)), tip);
}

Height ToldChain::back(Height height, std::uint64_t blocks) const {
    if (height <= truth_.tip() || blocks == 0) return blocks == 0 ? height : truth_.back(height, blocks);
    return truth_.back(truth_.tip(), blocks - 1);
}

bool ToldChain::has_block(Height height) const {
    return truth_.has_block(height) || forged_at(height).has_value();
}

std::optional<Height> ToldChain::height_of_block(std::string_view hash) const {
    for (const auto& [height, forged] : hashes_) {
        if (forged == hash && forged_at(height)) return height;
    }
    const auto height = truth_.height_of_block(hash);
    return height && forged_at(*height) ? std::nullopt : height;
}

std::optional<std::string> ToldChain::block(Height height) const {
    const auto forged = forged_at(height);
    if (Lie* lie = forged ? nullptr : false_header()) {
        auto text = truth_.block(height);
        return text ? std::optional(with_false_header(*text, "/header", *lie)) : std::nullopt;
    }
    if (!forged) return truth_.block(height);
    forged_hash(height);
    forged->lie->told = true;
    return forger_->forge(forgery(*forged, height)).block;
}

std::optional<Height> ToldChain::whole_tip(Height tip) const {
    const auto truth = truth_.whole_tip(true_tip(tip));
    return truth ? std::optional(told_final(*truth, tip)) : std::nullopt;
}

std::shared_ptr<const std::string> ToldChain::whole_block(Height height) const {
    const auto forged = forged_at(height);
    if (Lie* lie = forged ? nullptr : false_header()) {
        const auto text = truth_.whole_block(height);
        return text ? std::make_shared<const std::string>(with_false_header(*text, "/block/header", *lie))
                    : nullptr;
    }
    if (!forged) return truth_.whole_block(height);
    forged_hash(height);
    forged->lie->told = true;
    return std::make_shared<const std::string>(forger_->forged_whole_block(forgery(*forged, height)));
}

std::shared_ptr<const std::string> ToldChain::whole_block_gzip(Height height) const {
    return forged_at(height) || false_header() ? nullptr : truth_.whole_block_gzip(height);
}

}  // namespace receiptd::sandbox
