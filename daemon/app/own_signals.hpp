// Signals whose default would end a process that has better to do, and descriptors that are not there.
#pragma once

#include "base/task.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>

namespace receiptd::app {

// SIGHUP asks `receiptd run` to read its configuration again. From the first line of main() it waits in the
// kernel, in all threads, until a HangupReader takes it: a reload during a start, a migration or a wait for
// the database ends nothing. Call before any thread begins.
void hold_back_hangup();
// All other commands end when their terminal closes, unless they were started with SIGHUP ignored (nohup).
void let_hangup_through();

// Takes the SIGHUPs that hold_back_hangup() holds back. Several that come before a look are one.
// Throws std::system_error where the kernel has no descriptor left.
class HangupReader {
public:
    explicit HangupReader(const boost::asio::any_io_executor& executor);
    ~HangupReader();

    base::Task<void> next();

private:
    struct Descriptor;
    std::unique_ptr<Descriptor> descriptor_;
};

// SIGTERM and SIGINT end the process at once, with kOk: until a daemon handles them itself, it has nothing to
// finish.
void exit_when_stopped();

// Writes to a pipe without a reader fail, instead of ending the daemon by SIGPIPE: its log may lose its
// reader.
void ignore_broken_pipes();

// Where standard input, output or error is closed, the next socket would take its number, and get what is
// printed. Opens /dev/null in its place.
void open_standard_descriptors();

// Writes out what is left. `code`, or kFailed with an error where the output could not be written. A reader
// that has gone, as in `receiptd tx … | head -1`, is no error.
int finish_output(int code);

}  // namespace receiptd::app
