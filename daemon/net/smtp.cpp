#include "net/smtp.hpp"

#include <boost/asio/ip/address.hpp>

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace receiptd::net {

namespace {

struct FreesCurl {
    void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Curl = std::unique_ptr<CURL, FreesCurl>;
using CurlList = std::unique_ptr<curl_slist, FreesCurl>;

Curl make_curl() {
    static const auto started = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (started != CURLE_OK) throw std::runtime_error(curl_easy_strerror(started));
    Curl curl(curl_easy_init());
    if (!curl) throw std::runtime_error("libcurl cannot begin");
    return curl;
}

struct Guard {
    const AddressFilter& filter;
    std::string refused;  // the last address, and why
};

boost::asio::ip::address address_of(const curl_sockaddr& target) {
    if (target.family == AF_INET) {
        sockaddr_in in{};
        std::memcpy(&in, &target.addr, sizeof in);
        return boost::asio::ip::address_v4(ntohl(in.sin_addr.s_addr));
    }
    sockaddr_in6 in{};
    std::memcpy(&in, &target.addr, std::min(sizeof in, static_cast<std::size_t>(target.addrlen)));
    boost::asio::ip::address_v6::bytes_type bytes;
    std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
    return boost::asio::ip::address_v6(bytes, in.sin6_scope_id);
}

curl_socket_t open_socket(void* guard, curlsocktype, curl_sockaddr* target) {
    auto& [filter, refused] = *static_cast<Guard*>(guard);
    if (filter) {
        const auto address = address_of(*target);
        if (const auto why = filter(address)) {
            refused = "address refused: " + address.to_string() + " is " + std::string(*why);
            return CURL_SOCKET_BAD;
        }
    }
    return ::socket(target->family, target->socktype | SOCK_CLOEXEC, target->protocol);
}

// A server that hangs up ends the attempt, not the process. With NOSIGNAL libcurl leaves that to us
// (CURLOPT_NOSIGNAL(3)). For this thread, which is one that sends e-mails.
void hold_back_broken_pipe() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

// `rest` is the text that is still to be sent.
std::size_t read_text(char* buffer, std::size_t size, std::size_t count, void* rest) {
    auto& text = *static_cast<std::string_view*>(rest);
    const auto bytes = std::min(size * count, text.size());
    std::memcpy(buffer, text.data(), bytes);
    text.remove_prefix(bytes);
    return bytes;
}

void set_connection(CURL* curl, const SmtpOptions& options, Guard& guard) {
    curl_easy_setopt(curl, CURLOPT_URL, options.url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    curl_easy_setopt(curl, CURLOPT_USE_SSL,
                     static_cast<long>(options.needs_tls ? CURLUSESSL_ALL : CURLUSESSL_NONE));
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
                     static_cast<long>((options.connect_timeout + options.answer_timeout).count()));
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, &guard);
    if (!options.ca_file.empty()) {
        curl_easy_setopt(curl, CURLOPT_CAINFO, options.ca_file.c_str());
        curl_easy_setopt(curl, CURLOPT_CAPATH, nullptr);
    }
    if (options.user.empty()) return;
    curl_easy_setopt(curl, CURLOPT_USERNAME, options.user.c_str());
    curl_easy_setopt(curl, CURLOPT_PASSWORD, options.password.reveal().c_str());
}

CurlList recipients_of(const Mail& mail) {
    CurlList list;
    for (const auto& address : mail.to)
        list.reset(curl_slist_append(list.release(), ("<" + address + ">").c_str()));
    return list;
}

}  // namespace

std::string send_mail(const SmtpOptions& options, const Mail& mail) {
    const auto curl = make_curl();
    Guard guard{options.address_filter, {}};
    set_connection(curl.get(), options, guard);
    const auto recipients = recipients_of(mail);
    const auto from = "<" + mail.from + ">";
    std::string_view rest = mail.text;
    std::array<char, CURL_ERROR_SIZE> error{};
    curl_easy_setopt(curl.get(), CURLOPT_MAIL_FROM, from.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_MAIL_RCPT, recipients.get());
    curl_easy_setopt(curl.get(), CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl.get(), CURLOPT_READFUNCTION, read_text);
    curl_easy_setopt(curl.get(), CURLOPT_READDATA, &rest);
    curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, error.data());
    hold_back_broken_pipe();
    const auto result = curl_easy_perform(curl.get());
    if (result == CURLE_OK) return {};
    if (!guard.refused.empty()) return guard.refused;
    long code = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &code);
    std::string text = error[0] != '\0' ? error.data() : curl_easy_strerror(result);
    return "mail server: " + text + (code > 0 ? " (SMTP " + std::to_string(code) + ")" : "");
}

}  // namespace receiptd::net
