// The options of `receiptd silences`.
#pragma once

#include "config/settings.hpp"

#include <functional>

namespace CLI {
class App;
}

namespace receiptd::app {

using WithSettings = std::function<int(const config::Settings&)>;

// `choose` takes the command that was given.
void add_silences(CLI::App& parser, const std::function<void(WithSettings)>& choose);

}  // namespace receiptd::app
