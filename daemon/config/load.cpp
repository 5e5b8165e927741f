#include "config/load.hpp"

#include "config/alert_rules.hpp"
#include "config/endpoints.hpp"
#include "config/load_rules.hpp"
#include "config/reader.hpp"
#include "config/report.hpp"
#include "config/rules.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

namespace receiptd::config {

namespace {

constexpr std::uintmax_t kLongestFile = 16 << 20;  // of 10,000 rules

Loaded unreadable(const std::string& path, const std::string& why) {
    Loaded loaded;
    loaded.problems.push_back({Severity::error, path, 0, 0, "cannot read the configuration: " + why});
    loaded.files.push_back(path);
    return loaded;
}

// A text that comes from no file counts as open to all.
bool everybody_can_read(const std::filesystem::path& path) {
    std::error_code error;
    const auto facts = std::filesystem::status(path, error);
    constexpr auto kOthers = std::filesystem::perms::others_read;
    return error || (facts.permissions() & kOthers) != std::filesystem::perms::none;
}

// Adds the files of lists, secrets and certificates.
void add_files(const Draft& draft, const std::filesystem::path& folder, std::vector<std::string>& files) {
    const auto add = [&](const std::string& file) {
        if (!file.empty()) files.push_back((folder / file).string());
    };
    for (const auto& list : draft.settings.lists) add(list.file);
    for (const auto& endpoint : draft.settings.endpoints) add(endpoint.ca_file);
    for (const auto* place : places_of_secrets(draft)) add(place->file);
}

template <class LoadText>
Loaded load_with(const std::string& path, LoadText&& load) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) return unreadable(path, "it is a folder");
    std::ifstream file(path, std::ios::binary);
    if (!file) return unreadable(path, std::strerror(errno));
    const auto size = std::filesystem::file_size(path, error);
    if (!error && size > kLongestFile) return unreadable(path, "it is longer than 16 MiB");
    std::ostringstream text;
    text << file.rdbuf();
    return load(text.str());
}

}  // namespace

std::string Problem::to_string() const {
    std::string text = file + ":";
    if (line > 0) text += std::to_string(line) + ":" + std::to_string(column) + ":";
    text += severity == Severity::warning ? " warning: " : " ";
    return text + message;
}

std::vector<Problem> Report::in_file_order() const {
    auto sorted = problems_;
    const auto place = [this](const Problem& problem) {
        return std::tuple(problem.file != file_, std::string_view(problem.file), problem.line,
                          problem.column);
    };
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const Problem& a, const Problem& b) { return place(a) < place(b); });
    return sorted;
}

bool Loaded::ok() const {
    return std::none_of(problems.begin(), problems.end(),
                        [](const Problem& problem) { return problem.severity == Severity::error; });
}

Environment process_environment() {
    return [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        if (!value) return std::nullopt;
        return value;
    };
}

Loaded load_text(std::string_view toml, const std::string& file_name, const Environment& environment) {
    Report report(file_name);
    auto file = read_toml(toml, report);
    std::vector<std::string> files = {file_name};
    if (file.parsed) {
        const auto folder = std::filesystem::path(file_name).parent_path();
        spare_people(file.draft, file.places);
        check_rules(file.draft, file.places, report);
        if (everybody_can_read(file_name)) check_keys_in_urls(file.draft.settings, file.places, report);
        check_alert_rules(file.draft.settings, file.places, report);
        read_lists(file.draft.settings, file.places, folder, report);
        resolve_secrets(file.draft, file.places, folder, environment, report);
        add_files(file.draft, folder, files);
    }
    return {std::move(file.draft.settings), report.in_file_order(), std::move(files)};
}

Loaded load_rules_text(std::string_view toml, const std::string& file_name, ListFiles files) {
    Report report(file_name);
    auto file = read_toml(toml, report, Part::rules);
    if (file.parsed) {
        check_alert_names(file.draft, file.places, report);
        check_alert_rules(file.draft.settings, file.places, report);
        if (files == ListFiles::read)
            read_lists(file.draft.settings, file.places, std::filesystem::path(file_name).parent_path(),
                       report);
    }
    return {std::move(file.draft.settings), report.in_file_order(), {}};
}

Loaded load_file(const std::string& path, const Environment& environment) {
    return load_with(path, [&](const std::string& toml) { return load_text(toml, path, environment); });
}

Loaded load_rules_file(const std::string& path) {
    return load_with(path, [&](const std::string& toml) { return load_rules_text(toml, path); });
}

}  // namespace receiptd::config
