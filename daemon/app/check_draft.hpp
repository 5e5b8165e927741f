#pragma once

#include "api/services.hpp"

#include <string>

namespace receiptd::app {

// As `receiptd rules check`, but reads no files of lists: who sends a draft learns nothing of our files.
api::CheckedDraft check_draft(const std::string& toml);

}  // namespace receiptd::app
