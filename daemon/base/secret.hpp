// A string that must never be shown: printing it gives "***"; reveal() is the only way in.
#pragma once

#include <ostream>
#include <string>
#include <utility>

namespace receiptd::base {

class Secret {
public:
    Secret() = default;
    explicit Secret(std::string value) : value_(std::move(value)) {}
    Secret(const Secret&) = default;
    Secret& operator=(const Secret&) = default;
    Secret(Secret&&) noexcept = default;
    Secret& operator=(Secret&&) noexcept = default;
    ~Secret() {  // wiped so that a core file of a later crash does not hold it
        volatile char* bytes = value_.data();
        for (std::size_t i = 0; i < value_.size(); ++i) bytes[i] = 0;
    }

    bool empty() const { return value_.empty(); }
    const std::string& reveal() const { return value_; }
    friend bool operator==(const Secret&, const Secret&) = default;

private:
    std::string value_;
};

inline std::ostream& operator<<(std::ostream& out, const Secret& secret) {
    return out << (secret.empty() ? "" : "***");
}

}  // namespace receiptd::base
