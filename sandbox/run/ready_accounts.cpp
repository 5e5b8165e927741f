#include "sandbox/run/ready_accounts.hpp"

#include "chain/wire/borsh.hpp"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace receiptd::sandbox {

namespace {

constexpr const char* kReadyNames[] = {"alice.sandbox", "bob.sandbox", "carol.sandbox", "relayer.sandbox"};

sim::SecretKey derived_key(std::uint64_t seed, const std::string& account_id) {
    chain::Writer writer;
    writer.string("receiptd-sandbox ready-made account");
    writer.u64(seed);
    writer.string(account_id);
    return *sim::SecretKey::from_seed(chain::KeyType::ed25519, chain::sha256(writer.result()).view());
}

[[noreturn]] void fail(const std::filesystem::path& file) {
    throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
}

// Closes itself, also when a write fails.
class File {
public:
    // An old file is removed first, so that its access rights are gone too.
    explicit File(const std::filesystem::path& file) {
        ::unlink(file.c_str());
        descriptor_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (descriptor_ < 0) fail(file);
    }
    ~File() { ::close(descriptor_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    int descriptor() const { return descriptor_; }

private:
    int descriptor_ = -1;
};

}  // namespace

std::vector<ReadyAccount> ready_accounts(std::uint64_t seed) {
    std::vector<ReadyAccount> accounts;
    for (const std::string name : kReadyNames) accounts.push_back({name, derived_key(seed, name)});
    return accounts;
}

nlohmann::json keys_json(const std::vector<ReadyAccount>& accounts) {
    nlohmann::json keys = nlohmann::json::array();
    for (const auto& account : accounts)
        keys.push_back({{"account", account.account_id},
                        {"public_key", account.key.public_key().to_string()},
                        {"secret_key", account.key.reveal()}});
    return keys;
}

void write_keys(const std::filesystem::path& file, const std::vector<ReadyAccount>& accounts) {
    const std::string text = keys_json(accounts).dump(2) + "\n";
    const File out(file);
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = ::write(out.descriptor(), text.data() + done, text.size() - done);
        if (count < 0 && errno != EINTR) fail(file);
        if (count > 0) done += static_cast<std::size_t>(count);
    }
}

}  // namespace receiptd::sandbox
