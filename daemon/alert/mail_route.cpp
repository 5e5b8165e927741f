#include "alert/mail_route.hpp"

#include "base/offload.hpp"
#include "channel/mail.hpp"
#include "config/parse.hpp"

#include <utility>

namespace receiptd::alert {

namespace {

constexpr int kTaken = 250;

net::SmtpOptions options_of(const config::Endpoint& endpoint, net::AddressFilter filter) {
    net::SmtpOptions options;
    options.url = endpoint.url.reveal();
    options.user = endpoint.channel.user;
    options.password = endpoint.channel.password;
    // An endpoint that names authorities wants its server verified by them, on loopback too.
    options.needs_tls = !endpoint.ca_file.empty() ||
                        (!endpoint.allow_http && !config::is_loopback_host(config::url_host(options.url)));
    options.connect_timeout = endpoint.connect_timeout;
    options.answer_timeout = endpoint.answer_timeout;
    options.address_filter = std::move(filter);
    options.ca_file = endpoint.ca_file;
    return options;
}

base::Task<std::string> send_on(base::asio::thread_pool& threads, net::SmtpOptions options, net::Mail mail) {
    return base::offload(threads, [options = std::move(options), mail = std::move(mail)] {
        return net::send_mail(options, mail);
    });
}

}  // namespace

MailRoute::MailRoute(const config::Endpoint& endpoint, net::AddressFilter filter, const base::Clock& clock)
    : clock_(clock),
      channel_(endpoint.channel),
      options_(options_of(endpoint, std::move(filter))),
      threads_(kAttemptsAtOnce) {}

base::Task<Answer> MailRoute::post(std::string alert_id, std::string alert_body) {
    net::Mail mail;
    mail.from = channel_.from;
    mail.to = channel_.to;
    mail.text = channel::mail(channel_, alert_id, alert_body, clock_.wall());
    Answer answer;
    answer.error = co_await send_on(threads_, options_, std::move(mail));
    if (answer.error.empty()) answer.status = kTaken;
    co_return answer;
}

}  // namespace receiptd::alert
