// Changes on top of a State that are kept all together or not at all: the frame of one transaction
// conversion or one receipt.
#pragma once

#include "sandbox/sim/state.hpp"

#include <string>
#include <string_view>

namespace receiptd::sandbox::sim {

class StateUpdate {
public:
    // `state` must outlive it.
    explicit StateUpdate(State& state) : state_(state) {}

    std::optional<Account> account(std::string_view id) const;
    void set_account(std::string_view id, const Account& account);
    // With all its keys, code and data.
    void remove_account(std::string_view id);
    std::optional<wire::AccessKey> access_key(std::string_view id, const PublicKey& key) const;
    void set_access_key(std::string_view id, const PublicKey& key, const wire::AccessKey& access_key);
    void remove_access_key(std::string_view id, const PublicKey& key);
    KeyList access_keys(std::string_view id) const;
    std::optional<Bytes> code(std::string_view id) const;
    void set_code(std::string_view id, Bytes code);
    std::optional<std::string> data(std::string_view id, std::string_view key) const;
    void set_data(std::string_view id, std::string_view key, std::string value);
    void remove_data(std::string_view id, std::string_view key);

    // Into the state, as changes of the block at `height`. Without it nothing has happened.
    void commit(Height height);

private:
    State& state_;
};

}  // namespace receiptd::sandbox::sim
