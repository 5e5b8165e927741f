// Databases for tests. RECEIPTD_TEST_DATABASE is the URL of a maintenance database whose user may create
// databases (ctest sets it, tests/integration.cmake); a test is skipped only if it is not set.
#pragma once

#include "storage/database_options.hpp"
#include "storage/pqxx_shim.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace receiptd::test {

// The URL with another database, and another user and password if given.
inline std::string url_of(const std::string& url, const std::string& database,
                          const std::string& credentials = {}) {
    const auto scheme = url.find("://") + 3;
    const auto at = url.find('@', scheme);
    const auto slash = url.find('/', at);
    const auto user = credentials.empty() ? url.substr(scheme, at - scheme) : credentials;
    return url.substr(0, scheme) + user + url.substr(at, slash - at) + "/" + database;
}

inline std::unique_ptr<pqxx::connection> quiet_connection(const std::string& url) {
    auto connection = storage::shim::connect(url);
    pqxx::nontransaction(*connection).exec("SET client_min_messages = warning");
    return connection;
}

inline pqxx::result run_sql(const std::string& url, const std::string& sql) {
    const auto connection = quiet_connection(url);
    return pqxx::nontransaction(*connection).exec(sql);
}

inline std::string one_value(const pqxx::result& rows) {
    return rows.empty() || rows[0][0].is_null() ? std::string() : rows[0][0].as<std::string>();
}

// All rows as text: "a|b\nc|d\n".
inline std::string all_rows(const pqxx::result& rows) {
    std::string text;
    for (const auto& row : rows) {
        for (const auto& field : row) {
            if (field.num() > 0) text += '|';
            text += field.is_null() ? "-" : field.c_str();
        }
        text += '\n';
    }
    return text;
}

// The same with the rights of the daemon's role only, so that each test proves that they are enough; as it is
// where it has options of its own.
inline std::string as_daemon(const std::string& url) {
    if (url.find("options=") != std::string::npos) return url;
    return url + (url.find('?') == std::string::npos ? '?' : '&') + "options=-c%20role%3Dreceiptd_daemon";
}

// The name by which a test's own session is known among those of its stores.
inline const std::string kSessionOfTest = "test";

// A copy of a database, by default an empty one; dropped at the end. It is copied file by file: a copy by way
// of the log costs half as much again.
class FreshDatabase {
public:
    explicit FreshDatabase(const std::string& maintenance_url, const std::string& original = "template1")
        : maintenance_(maintenance_url) {
        static std::atomic<unsigned> number{0};
        name_ = "test_" + std::to_string(getpid()) + "_" + std::to_string(number++);
        run_sql(maintenance_, "CREATE DATABASE " + name_ + " TEMPLATE " + original + " STRATEGY file_copy");
    }
    FreshDatabase(const FreshDatabase&) = delete;
    FreshDatabase& operator=(const FreshDatabase&) = delete;
    ~FreshDatabase() {
        session_.reset();
        try {
            run_sql(maintenance_, "DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
        } catch (const std::exception& e) {
            std::fprintf(stderr, "cannot drop %s: %s\n", name_.c_str(), e.what());
        }
    }

    const std::string& name() const { return name_; }
    std::string url() const { return url_of(maintenance_, name_); }
    std::string url_as(const std::string& credentials) const {
        return url_of(maintenance_, name_, credentials);
    }
    storage::DatabaseOptions options() const { return {base::Secret(url()), std::chrono::seconds(30), {}}; }
    storage::DatabaseOptions daemon_options() const {
        return {base::Secret(as_daemon(url())), std::chrono::seconds(30), {}};
    }
    const std::string& maintenance_url() const { return maintenance_; }

    // On one connection, since making one takes longer than most answers; on another after somebody cut it.
    pqxx::result ask(const std::string& sql) {
        if (!session_) connect();
        try {
            return pqxx::nontransaction(*session_).exec(sql);
        } catch (const pqxx::broken_connection&) {
            connect();
            return pqxx::nontransaction(*session_).exec(sql);
        }
    }
    // The connection is then as a new one.
    void forget_session_state() {
        if (session_) ask("DISCARD ALL");
    }

private:
    void connect() {
        session_ = storage::shim::connect(url() + "?application_name=" + kSessionOfTest +
                                          "&options=-c%20client_min_messages%3Dwarning");
    }

    std::string maintenance_;
    std::string name_;
    std::unique_ptr<pqxx::connection> session_;
};

// One who lends databases may take them back.
using LentDatabase = std::unique_ptr<FreshDatabase, std::function<void(FreshDatabase*)>>;

inline LentDatabase not_shared(std::unique_ptr<FreshDatabase> made) {
    return {made.release(), std::default_delete<FreshDatabase>()};
}

// A cluster of the test's own, which it may stop and restart.
class PrivateCluster {
public:
    PrivateCluster() {
        std::string folder = (std::filesystem::temp_directory_path() / "receiptd-cluster-XXXXXX").string();
        if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
        folder_ = folder;
        url_ = command("start --fast");
    }
    PrivateCluster(const PrivateCluster&) = delete;
    PrivateCluster& operator=(const PrivateCluster&) = delete;
    ~PrivateCluster() { command("remove"); }

    const std::string& url() const { return url_; }
    void stop_as_crash() { command("stop", "immediate"); }
    // As a crash: connections are cut, uncommitted work is lost.
    void restart() { command("restart", "immediate"); }

private:
    std::string command(const std::string& verb, const std::string& argument = {}) const {
        const auto line = std::string(RECEIPTD_POSTGRES_SCRIPT) + " " + verb + " " + folder_ + " " + argument;
        const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(line.c_str(), "r"), &pclose);
        std::string output;
        std::array<char, 256> part{};
        while (pipe && std::fgets(part.data(), part.size(), pipe.get()) != nullptr) output += part.data();
        while (!output.empty() && output.back() == '\n') output.pop_back();
        return output;
    }

    std::string folder_;
    std::string url_;
};

class DatabaseTest : public testing::Test {
protected:
    void SetUp() override {
        const char* url = std::getenv("RECEIPTD_TEST_DATABASE");
        if (url == nullptr) GTEST_SKIP() << "RECEIPTD_TEST_DATABASE is not set (ctest sets it)";
        database_ = lend_database(url);
    }
    virtual LentDatabase lend_database(const std::string& maintenance_url) {
        return not_shared(std::make_unique<FreshDatabase>(maintenance_url));
    }

    FreshDatabase& database() { return *database_; }
    std::string value(const std::string& sql) { return one_value(database_->ask(sql)); }
    std::string rows(const std::string& sql) { return all_rows(database_->ask(sql)); }
    void execute(const std::string& sql) { database_->ask(sql); }

private:
    LentDatabase database_;
};

}  // namespace receiptd::test
