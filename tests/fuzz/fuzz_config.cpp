// A configuration is taken or refused with problems that name a place and show no secret; a draft of rules,
// which comes from anywhere, touches no file.
#include "config/load_rules.hpp"
#include "fuzz/visit_model.hpp"

namespace {

constexpr std::string_view kKey = "hidden-key-of-a-host";
constexpr std::string_view kUnreadable = "cannot read";

std::optional<std::string> environment(const std::string& name) {
    if (name == "KEY") return std::string(kKey);
    if (name == "DATABASE") return "postgresql://receiptd@127.0.0.1/receiptd";
    if (name == "WEBHOOK") return "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    return std::nullopt;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using receiptd::fuzz::require;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const bool quotes_it = text.find(kUnreadable) != std::string_view::npos;
    using receiptd::config::ListFiles;
    const auto draft = receiptd::config::load_rules_text(text, "draft", ListFiles::left_alone);
    for (const auto& problem : draft.problems) {
        require(!problem.message.empty() && problem.line > 0, "a problem has a text and a place");
        require(
            problem.file == "draft" && (quotes_it || problem.message.find(kUnreadable) == std::string::npos),
            "no file is read", problem.message);
    }
    if (text.find("file") != std::string_view::npos) return 0;  // files are not this target's matter
    const bool tells_itself = text.find(kKey) != std::string_view::npos;
    auto loaded = receiptd::config::load_text(text, "r.toml", environment);
    for (const auto& problem : loaded.problems) {
        require(!problem.message.empty() && problem.line > 0, "a problem has a text and a place");
        if (!tells_itself)
            require(problem.message.find(kKey) == std::string::npos, "no secret is shown", problem.message);
    }
    require(draft.ok() || !loaded.ok(), "rules of a good configuration are a good draft");
    if (!loaded.ok() || tells_itself) return 0;
    const auto read = loaded.settings;
    require(receiptd::config::reload(loaded.settings, read).empty(), "the same file changes nothing");
    receiptd::config::Settings running;
    for (const auto& change : receiptd::config::reload(running, read))
        require(change.to.find(kKey) == std::string::npos, "no secret is shown", change.key);
    return 0;
}
