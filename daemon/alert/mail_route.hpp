// Sends the alerts of one endpoint by e-mail.
#pragma once

#include "alert/attempt.hpp"
#include "base/clock.hpp"
#include "base/task.hpp"
#include "config/settings.hpp"
#include "net/smtp.hpp"

#include <boost/asio/thread_pool.hpp>

#include <string>

namespace receiptd::alert {

class MailRoute {
public:
    MailRoute(const config::Endpoint& endpoint, net::AddressFilter filter, const base::Clock& clock);

    // The status of what the server has taken is 250, as SMTP has it. Ends within longest_attempt(); the
    // attempt goes on when the awaiting coroutine is cancelled.
    base::Task<Answer> post(std::string alert_id, std::string alert_body);

private:
    const base::Clock& clock_;
    channel::Settings channel_;
    net::SmtpOptions options_;
    boost::asio::thread_pool threads_;  // one for each attempt at once: each waits for the server
};

}  // namespace receiptd::alert
