// A contract's methods by name.
#pragma once

#include "sandbox/sim/host.hpp"

#include <span>
#include <string_view>

namespace receiptd::sandbox::contracts {

struct Method {
    std::string_view name;
    void (*run)(sim::Host&);
};

// False: none of that name.
inline bool call_method(std::span<const Method> methods, std::string_view name, sim::Host& host) {
    for (const Method& method : methods) {
        if (method.name != name) continue;
        method.run(host);
        return true;
    }
    return false;
}

}  // namespace receiptd::sandbox::contracts
