#include "config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace receiptd::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::map<std::string, std::string> kVariables = {
    {"API_KEY", "s3cret-key\n"},
    {"EMPTY", ""},
    {"DATABASE_URL", "postgresql://u:pw@127.0.0.1/receiptd"},
    {"SPACED", "a b"},
    {"LINES", "a\nb"}};

std::optional<std::string> environment(const std::string& name) {
    const auto found = kVariables.find(name);
    if (found == kVariables.end()) return std::nullopt;
    return found->second;
}

Loaded load(const std::string& toml) { return load_text(toml, "r.toml", environment); }

std::vector<std::string> lines(const Loaded& loaded) {
    std::vector<std::string> all;
    for (const auto& problem : loaded.problems) all.push_back(problem.to_string());
    return all;
}

std::vector<std::string> problems(const std::string& toml) { return lines(load(toml)); }

// Line 1 to 3 of every case below; what a case adds begins in line 4.
const std::string kDatabase = "[database]\nurl = \"postgresql://receiptd@127.0.0.1/receiptd\"\n\n";
const std::string kUpstream = "[[upstream]]\nname = \"main\"\nurl = \"https://rpc.example.com\"\n";

TEST(ConfigLoad, AMinimalFileTakesTheDefaults) {
    const auto loaded = load(kDatabase + kUpstream);
    ASSERT_THAT(lines(loaded), IsEmpty());
    EXPECT_EQ(loaded.settings.network, "mainnet");
    ASSERT_EQ(loaded.settings.upstreams.size(), 1u);
    EXPECT_EQ(loaded.settings.upstreams[0].name, "main");
    EXPECT_EQ(loaded.settings.upstreams[0].kind, UpstreamKind::regular);
    EXPECT_TRUE(loaded.settings.upstreams[0].api_key.empty());
    EXPECT_EQ(loaded.settings.database.url.reveal(), "postgresql://receiptd@127.0.0.1/receiptd");
    EXPECT_FALSE(loaded.settings.neardata);
    EXPECT_EQ(loaded.settings.follow.writers, 2u);
}

const std::string kEveryKey = R"([chain]
network = "testnet"
[[upstream]]
name = "a"
url = "https://a.example.com"
api_key_env = "API_KEY"
auth = "query"
max_requests_per_second = 12.5
max_in_flight = 3
gzip = true
[[upstream]]
name = "b"
kind = "archival"
url = "http://[::1]:8080/rpc"
max_requests_per_second = 7
[neardata]
url = "https://n.example.com"
auth = "bearer"
redirect_hosts = ["a0.n.example.com"]
max_in_flight = 2
gzip = true
[timeouts]
connect = "250ms"
request = "1m30s"
max_response = "1MiB"
[database]
url_env = "DATABASE_URL"
statement_timeout = "2m"
readonly_role = "reader"
[follow]
source = "neardata"
scope = "accounts"
start = 76538229
accounts = ["alice.near", "usdc.bridge.near"]
writers = 4
fetch_ahead = 32
patience = "5m"
batch_blocks = 8
batch_bytes = "1MiB"
[http]
listen = "localhost:80"
[retention]
receipts = "90d"
results = "1000d"
[log]
level = "debug"
format = "json"
)";

