// JSON of others, read and written again: each number keeps its digits.
#include "base/exact_json.hpp"
#include "base/json_numbers.hpp"
#include "chain/json/json_check.hpp"
#include "fuzz/visit_model.hpp"

#include <algorithm>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace receiptd;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto apart = base::without_numbers(input);
    // What is deeper is refused before it is read: nlohmann writes by recursion.
    if (!chain::check_json(input).valid) return 0;
    fuzz::require(nlohmann::json::accept(apart.json), "what is JSON is JSON without its numbers", apart.json);
    const auto json = base::read_json(input);
    fuzz::require(!json.is_discarded(), "what is JSON is read", input);
    const auto written = base::write_json(json);
    fuzz::require(base::write_json(base::read_json(written)) == written, "what was written is read as it is",
                  written);
    for (const auto number : base::without_numbers(written).numbers)
        fuzz::require(std::find(apart.numbers.begin(), apart.numbers.end(), number) != apart.numbers.end(),
                      "a number is one of those that were given", number);
    return 0;
}
