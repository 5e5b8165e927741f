// The page: views in HTML, made by the daemon, which a browser shows without a script (docs/page.md).
#pragma once

#include "api/services.hpp"
#include "storage/page_store.hpp"

namespace receiptd::page {

// The routes of the views and of their files. `store` must outlive the API.
api::MakeRoutes routes(storage::PageStore& store);

}  // namespace receiptd::page
