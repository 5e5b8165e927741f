#include "storage/database_options.hpp"

#include "config/parse.hpp"
#include "config/settings.hpp"
#include "storage/errors.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <cstdlib>
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

// True if any host of a list "host1,host2" is another machine.
bool leaves_the_machine(const std::string& hosts) {
    for (std::size_t from = 0; from <= hosts.size();) {
        const auto end = std::min(hosts.find(',', from), hosts.size());
        const auto host = hosts.substr(from, end - from);
        const bool is_socket = host.empty() || host.front() == '/' || host.front() == '@';
        if (!is_socket && !config::is_loopback_host(host)) return true;
        from = end + 1;
    }
    return false;
}

bool insists_on_tls(const std::string& sslmode) {
    return sslmode == "require" || sslmode == "verify-ca" || sslmode == "verify-full";
}

// As libpq has it: what the URL leaves open the environment may say.
std::string or_environment(std::string given, const char* variable) {
    const char* value = given.empty() ? std::getenv(variable) : nullptr;
    return value == nullptr ? given : value;
}

std::string quoted(const std::string& value) {
    std::string text = "'";
    for (const char c : value) {
        if (c == '\'' || c == '\\') text += '\\';
        text += c;
    }
    return text + '\'';
}

}  // namespace

Shares shares_of(unsigned connections, unsigned writers) {
    Shares shares;
    shares.writers = writers;
    const auto fixed = shares.lease + shares.adopting + shares.alerts + shares.stream + shares.maintenance +
                       shares.listening;
    const auto others = std::max(connections, writers + config::Database::kLeastBesideWriters) - writers;
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
    const auto hosts = part("hostaddr", "").empty() ? part("host", "") : part("hostaddr", "");
    may_be_read_ = leaves_the_machine(or_environment(hosts, "PGHOST")) &&
                   !insists_on_tls(or_environment(part("sslmode", ""), "PGSSLMODE"));
    host_ = part("host", "");
    port_ = part("port", "");
    database_ = part("dbname", "");
    where_ = part("host", "local socket") + ':' + part("port", "5432") + '/' + part("dbname", "");
    for (const char* key : {"password", "sslpassword"}) {
        const auto found = parameters.find(key);
        if (found != parameters.end()) secrets_.add(found->second);
    }
}

// One host stands before the database; a folder of sockets and a list of hosts have their place behind it.
std::string ConnectionString::url_of(const std::string& user) const {
    const bool one_host = !host_.empty() && host_.find_first_of("/,:") == std::string::npos;
    const auto port = port_.empty() ? std::string() : (one_host ? ":" : "port=") + port_;
    auto url = "postgresql://" + base::percent_encoded(user) + '@' + (one_host ? host_ + port : "") + '/' +
               base::percent_encoded(database_);
    if (one_host) return url;
    if (!host_.empty()) url += "?host=" + base::percent_encoded(host_);
    return port.empty() ? url : url + (host_.empty() ? '?' : '&') + port;
}

}  // namespace receiptd::storage
