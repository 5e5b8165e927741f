#include "storage/database_options.hpp"

#include "config/settings.hpp"
#include "storage/errors.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <map>
#include <memory>

namespace receiptd::storage {
namespace {

using Parameters = std::map<std::string, std::string>;

Parameters parse(const std::string& url) {
    char* message = nullptr;
    const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
        PQconninfoParse(url.c_str(), &message), &PQconninfoFree);
    const std::unique_ptr<char, void (*)(void*)> owned(message, &PQfreemem);
    if (!options)
        throw StorageError(
            "database.url cannot be read: write postgresql://USER:PASSWORD@HOST:PORT/DATABASE and "
            "percent-encode special characters in the password");
    Parameters parameters;
    for (const auto* option = options.get(); option->keyword != nullptr; ++option)
        if (option->val != nullptr) parameters[option->keyword] = option->val;
    return parameters;
}

// An unencoded '@', '/' or ':' in a password makes libpq take the rest for a host or port, which its
// errors would then quote.
void refuse_spilled_password(const Parameters& parameters) {
    const auto value = [&](const char* key) {
        const auto found = parameters.find(key);
        return found == parameters.end() ? std::string() : found->second;
    };
    const auto port = value("port");
    const bool odd_port = port.find_first_not_of("0123456789,") != std::string::npos;
    const bool odd_host = value("host").find('@') != std::string::npos;
    const bool odd_database =
        value("dbname").find('@') != std::string::npos && parameters.count("password") == 0;
    if (odd_port || odd_host || odd_database)
        throw StorageError(
            "database.url has a misplaced '@', '/' or ':': percent-encode these characters in the password "
            "(%40, %2F, %3A)");
}

std::string quoted(const std::string& value) {
    std::string text = "'";
    for (const char c : value) {
        if (c == '\'' || c == '\\') text += '\\';
        text += c;
    }
    return text + '\'';
}

std::string percent_encoded(const std::string& text) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
        if (plain || (byte >= '0' && byte <= '9') || c == '-' || c == '.' || c == '_' || c == '~')
            encoded += c;
        else
            encoded.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
    return encoded;
}

}  // namespace

Shares shares_of(unsigned connections, unsigned writers) {
    Shares shares;
    shares.writers = writers;
    const auto fixed =
        shares.adopting + shares.alerts + shares.stream + shares.maintenance + shares.listening;
    const auto others =
        connections == 0 ? config::Database::kBesideWriters
                         : std::max(connections, writers + config::Database::kLeastBesideWriters) - writers;
    shares.people = std::max(2u, (others - fixed + 2) * 2 / 5);
    shares.following = others - fixed - shares.people;
    return shares;
}

ConnectionString::ConnectionString(const base::Secret& url) {
    auto parameters = parse(url.reveal());
    refuse_spilled_password(parameters);
    parameters.emplace("application_name", "receiptd");
    parameters.emplace("connect_timeout", "10");
    parameters.emplace("keepalives_idle", "30");
    parameters.emplace("tcp_user_timeout", "30000");
    parameters["client_encoding"] = "UTF8";
    std::string text;
    for (const auto& [key, value] : parameters) text += key + '=' + quoted(value) + ' ';
    conninfo_ = base::Secret(text);
    const auto part = [&](const char* key, const char* otherwise) {
        const auto found = parameters.find(key);
        return found == parameters.end() ? std::string(otherwise) : found->second;
    };
    where_ = part("host", "local socket") + ':' + part("port", "5432") + '/' + part("dbname", "");
    for (const char* key : {"password", "sslpassword"}) {
        const auto found = parameters.find(key);
        if (found == parameters.end() || found->second.empty()) continue;
        secrets_.emplace_back(found->second);
        if (const auto encoded = percent_encoded(found->second); encoded != found->second)
            secrets_.emplace_back(encoded);
    }
}

std::string ConnectionString::scrub(std::string text) const {
    for (const auto& secret : secrets_) {
        const auto& word = secret.reveal();
        for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 3))
            text.replace(at, word.size(), "***");
    }
    return text;
}

}  // namespace receiptd::storage
