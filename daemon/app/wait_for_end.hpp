// Prints the stages of a watched transaction as they come, until it has ended.
#pragma once

#include "storage/watch_store.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <string>

namespace receiptd::app {

// `code`: the exit code that its end is.
base::Task<void> wait_for_end(boost::asio::any_io_executor executor, storage::WatchAccess& store,
                              std::string tx_hash, int& code);

// "yes", "no: it may be signed anew after height 7, about TIME".
std::string in_words(const chain::Certainty& certainty);

}  // namespace receiptd::app
