// An alert as an e-mail. Pure.
#pragma once

#include "base/clock.hpp"
#include "channel/settings.hpp"

#include <string>

namespace receiptd::channel {

// The message as SMTP takes it (RFC 5322): headers and text, lines that end with CR LF. All of it is ASCII,
// and text of the chain can add no header. An alert always has the same Message-ID, and what belongs to one
// group refers to one.
std::string mail(const Settings& settings, const std::string& alert_id, const std::string& alert_body,
                 base::WallTime now);

}  // namespace receiptd::channel
