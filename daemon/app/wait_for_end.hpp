// Waits until a watched transaction has ended, and prints its stages as they come.
#pragma once

#include "storage/finding_store.hpp"
#include "storage/watch_store.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <string>

namespace receiptd::app {

struct Waiting {
    storage::WatchAccess& watches;
    storage::FindingStore& findings;
    bool as_json = false;  // prints nothing but, at the end, what `receiptd tx --json` prints
};
// `code`: the exit code that its end is.
base::Task<void> wait_for_end(boost::asio::any_io_executor executor, Waiting waiting, std::string tx_hash,
                              int& code);

// "yes", "no: it may be signed anew after height 7, about TIME".
std::string in_words(const chain::Certainty& certainty);

}  // namespace receiptd::app
