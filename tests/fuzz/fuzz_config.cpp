// A configuration is taken or refused with problems that name a place and show no secret.
#include "config/load.hpp"
#include "fuzz/visit_model.hpp"

namespace {

constexpr std::string_view kKey = "hidden-key-of-a-host";

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
    if (text.find("file") != std::string_view::npos) return 0;  // files are not this target's matter
    const bool tells_itself = text.find(kKey) != std::string_view::npos;
    auto loaded = receiptd::config::load_text(text, "r.toml", environment);
    for (const auto& problem : loaded.problems) {
        require(!problem.message.empty() && problem.line > 0, "a problem has a text and a place");
        if (!tells_itself)
            require(problem.message.find(kKey) == std::string::npos, "no secret is shown", problem.message);
    }
    if (!loaded.ok() || tells_itself) return 0;
    const auto read = loaded.settings;
    require(receiptd::config::reload(loaded.settings, read).empty(), "the same file changes nothing");
    receiptd::config::Settings running;
    for (const auto& change : receiptd::config::reload(running, read))
        require(change.to.find(kKey) == std::string::npos, "no secret is shown", change.key);
    return 0;
}
