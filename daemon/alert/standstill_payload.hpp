// The messages about this daemon itself: daemon.stalled and daemon.recovered. Pure.
#pragma once

#include "alert/payload.hpp"
#include "alert/sender.hpp"
#include "alert/standstill.hpp"

#include <string>

namespace receiptd::alert {

// `daemon`: "host:pid". The id is that of the message, whatever attempt sends it; all messages of an episode
// have the same data.episode.
Message standstill_message(const EpisodeNews& news, const std::string& endpoint, const std::string& daemon,
                           const Site& site);

}  // namespace receiptd::alert
