// Keeps what is hidden in texts of others from the terminal that shows them: a control character would give
// it commands.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace receiptd::base {

// Passes on what visible() makes of each line.
class VisibleBuffer final : public std::streambuf {
public:
    explicit VisibleBuffer(std::streambuf& to) : to_(to) {}

protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

private:
    bool pass_on(std::size_t size);

    std::streambuf& to_;
    std::string line_;
};

// As long as it lives, `stream` shows nothing hidden, if `descriptor`, to which it writes, is a terminal.
class VisibleOnTerminal {
public:
    VisibleOnTerminal(std::ostream& stream, int descriptor);
    ~VisibleOnTerminal();
    VisibleOnTerminal(const VisibleOnTerminal&) = delete;
    VisibleOnTerminal& operator=(const VisibleOnTerminal&) = delete;

private:
    std::ostream& stream_;
    std::streambuf* raw_;
    VisibleBuffer visible_;
};

}  // namespace receiptd::base
