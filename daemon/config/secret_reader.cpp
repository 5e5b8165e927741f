#include "config/secret_reader.hpp"

namespace receiptd::config {

namespace {

std::string plain(const std::string& path) {  // "upstream[0].x" -> "upstream.x"
    const auto open = path.find('[');
    if (open == std::string::npos) return path;
    return path.substr(0, open) + path.substr(path.find(']') + 1);
}

}  // namespace

std::optional<base::Secret> SecretReader::read(const std::string& stem, const SecretPlace& place,
                                               Lines lines) {
    if (!place.env.empty() && !place.file.empty()) {
        const auto leaf = stem.substr(stem.rfind('.') + 1);
        report_.error(places_.find(stem + "_file"),
                      plain(stem) + "_file is contradicted by " + leaf + "_env: give one of them");
        return std::nullopt;
    }
    if (place.env.empty() && place.file.empty()) return std::nullopt;
    const auto key = stem + (place.env.empty() ? "_file" : "_env");
    auto read = read_secret(place, folder_, environment_, lines);
    if (read && read->everybody_can_read)
        report_.warning(places_.find(key), plain(key) + ": the file can be read by everybody; chmod 600 it");
    if (read) return std::move(read->secret);
    report_.error(places_.find(key), plain(key) + ": " + read.error().text);
    return std::nullopt;
}

}  // namespace receiptd::config
