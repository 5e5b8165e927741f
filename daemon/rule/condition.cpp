#include "rule/condition.hpp"

namespace receiptd::rule {
namespace {

void add_words(const Condition& condition, Field field, std::vector<std::string>& words) {
    const auto add_all = [&](const std::vector<Condition>& parts) {
        for (const auto& part : parts) add_words(part, field, words);
    };
    if (const auto* all = std::get_if<All>(&condition.is)) add_all(all->of);
    if (const auto* any = std::get_if<Any>(&condition.is)) add_all(any->of);
    if (const auto* no = std::get_if<Not>(&condition.is)) add_all(no->of);
    const auto* test = std::get_if<TextTest>(&condition.is);
    if (test != nullptr && test->field == field)
        words.insert(words.end(), test->any_of.words.begin(), test->any_of.words.end());
}

}  // namespace

std::vector<std::string> words_asked(const Condition& condition, Field field) {
    std::vector<std::string> words;
    add_words(condition, field, words);
    return words;
}

}  // namespace receiptd::rule
