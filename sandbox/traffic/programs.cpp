#include "sandbox/traffic/programs.hpp"

namespace receiptd::sandbox::traffic {

namespace {

constexpr const char* kSupplyCall = R"({"call":{"account":"ft.sandbox","method":"ft_total_supply","gas":5)";

std::string named(std::size_t number) { return R"(,"as":"p)" + std::to_string(number) + R"("}})"; }

// Every level calls the next and returns its result; every second one makes a call beside it.
std::string deep_tree(std::uint64_t depth) {
    std::string steps = R"([{"log":"bottom"},{"return":)" + std::to_string(depth) + "}]";
    for (std::uint64_t level = 0; level < depth; ++level) {
        const std::string beside = level % 2 == 0 ? kSupplyCall + std::string("}},") : "";
        steps = "[" + beside + R"({"call":{"account":"script.sandbox","run":)" + steps +
                R"(,"as":"a"}},{"return_promise":"a"}])";
    }
    return steps;
}

std::string joint_promise(std::uint64_t count) {
    std::string steps = "[";
    std::string names;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string call =
            i % 2 == 0 ? kSupplyCall
                       : R"({"call":{"account":"script.sandbox","run":[{"return":"done"}],"gas":10)";
        steps += call + named(i) + ",";
        names += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + "\"";
    }
    return steps + R"({"and":{"promises":[)" + names +
           R"(],"as":"all"}},{"then":{"after":"all","run":["log_promise_results",{"return":"joined"}],"gas":20,"as":"end"}},)"
           R"({"return_promise":"end"}])";
}

std::string wide_fan_out(std::uint64_t count) {
    std::string steps = "[";
    for (std::uint64_t i = 0; i < count; ++i) steps += kSupplyCall + std::string("}},");
    return steps + R"({"return":"sent"}])";
}

}  // namespace

std::string script_program(Kind kind, Random& random) {
    switch (kind) {
        case Kind::deep_tree: return deep_tree(random.between(4, 8));
        case Kind::joint_promise: return joint_promise(random.between(2, 5));
        case Kind::handled_failure:
            return R"([{"call":{"account":"receiver.sandbox","method":"no_such_method","gas":5,"as":"a"}},)"
                   R"({"then":{"after":"a","run":["log_promise_results",{"return":"handled"}],"gas":20,"as":"b"}},)"
                   R"({"return_promise":"b"}])";
        case Kind::callback_fails:
            return R"([{"call":{"account":"ft.sandbox","method":"ft_total_supply","gas":5,"as":"a"}},)"
                   R"({"then":{"after":"a","run":[{"panic":"the callback does not like this"}],"gas":20}},)"
                   R"({"return":"sent"}])";
        case Kind::detached_failure:
            return R"([{"call":{"account":"ft.sandbox","method":"ft_transfer","args":{"receiver_id":"nobody.sandbox",)"
                   R"("amount":"1"},"gas":10,"deposit":"1"}},{"return":"sent"}])";
        case Kind::heavy_call: return R"([{"use_gas":)" + std::to_string(random.between(100, 250)) + "}]";
        default: return wide_fan_out(random.between(20, 40));
    }
}

}  // namespace receiptd::sandbox::traffic
