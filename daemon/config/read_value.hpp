// One TOML value by the type and bounds of its key. Only reader.cpp includes this: toml++ is heavy.
#pragma once

#include "base/result.hpp"
#include "config/keys.hpp"

#include <toml++/toml.h>

#include <string>

namespace receiptd::config {

struct Fault {
    const toml::node* where = nullptr;
    std::string text;  // goes on after the key's name: "must be ..."
};

base::Result<Value, Fault> read_value(const Key& key, const toml::node& node);

}  // namespace receiptd::config
