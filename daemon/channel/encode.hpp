// The messages of the services, each in its published form. Pure.
#pragma once

#include "base/secret.hpp"
#include "channel/notice.hpp"
#include "channel/words.hpp"

#include <string>
#include <vector>

namespace receiptd::channel {

// Incoming webhook with blocks: docs.slack.dev, "Block Kit".
Json slack_message(const Notice& notice, const Words& words);
// Events API v2: developer.pagerduty.com, "Send an Alert Event". What is over resolves its group.
Json pagerduty_event(const Notice& notice, const Words& words, const base::Secret& routing_key);
// POST /api/v2/alerts: api/v2/openapi.yaml of prometheus/alertmanager. Messages of one group have the same
// labels: `group` names what its alerts have in common, as Settings has it.
Json alertmanager_alerts(const Notice& notice, const Words& words, const std::vector<std::string>& group);
// Execute Webhook: discord.com/developers, "Webhook Resource".
Json discord_message(const Notice& notice, const Words& words);
// sendMessage of the Bot API: core.telegram.org/bots/api.
Json telegram_message(const Notice& notice, const Words& words, const std::string& chat_id);

}  // namespace receiptd::channel
