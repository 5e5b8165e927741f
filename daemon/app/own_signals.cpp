#include "app/own_signals.hpp"

#include "app/commands.hpp"
#include "base/coroutine.hpp"
#include "base/log.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <system_error>

namespace receiptd::app {
namespace {

sigset_t hangup() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGHUP);
    return signals;
}

int open_hangup_descriptor() {
    const auto signals = hangup();
    const int descriptor = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "cannot wait for SIGHUP");
    return descriptor;
}

void exit_at_once(int) { std::_Exit(kOk); }

bool reader_has_gone(int descriptor) {
    pollfd output{descriptor, POLLOUT, 0};
    return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

}  // namespace

void hold_back_hangup() {
    const auto signals = hangup();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void let_hangup_through() {
    const auto signals = hangup();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

struct HangupReader::Descriptor {
    boost::asio::posix::stream_descriptor stream;
};

HangupReader::HangupReader(const boost::asio::any_io_executor& executor)
    : descriptor_(std::make_unique<Descriptor>(
          Descriptor{boost::asio::posix::stream_descriptor(executor, open_hangup_descriptor())})) {}

HangupReader::~HangupReader() = default;

base::Task<void> HangupReader::next() {
    auto& stream = descriptor_->stream;
    signalfd_siginfo info{};
    while (::read(stream.native_handle(), &info, sizeof info) != static_cast<ssize_t>(sizeof info))
        co_await stream.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                                   base::asio::use_awaitable);
}

void exit_when_stopped() {
    std::signal(SIGTERM, exit_at_once);
    std::signal(SIGINT, exit_at_once);
}

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

void open_standard_descriptors() {
    for (int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(number, F_GETFD) < 0 && errno == EBADF)
            (void)::open("/dev/null",
                         number == STDIN_FILENO ? O_RDONLY : O_WRONLY);  // the lowest free number
}

int finish_output(int code) {
    if (std::cout.flush() || reader_has_gone(STDOUT_FILENO)) return code;
    log::error("not everything could be written to standard output");
    return kFailed;
}

}  // namespace receiptd::app