TEST(ConfigLoad, EveryKeyOfTheHostsReachesItsField) {
    const auto loaded = load(kEveryKey);
    ASSERT_THAT(lines(loaded), IsEmpty());
    const auto& s = loaded.settings;
    EXPECT_EQ(s.network, "testnet");
    ASSERT_EQ(s.upstreams.size(), 2u);
    EXPECT_EQ(s.upstreams[0].api_key.reveal(), "s3cret-key");
    EXPECT_EQ(s.upstreams[0].auth, AuthForm::query);
    EXPECT_EQ(s.upstreams[0].max_requests_per_second, 12.5);
    EXPECT_EQ(s.upstreams[0].max_in_flight, 3u);
    EXPECT_TRUE(s.upstreams[0].gzip);
    EXPECT_FALSE(s.upstreams[1].gzip);
    EXPECT_EQ(s.upstreams[1].kind, UpstreamKind::archival);
    EXPECT_EQ(s.upstreams[1].url, "http://[::1]:8080/rpc");
    EXPECT_EQ(s.upstreams[1].max_requests_per_second, 7.0);
    ASSERT_TRUE(s.neardata);
    EXPECT_EQ(s.neardata->auth, AuthForm::bearer);
    EXPECT_EQ(s.neardata->max_in_flight, 2u);
    EXPECT_TRUE(s.neardata->gzip);
    EXPECT_EQ(s.timeouts.connect, Millis(250));
    EXPECT_EQ(s.timeouts.request, Millis(90'000));
    EXPECT_EQ(s.timeouts.max_response_bytes, 1u << 20);
}

TEST(ConfigLoad, EveryOtherKeyReachesItsField) {
    const auto loaded = load(kEveryKey);
    ASSERT_THAT(lines(loaded), IsEmpty());
    const auto& s = loaded.settings;
    EXPECT_EQ(s.database.url.reveal(), "postgresql://u:pw@127.0.0.1/receiptd");
    EXPECT_EQ(s.database.statement_timeout, Millis(120'000));
    EXPECT_EQ(s.database.readonly_role, "reader");
    EXPECT_EQ(s.follow.source, Source::neardata);
    EXPECT_EQ(s.follow.scope, ScopeName::accounts);
    EXPECT_EQ(std::get<std::uint64_t>(s.follow.start), 76538229u);
    EXPECT_THAT(s.follow.accounts, ElementsAre("alice.near", "usdc.bridge.near"));
    EXPECT_EQ(s.follow.writers, 4u);
    EXPECT_EQ(s.follow.fetch_ahead, 32u);
    EXPECT_EQ(s.follow.patience, Millis(300'000));
    EXPECT_EQ(s.follow.batch_blocks, 8u);
    EXPECT_EQ(s.follow.batch_bytes, 1u << 20);
    EXPECT_EQ(s.http.listen, "localhost:80");
    EXPECT_EQ(s.retention.receipts, std::chrono::hours(90 * 24));
    EXPECT_EQ(s.retention.results, std::chrono::hours(1'000 * 24));
    EXPECT_EQ(s.log_level, log::Level::debug);
    EXPECT_EQ(s.log_format, log::Format::json);
}

TEST(ConfigLoad, AllProblemsComeAtOnceInFileOrder) {
    EXPECT_THAT(problems("[folow]\nsource = \"rpc\"\n" + kUpstream +
                         "[follow]\nwriter = 2\nscope = \"everything\"\nfetch_ahead = 0\n"),
                ElementsAre("r.toml:1:1: database.url is missing (or database.url_env, database.url_file)",
                            "r.toml:1:2: unknown section [folow]; did you mean [follow]?",
                            "r.toml:7:1: unknown key follow.writer; did you mean writers?",
                            "r.toml:8:9: follow.scope must be \"headers\", \"accounts\" or \"all\", not "
                            "\"everything\"",
                            "r.toml:9:15: follow.fetch_ahead must be between 1 and 256"));
}

TEST(ConfigLoad, TextThatIsNoTomlIsOneProblemWhereItStands) {
    const auto found = problems("[chain]\nnetwork = main net\n");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found[0], testing::StartsWith("r.toml:2:"));
}

TEST(ConfigLoad, AMissingFileIsAProblem) {
    const auto loaded = load_file("/nonexistent/r.toml", environment);
    EXPECT_FALSE(loaded.ok());
    EXPECT_THAT(lines(loaded), ElementsAre("/nonexistent/r.toml: cannot read the configuration: No such file "
                                           "or directory"));
}

TEST(ConfigLoad, AFolderIsNoFile) {
    EXPECT_THAT(lines(load_file("/", environment)),
                ElementsAre("/: cannot read the configuration: it is a folder"));
}

TEST(ConfigLoad, RequiredKeysOfAnUpstreamAreNamedAtItsHeading) {
    EXPECT_THAT(problems(kDatabase + "[[upstream]]\nkind = \"archival\"\n"),
                ElementsAre("r.toml:4:1: upstream.name is missing", "r.toml:4:1: upstream.url is missing"));
}

TEST(ConfigLoad, SectionsAndListsOfSectionsAreToldApart) {
    EXPECT_THAT(problems(kDatabase + "[upstream]\nname = \"a\"\n"),
                ElementsAre("r.toml:1:1: follow.source \"rpc\" needs at least one [[upstream]]",
                            "r.toml:4:2: upstream must be a list of sections: write [[upstream]]"));
    EXPECT_THAT(problems(kDatabase + kUpstream + "[[follow]]\nwriters = 1\n"),
                ElementsAre("r.toml:7:3: follow must be a section: write [follow]"));
}

TEST(ConfigLoad, AKeyOutsideOfItsSectionIsPointedHome) {
    EXPECT_THAT(problems("writers = 3\n" + kDatabase + kUpstream),
                ElementsAre("r.toml:1:1: unknown key writers outside of any section; did you mean "
                            "follow.writers?"));
}

TEST(ConfigLoad, ASecretInTheFileIsRefusedAndNotRepeated) {
    const auto found = problems(kDatabase + kUpstream + "api_key = \"hunter2hunter2\"\n");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found[0], testing::StartsWith("r.toml:7:1: upstream.api_key is refused"));
    EXPECT_THAT(found[0], HasSubstr("api_key_env or api_key_file"));
    EXPECT_THAT(found[0], Not(HasSubstr("hunter2")));
}

TEST(ConfigLoad, ASecretInPlaceOfAVariablesNameIsNotRepeated) {
    const auto found = problems(kDatabase + kUpstream + "api_key_env = \"hunter2hunter2\"\n");
    EXPECT_THAT(found,
                ElementsAre("r.toml:7:15: upstream.api_key_env must be the name of an environment variable "
                            "(A-Z, 0-9 and _), not the secret itself"));
}

TEST(ConfigLoad, ABadDatabaseAddressIsNotRepeated) {
    const auto found = problems("[database]\nurl = \"mysql://u:hunter2@h/db\"\n" + kUpstream);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found[0], testing::StartsWith("r.toml:2:7: database.url must be a postgresql:// address"));
    EXPECT_THAT(found[0], Not(HasSubstr("hunter2")));
}

// One faulty line below an otherwise good file, at 8:1 for a [follow] section.
struct Fault {
    std::string section;
    std::string line;
    std::string problem;
};
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.line; }

class ConfigFault : public testing::TestWithParam<Fault> {};

TEST_P(ConfigFault, IsNamedWithItsPlace) {
    const auto& fault = GetParam();
    EXPECT_THAT(problems(kDatabase + kUpstream + fault.section + "\n" + fault.line + "\n"),
                ElementsAre("r.toml:" + fault.problem));
}

INSTANTIATE_TEST_SUITE_P(
    Values, ConfigFault,
    testing::Values(
        Fault{"[chain]", "network = 5", "8:11: chain.network must be a string, not an integer"},
        Fault{"[chain]", "network = \"Main Net\"",
              "8:11: chain.network must be 1 to 40 of a-z, 0-9, _ and -"},
        Fault{"[chain]", "network = \"\"", "8:11: chain.network must not be empty"},
        Fault{
            "[follow]", "source = \"neardat\"",
            "8:10: follow.source must be \"rpc\", \"neardata\" or \"indexer\", not \"neardat\"; did you mean "
            "\"neardata\"?"},
        Fault{"[follow]", "scope = true",
              "8:9: follow.scope must be \"headers\", \"accounts\" or \"all\", not a boolean"},
        Fault{"[follow]", "writers = \"2\"", "8:11: follow.writers must be an integer, not a string"},
        Fault{"[follow]", "writers = -1", "8:11: follow.writers must be between 1 and 16"},
        Fault{"[follow]", "writers = 17", "8:11: follow.writers must be between 1 and 16"},
        Fault{"[follow]", "start = \"heed\"",
              "8:9: follow.start must be \"head\" or a height, not \"heed\"; did you mean "
              "\"head\"?"},
        Fault{"[follow]", "start = -1", "8:9: follow.start must be \"head\" or a height from 0"},
        Fault{"[follow]", "start = \"123\"",
              "8:9: follow.start is a height in quotes; write it without: start = 123"},
        Fault{"[follow]", "start = 1.5",
              "8:9: follow.start must be \"head\" or a height, not a decimal number"},
        Fault{"[follow]", "patience = 60",
              "8:12: follow.patience needs a unit, such as \"30s\", \"5m\" or \"90d\""},
        Fault{"[follow]", "patience = \"soon\"",
              "8:12: follow.patience must be a duration such as \"30s\", \"5m\", \"1h30m\" or \"90d\""},
        Fault{"[follow]", "patience = \"2d\"", "8:12: follow.patience must be between \"0s\" and \"1d\""},
        Fault{"[follow]", "batch_bytes = \"1\"",
              "8:15: follow.batch_bytes must be between \"64KiB\" and \"1GiB\""},
        Fault{"[follow]", "batch_bytes = \"lots\"",
              "8:15: follow.batch_bytes must be a size such as \"64MiB\" or \"500kB\""},
        Fault{"[retention]", "receipts = \"3h\"",
              "8:12: retention.receipts must be between \"1d\" and \"36600d\""},
        Fault{"[retention]", "receipts = \"1441m\"", "8:12: retention.receipts must be whole hours"},
        Fault{"[http]", "listen = \"9464\"", "8:10: http.listen must be HOST:PORT, e.g. \"127.0.0.1:9464\""},
        Fault{"[http]", "listen = \"127.0.0.1:70000\"", "8:10: http.listen has no valid port (0 to 65535)"},
        Fault{"[http]", "public_url = \"receiptd.org\"",
              "8:14: http.public_url must start with http:// or https://"},
        Fault{"[http]", "public_url = \"https://me:word@receiptd.org\"",
              "8:14: http.public_url must not hold a user or password; a secret goes to a key that ends in "
              "_env "
              "or _file"},
        Fault{"[http]", "public_url = \"https://receiptd.org/?a=1\"",
              "8:14: http.public_url must not hold a query or fragment: paths are put behind it"},
        Fault{"[log]", "level = 1979-05-27",
              "8:9: log.level must be \"trace\", \"debug\", \"info\", \"warn\" or \"error\", not a date or "
              "time"},
        Fault{"[timeouts]", "connect = \"1ms\"",
              "8:11: timeouts.connect must be between \"100ms\" and \"2m\""},
        Fault{"[timeouts]", "conect = \"1s\"", "8:1: unknown key timeouts.conect; did you mean connect?"},
        Fault{"[timeouts]", "zzz = 1", "8:1: unknown key timeouts.zzz"}));

INSTANTIATE_TEST_SUITE_P(
    Upstreams, ConfigFault,
    testing::Values(
        Fault{"", "max_requests_per_second = \"fast\"",
              "8:27: upstream.max_requests_per_second must be a number, not a string"},
        Fault{"", "max_requests_per_second = nan",
              "8:27: upstream.max_requests_per_second must be between 0 and 100000"},
        Fault{"", "kind = \"archive\"",
              "8:8: upstream.kind must be \"regular\" or \"archival\", not \"archive\"; did you mean "
              "\"archival\"?"},
        Fault{"", "api_key_env = \"NOT_SET\"",
              "8:15: upstream.api_key_env: environment variable NOT_SET is not set"},
        Fault{"", "api_key_env = \"EMPTY\"",
              "8:15: upstream.api_key_env: environment variable EMPTY is empty"},
        Fault{
            "", "api_key_env = \"LINES\"",
            "8:15: upstream.api_key_env: environment variable LINES holds a line break or control character "
            "inside the value"},
        Fault{"", "api_key_env = \"SPACED\"", "8:15: the API key must not hold a space"},
        Fault{"", "api_key_file = \"/nonexistent/key\"",
              "8:16: upstream.api_key_file: cannot read the file: No such file or directory"},
        Fault{"", "api_key_file = \"/\"",
              "8:16: upstream.api_key_file: is no ordinary file of at most 64 KiB"},
        Fault{"[[upstream]]", "name = \"main\"\nurl = \"https://x\"",
              "8:8: upstream.name \"main\" is taken by the one in line 5"},
        Fault{"[[upstream]]", "url = \"ftp://x\"\nname = \"b\"",
              "8:7: upstream.url must start with http:// or https://"},
        Fault{"[[upstream]]", "url = \"https://u:p@x/\"\nname = \"b\"",
              "8:7: upstream.url must not hold a user or password; a secret goes to a key that ends "
              "in _env or _file"},
        Fault{"[[upstream]]", "url = \"https://x/?apiKey=abc\"\nname = \"b\"",
              "8:7: upstream.url must not hold the API key; it goes to api_key_env or api_key_file (with "
              "auth = "
              "\"query\")"},
        Fault{"[[upstream]]", "url = \"https://:80\"\nname = \"b\"", "8:7: upstream.url names no host"},
        Fault{"[[upstream]]", "url = \"https://x:0/\"\nname = \"b\"",
              "8:7: upstream.url has no valid port after the host"}));

INSTANTIATE_TEST_SUITE_P(
    Contradictions, ConfigFault,
    testing::Values(
        Fault{"[follow]", "source = \"neardata\"",
              "8:10: follow.source \"neardata\" needs a section [neardata] with its url"},
        Fault{"[follow]", "scope = \"accounts\"",
              "8:9: follow.scope \"accounts\" needs the list follow.accounts"},
        Fault{"[follow]", "scope = \"accounts\"\naccounts = []",
              "9:12: follow.accounts must name at least one account"},
        Fault{
            "[follow]", "scope = \"headers\"\naccounts = [\"alice.near\"]",
            "9:12: follow.accounts is contradicted by follow.scope: it counts only with scope \"accounts\""},
        Fault{"", "api_key_env = \"API_KEY\"\napi_key_file = \"/dev/null\"",
              "9:16: upstream.api_key_file is contradicted by api_key_env: give one of them"},
        Fault{"[neardata]", "max_in_flight = 2", "7:1: neardata.url is missing"}));

INSTANTIATE_TEST_SUITE_P(
    Accounts, ConfigFault,
    testing::Values(
        Fault{"[follow]", "scope = \"accounts\"\naccounts = [\"alice.near\", \"a\"]",
              "9:27: follow.accounts holds a bad account id: \"a\" has 1 bytes; an account id has 2 to 64"},
        Fault{"[follow]", "scope = \"accounts\"\naccounts = [\"" + std::string(65, 'a') + "\"]",
              "9:13: follow.accounts holds a bad account id: \"" + std::string(65, 'a') +
                  "\" has 65 bytes; an account id has 2 to 64"},
        Fault{"[follow]", "scope = \"accounts\"\naccounts = [\"Alice.near\"]",
              "9:13: follow.accounts holds a bad account id: \"Alice.near\" may hold only a-z, 0-9 and the "
              "separators . _ -"},
        Fault{"[follow]", "scope = \"accounts\"\naccounts = [\"alice..near\"]",
              "9:13: follow.accounts holds a bad account id: \"alice..near\" has a separator (. _ -) at its "
              "start or "
              "after another one"},
        Fault{"[follow]", "scope = \"accounts\"\naccounts = [\"alice.near\",\n\"alice.near\"]",
              "10:1: follow.accounts names \"alice.near\" twice"},
        Fault{"[follow]", "scope = \"accounts\"\naccounts = [\"alice.near\", 5]",
              "9:27: follow.accounts must be a list of strings, not an integer"}));

TEST(ConfigLoad, TheDatabaseAddressIsGivenOnce) {
    EXPECT_THAT(
        problems("[database]\nurl = \"host=/tmp\"\nurl_env = \"DATABASE_URL\"\n" + kUpstream),
        ElementsAre("r.toml:3:11: database.url_env is contradicted by database.url: give one of them"));
}

TEST(ConfigLoad, ConnectionsAreEnoughForAllKindsOfWork) {
    const auto with = [](const std::string& connections) {
        return problems("[database]\nurl = \"host=/tmp\"\nconnections = " + connections +
                        "\n[follow]\nwriters = 3\n" + kUpstream);
    };
    EXPECT_THAT(with("0"), IsEmpty());
    EXPECT_THAT(with("14"), IsEmpty());
    EXPECT_THAT(
        with("13"),
        ElementsAre("r.toml:3:15: database.connections must be at least 14: follow.writers (3) and 11 for "
                    "all other work"));
}

TEST(ConfigLoad, AKeyOverPlainHttpIsAWarningButNotOnLoopback) {
    const auto remote = load(kDatabase +
                             "[[upstream]]\nname = \"a\"\nurl = \"http://rpc.example.com\"\n"
                             "api_key_env = \"API_KEY\"\n");
    EXPECT_TRUE(remote.ok());
    EXPECT_THAT(lines(remote), ElementsAre("r.toml:6:7: warning: the API key would travel unencrypted to "
                                           "\"rpc.example.com\"; use https://"));
    EXPECT_THAT(problems(kDatabase + "[[upstream]]\nname = \"a\"\nurl = \"http://127.0.0.1:3030\"\n"
                                     "api_key_env = \"API_KEY\"\n"),
                IsEmpty());
}

}  // namespace
}  // namespace receiptd::config
