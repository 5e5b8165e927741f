// Posts one alert as the daemon does: post-webhook URL ID < body, the secret in WEBHOOK_SECRET.
// Prints the status, or why there was none.
#include "alert/sender.hpp"

#include "base/coroutine.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdlib>
#include <iostream>
#include <iterator>

namespace {

using namespace receiptd;

base::Task<void> post(alert::Sender& sender, alert::Message message, alert::Answer& answer) {
    answer = co_await sender.post(std::move(message));
}

}  // namespace

int main(int argc, char** argv) {
    const char* secret = std::getenv("WEBHOOK_SECRET");
    if (argc < 3 || !secret) {
        std::cerr << "usage: WEBHOOK_SECRET=whsec_... post-webhook URL ID [public] < body\n";
        return 2;
    }
    config::Endpoint endpoint;
    endpoint.name = "test";
    endpoint.url = base::Secret(argv[1]);
    endpoint.secret = base::Secret(secret);
    endpoint.allow_private = argc == 3;
    boost::asio::io_context context;
    base::SystemClock clock;
    alert::EndpointSender sender(context.get_executor(), {endpoint}, clock);
    alert::Message message;
    message.endpoint = endpoint.name;
    message.id = argv[2];
    message.body.assign(std::istreambuf_iterator<char>(std::cin), {});
    alert::Answer answer;
    boost::asio::co_spawn(context, post(sender, std::move(message), answer), boost::asio::detached);
    context.run();
    std::cout << (answer.status != 0 ? std::to_string(answer.status) : answer.error) << '\n';
    return answer.accepted() ? 0 : 1;
}
