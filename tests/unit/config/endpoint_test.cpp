#include "config/load.hpp"
#include "config/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace receiptd::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::map<std::string, std::string> kSecretVariables = {
    {"SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"},
    {"OTHER", "whsec_plJ3nmyCDGBKInavdOK15jslAAAAAAAA"},
    {"PLAIN", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
    {"SHORT", "whsec_MfKQ9r8GKYqrTwjU"},
    {"HEADERS", "Authorization: Bearer a:b\nX-Team: payments\n"},
    {"HOOK", "https://hooks.example.com/T0/x"},
    {"ROUTING", "0123456789abcdef0123456789ABCDEF"},
    {"BOT", "123:abc"},
    {"BROKEN", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS"}};

std::optional<std::string> secret_environment(const std::string& name) {
    const auto found = kSecretVariables.find(name);
    if (found == kSecretVariables.end()) return std::nullopt;
    return found->second;
}

// Line 1 to 6; an endpoint begins in line 7.
const std::string kWithoutEndpoints =
    "follow.scope = \"headers\"\n[database]\nurl = \"postgresql://receiptd@127.0.0.1/receiptd\"\n"
    "[[upstream]]\nname = \"main\"\nurl = \"https://rpc.example.com\"\n";
const std::string kName = "[[endpoint]]\nname = \"ops\"\n";
const std::string kNameAndUrl = kName + "url = \"https://hooks.example.com/T0/x\"\n";

Loaded load_endpoints(const std::string& toml) {
    return load_text(kWithoutEndpoints + toml, "r.toml", secret_environment);
}

std::vector<std::string> endpoint_problems(const std::string& toml) {
    std::vector<std::string> all;
    for (const auto& problem : load_endpoints(toml).problems) all.push_back(problem.to_string());
    return all;
}

TEST(ConfigEndpoint, EveryKeyReachesItsField) {
    const auto loaded =
        load_endpoints(kNameAndUrl +
                       "secret_env = \"SECRET\"\n[[endpoint]]\nname = \"lab\"\nurl = "
                       "\"http://127.0.0.1:8080/\"\nsecret_env = \"OTHER\"\nallow_private = true\n");
    for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
    const auto& endpoints = loaded.settings.endpoints;
    ASSERT_EQ(endpoints.size(), 2u);
    EXPECT_EQ(endpoints[0].name, "ops");
    EXPECT_EQ(endpoints[0].url.reveal(), "https://hooks.example.com/T0/x");
    EXPECT_EQ(endpoints[0].secret.reveal(), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    EXPECT_FALSE(endpoints[0].allow_private);
    EXPECT_EQ(endpoints[1].name, "lab");
    EXPECT_TRUE(endpoints[1].allow_private);
}

const std::string kOps = kNameAndUrl + "secret_env = \"SECRET\"\n";  // line 7 to 10

TEST(ConfigEndpoint, EveryKeyOfDeliveryReachesItsField) {
    const auto loaded =
        load_endpoints(kOps +
                       "previous_secret_env = \"OTHER\"\nheaders_env = \"HEADERS\"\n"
                       "allow_networks = [\"10.0.0.0/8\", \"fd00::/8\"]\nallow_http = true\n"
                       "connect_timeout = \"1s\"\nanswer_timeout = \"2s\"\nretry = [\"1s\", \"1m\"]\n"
                       "ordered = true\n");
    for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
    const auto& endpoint = loaded.settings.endpoints.at(0);
    EXPECT_EQ(endpoint.previous_secret.reveal(), kSecretVariables.at("OTHER"));
    const auto headers = header_lines(endpoint.headers.reveal());
    ASSERT_EQ(headers.size(), 2u);
    EXPECT_EQ(headers[0].name, "Authorization");
    EXPECT_EQ(headers[0].value, "Bearer a:b");
    EXPECT_EQ(headers[1].name, "X-Team");
    EXPECT_THAT(endpoint.allow_networks, ElementsAre("10.0.0.0/8", "fd00::/8"));
    EXPECT_TRUE(endpoint.allow_http);
    EXPECT_EQ(endpoint.connect_timeout, Millis(1'000));
    EXPECT_EQ(endpoint.answer_timeout, Millis(2'000));
    EXPECT_THAT(endpoint.retry, ElementsAre(Millis(1'000), Millis(60'000)));
    EXPECT_TRUE(endpoint.ordered);
}

TEST(ConfigEndpoint, ProblemsOfDeliveryHaveTheirPlace) {
    EXPECT_THAT(
        endpoint_problems(kName + "url = \"http://hooks.example.com/x\"\nsecret_env = \"SECRET\"\n"),
        ElementsAre(
            "r.toml:9:7: alerts would travel unencrypted to \"hooks.example.com\"; use https://, or set "
            "allow_http = true"));
    EXPECT_THAT(endpoint_problems(kOps + "retry = []\n"),
                ElementsAre("r.toml:11:9: endpoint.retry must have 1 to 32 waits"));
    EXPECT_THAT(endpoint_problems(kOps + "retry = [\"1s\", \"8d\"]\n"),
                ElementsAre("r.toml:11:16: endpoint.retry must be between \"100ms\" and \"7d\""));
    EXPECT_THAT(endpoint_problems(kOps + "retry = \"1s\"\n"),
                ElementsAre("r.toml:11:9: endpoint.retry must be a list of durations, not a string"));
    EXPECT_THAT(endpoint_problems(kOps + "allow_networks = [\"10.0.0.1/8\"]\n"),
                ElementsAre(HasSubstr(
                    "r.toml:11:19: endpoint.allow_networks holds a bad network: \"10.0.0.1/8\" must be")));
    EXPECT_THAT(endpoint_problems(kOps + "allow_private = true\nallow_networks = [\"10.0.0.0/8\"]\n"),
                ElementsAre(HasSubstr("endpoint.allow_networks changes nothing")));
    EXPECT_THAT(endpoint_problems(kOps + "previous_secret_env = \"SHORT\"\n"),
                ElementsAre(HasSubstr("r.toml:11:23: endpoint.previous_secret_env: the secret ")));
}

TEST(ConfigEndpoint, HeadersAreLinesWithoutWhatTheDaemonSetsItself) {
    EXPECT_EQ(headers_fault("A: b\r\n\nC-D:e\n"), std::nullopt);
    EXPECT_EQ(headers_fault("\n"), "holds no header");
    EXPECT_EQ(headers_fault("A: b\nwhsec_abc"), "header 2 is not \"Name: value\"");
    EXPECT_EQ(headers_fault("A b: c"), "header 1 is not \"Name: value\"");
    EXPECT_EQ(headers_fault("Webhook-Id: 1"), "header 1 (webhook-id) is set by receiptd");
    EXPECT_EQ(headers_fault("Content-Length: 1"), "header 1 (content-length) is set by receiptd");
    EXPECT_THAT(*headers_fault("A: b\x01"), HasSubstr("control characters"));
}

TEST(ConfigEndpoint, ProblemsHaveTheirPlaceAndShowNoSecret) {
    const std::string second = "[[endpoint]]\nname = \"ops\"\nurl = \"https://x\"\nsecret_env = \"OTHER\"\n";
    EXPECT_THAT(endpoint_problems(kNameAndUrl),
                ElementsAre("r.toml:7:1: endpoint.secret_env or endpoint.secret_file is missing"));
    EXPECT_THAT(endpoint_problems(kNameAndUrl + "secret_env = \"ABSENT\"\n"),
                ElementsAre("r.toml:10:14: endpoint.secret_env: environment variable ABSENT is not set"));
    EXPECT_THAT(
        endpoint_problems(kNameAndUrl + "secret_env = \"whsec_abc\"\n"),
        ElementsAre(HasSubstr("r.toml:10:14: endpoint.secret_env must be the name of an environment")));
    EXPECT_THAT(endpoint_problems(kNameAndUrl + "secret = \"whsec_abc\"\n"),
                testing::Contains(HasSubstr("r.toml:10:1: endpoint.secret is refused")));
    EXPECT_THAT(endpoint_problems(kNameAndUrl + "secret_env = \"SECRET\"\nsecret_file = \"/x\"\n"),
                ElementsAre(HasSubstr("r.toml:11:15: endpoint.secret_file is contradicted by secret_env")));
    EXPECT_THAT(endpoint_problems(kNameAndUrl + "secret_env = \"SECRET\"\nallow_private = 1\n"),
                ElementsAre("r.toml:11:17: endpoint.allow_private must be true or false, not an integer"));
    EXPECT_THAT(endpoint_problems(kNameAndUrl + "secret_env = \"SECRET\"\n" + second),
                ElementsAre("r.toml:12:8: endpoint.name \"ops\" is taken by the one in line 8"));
}

TEST(ConfigEndpoint, SecretOfAWrongFormIsRefusedAndNotRepeated) {
    const std::map<std::string, std::string> reasons = {{"PLAIN", "does not start with whsec_"},
                                                        {"SHORT", "has 12 bytes; 24 to 64 are allowed"},
                                                        {"BROKEN", "is not base64 behind whsec_"}};
    for (const auto& [variable, reason] : reasons) {
        const auto found = endpoint_problems(kNameAndUrl + "secret_env = \"" + variable + "\"\n");
        ASSERT_EQ(found.size(), 1u) << variable;
        EXPECT_THAT(found[0], HasSubstr("r.toml:10:14: endpoint.secret_env: the secret " + reason));
        EXPECT_THAT(found[0], Not(HasSubstr("MfKQ9r8G")));
    }
}

TEST(ConfigEndpoint, UrlWithCredentialsFragmentOrAnotherSchemeIsRefused) {
    const std::string secret = "secret_env = \"SECRET\"\n";
    EXPECT_THAT(endpoint_problems(kName + "url = \"https://u:p@hooks.example.com/\"\n" + secret),
                ElementsAre(HasSubstr("r.toml:9:7: endpoint.url must not hold a user or password")));
    EXPECT_THAT(endpoint_problems(kName + "url = \"https://x/#y\"\n" + secret),
                ElementsAre(HasSubstr("r.toml:9:7: endpoint.url must not hold a fragment")));
    EXPECT_THAT(endpoint_problems(kName + "url = \"ftp://x/\"\n" + secret),
                ElementsAre(HasSubstr("r.toml:9:7: endpoint.url must start with http:// or https://")));
    EXPECT_THAT(endpoint_problems(kName + "url = \"http://x/\"\n" + secret),
                ElementsAre(HasSubstr("r.toml:9:7: alerts would travel unencrypted to \"x\"")));
    EXPECT_THAT(endpoint_problems(kName + "url = \"http://127.0.0.1:1/\"\n" + secret), IsEmpty());
}

TEST(ConfigEndpoint, WebhookSecretIsCanonicalBase64OfTheRightLength) {
    EXPECT_EQ(webhook_secret_fault("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), std::nullopt);  // 24 bytes
    EXPECT_EQ(webhook_secret_fault("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAA=="), std::nullopt);
    EXPECT_EQ(webhook_secret_fault("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAAA="), std::nullopt);
    EXPECT_EQ(webhook_secret_fault("whsec_" + std::string(85, 'A') + "A=="), std::nullopt);  // 64 bytes
    for (const std::string bad :
         {"", "whsec_", "whsec_====", "whsec_=", "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
          "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAB==", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAAB=",
          "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_"})
        EXPECT_NE(webhook_secret_fault(bad), std::nullopt) << bad;
    EXPECT_NE(webhook_secret_fault("whsec_" + std::string(88, 'A')), std::nullopt);  // 66 bytes
}

TEST(ConfigEndpoint, ReloadShowsNeitherSecretNorUrl) {
    auto running = load_endpoints(kNameAndUrl + "secret_env = \"SECRET\"\n").settings;
    auto after = running;
    after.endpoints[0].secret = base::Secret("other");
    after.endpoints[0].url = base::Secret("https://hooks.example.com/T1/y");
    after.endpoints.emplace_back().name = "new";
    std::vector<std::string> lines;
    for (const auto& change : reload(running, after))
        lines.push_back(change.key + ": " + change.from + " -> " + change.to +
                        (change.applied ? "" : " (restart)"));
    EXPECT_THAT(lines, ElementsAre("endpoint.url (ops): *** -> ***", "endpoint.secret (ops): *** -> ***",
                                   "endpoint (new): absent -> added (restart)"));
}

TEST(ConfigChannel, PeopleAreSparedByDefaultAndIncidentsAreNot) {
    const auto endpoint = [](const char* name, const char* keys) {
        return "[[endpoint]]\nname = \"" + std::string(name) + "\"\n" + keys;
    };
    const auto loaded =
        load_endpoints(endpoint("chat", "channel = \"slack\"\nurl_env = \"HOOK\"\n") +
                       endpoint("busy", "channel = \"slack\"\nurl_env = \"HOOK\"\nmost_per_hour = 0\n") +
                       endpoint("page", "channel = \"pagerduty\"\nrouting_key_env = \"ROUTING\"\n"));
    const auto& endpoints = loaded.settings.endpoints;
    ASSERT_EQ(endpoints.size(), 3u);
    EXPECT_EQ(endpoints[0].most_per_hour, 100u);
    EXPECT_EQ(endpoints[1].most_per_hour, 0u);
    EXPECT_EQ(endpoints[2].most_per_hour, 0u);
    EXPECT_EQ(endpoints[2].most_groups_per_hour, 20u);
}

const std::string kSlack = kName + "channel = \"slack\"\n";

TEST(ConfigChannel, EveryKeyReachesItsField) {
    const auto loaded = load_endpoints(
        "[[endpoint]]\nname = \"chat\"\nchannel = \"slack\"\nurl_env = \"HOOK\"\ntitle = \"{{summary}}\"\n"
        "text = \"\"\"{{error_text}}\n{{links.page}}\"\"\"\n"
        "[[endpoint]]\nname = \"page\"\nchannel = \"pagerduty\"\nrouting_key_env = \"ROUTING\"\n"
        "[[endpoint]]\nname = \"bot\"\nchannel = \"telegram\"\ntoken_env = \"BOT\"\nchat_id = \"-100\"\n");
    for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
    const auto& endpoints = loaded.settings.endpoints;
    ASSERT_EQ(endpoints.size(), 3u);
    EXPECT_THAT(endpoints[0].channel.group, ElementsAre("rule", "receiver", "method", "error_class"));
    EXPECT_EQ(endpoints[0].channel.kind, channel::Kind::slack);
    EXPECT_EQ(endpoints[0].url.reveal(), "https://hooks.example.com/T0/x");
    EXPECT_EQ(endpoints[0].channel.title, "{{summary}}");
    EXPECT_EQ(endpoints[0].channel.text, "{{error_text}}\n{{links.page}}");
    EXPECT_EQ(endpoints[1].channel.kind, channel::Kind::pagerduty);
    EXPECT_EQ(endpoints[1].channel.routing_key.reveal(), "0123456789abcdef0123456789ABCDEF");
    EXPECT_TRUE(endpoints[1].url.empty()) << "it has a default";
    EXPECT_EQ(endpoints[2].channel.token.reveal(), "123:abc");
    EXPECT_EQ(endpoints[2].channel.chat_id, "-100");
}

TEST(ConfigChannel, KeysThatAreMissingOrOfAnotherChannelAreNamed) {
    EXPECT_THAT(endpoint_problems(kSlack),
                ElementsAre("r.toml:7:1: endpoint.url is missing (or endpoint.url_env, endpoint.url_file)"));
    EXPECT_THAT(endpoint_problems(kName + "channel = \"telegram\"\n"),
                ElementsAre("r.toml:7:1: endpoint.token_env or endpoint.token_file is missing",
                            "r.toml:7:1: endpoint.chat_id is missing: channel \"telegram\" needs it"));
    EXPECT_THAT(endpoint_problems(kSlack + "url_env = \"HOOK\"\nsecret_env = \"SECRET\"\n"),
                ElementsAre("r.toml:11:14: endpoint.secret_env has no meaning for channel \"slack\""));
    EXPECT_THAT(endpoint_problems(kNameAndUrl + "secret_env = \"SECRET\"\ntitle = \"x\"\n"),
                ElementsAre("r.toml:11:9: endpoint.title has no meaning for channel \"json\""));
    EXPECT_THAT(endpoint_problems(kNameAndUrl + "channel = \"irc\"\nsecret_env = \"SECRET\"\n"),
                ElementsAre(HasSubstr("r.toml:10:11: endpoint.channel must be \"json\", \"slack\"")));
}

const std::string kMail =
    kName + "channel = \"email\"\nurl = \"smtps://mail.example.org\"\nfrom = \"receiptd@example.org\"\n";

TEST(ConfigChannel, MailHasASenderRecipientsAndPerhapsALogin) {
    const auto loaded = load_endpoints(kMail +
                                       "to = [\"a@example.org\", \"b@example.org\"]\nuser = \"robot\"\n"
                                       "password_env = \"PLAIN\"\n");
    for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
    const auto& channel = loaded.settings.endpoints.at(0).channel;
    EXPECT_EQ(channel.kind, channel::Kind::email);
    EXPECT_EQ(channel.from, "receiptd@example.org");
    EXPECT_THAT(channel.to, ElementsAre("a@example.org", "b@example.org"));
    EXPECT_EQ(channel.user, "robot");
    EXPECT_EQ(channel.password.reveal(), "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    EXPECT_THAT(endpoint_problems(kMail + "to = [\"a@example.org\"]\nuser = \"robot\"\n"),
                ElementsAre(HasSubstr("r.toml:7:1: endpoint.user needs endpoint.password_env")));
    EXPECT_THAT(endpoint_problems(kMail + "to = []\n"),
                ElementsAre("r.toml:12:6: endpoint.to must name somebody"));
    for (const char* wrong : {"a", "a@", "@b", "A <a@example.org>", "a@b@c", "a@b\\r\\nBcc: c@d"})
        EXPECT_THAT(endpoint_problems(kMail + "to = [\"" + wrong + "\"]\n"),
                    ElementsAre(HasSubstr("must be an address such as \"team@example.org\"")))
            << wrong;
}

TEST(ConfigChannel, MailGoesToAMailServer) {
    const auto with = [](const std::string& url) {
        return endpoint_problems(kName + "channel = \"email\"\nfrom = \"a@b\"\nto = [\"c@d\"]\nurl = \"" +
                                 url + "\"\n");
    };
    EXPECT_THAT(with("smtp://mail.example.org:587"), IsEmpty());
    EXPECT_THAT(with("https://mail.example.org"),
                ElementsAre("r.toml:12:7: endpoint.url must start with smtp:// or smtps://"));
    EXPECT_THAT(with("smtp://robot:pw@mail.example.org"),
                ElementsAre(HasSubstr("endpoint.url must not hold a user or password")));
}

TEST(ConfigChannel, AddressesThatAreSecretsStandInNoFile) {
    EXPECT_THAT(endpoint_problems(kSlack + "url = \"https://hooks.example.com/T0/x\"\n"),
                ElementsAre(HasSubstr("r.toml:10:7: endpoint.url of channel \"slack\" is a secret")));
    EXPECT_THAT(endpoint_problems(kSlack + "url_env = \"PLAIN\"\n"),
                ElementsAre(HasSubstr("r.toml:10:11: endpoint.url_env holds no address that can be used")));
    EXPECT_THAT(endpoint_problems(kNameAndUrl + "url_env = \"HOOK\"\nsecret_env = \"SECRET\"\n"),
                ElementsAre(HasSubstr("r.toml:10:11: endpoint.url_env is contradicted by url")));
}

TEST(ConfigChannel, SecretsOfAWrongFormAreRefusedAndNotRepeated) {
    EXPECT_THAT(
        endpoint_problems(kName + "channel = \"pagerduty\"\nrouting_key_env = \"SECRET\"\n"),
        ElementsAre("r.toml:10:19: endpoint.routing_key_env: the secret is not 32 letters and digits"));
    EXPECT_THAT(
        endpoint_problems(kName + "channel = \"telegram\"\ntoken_env = \"SECRET\"\nchat_id = \"1\"\n"),
        ElementsAre(HasSubstr("r.toml:10:13: endpoint.token_env: the secret is not the token of a bot")));
    EXPECT_THAT(
        endpoint_problems(kName + "channel = \"telegram\"\ntoken = \"123:abc\"\nchat_id = \"1\"\n"),
        testing::Contains(HasSubstr("endpoint.token is refused: a secret does not stand in this file; "
                                    "name the variable or file that holds it with token_env")));
}

TEST(ConfigChannel, ATemplateThatCannotBeUsedHasItsPlace) {
    EXPECT_THAT(endpoint_problems(kSlack + "url_env = \"HOOK\"\ntext = \"{{#rules}}\"\n"),
                ElementsAre(HasSubstr("r.toml:11:8: endpoint.text is not Mustache: ")));
    EXPECT_THAT(endpoint_problems(kSlack + "url_env = \"HOOK\"\ntitle = \"a\\u202Eb\"\n"),
                ElementsAre("r.toml:11:9: endpoint.title must hold nothing that people cannot see"));
}

}  // namespace
}  // namespace receiptd::config
