#include "cli/completion.hpp"

#include "cli/walk.hpp"

#include <CLI/CLI.hpp>

namespace receiptd::cli {
namespace {

constexpr std::string_view kBash = R"(# bash completion of PROGRAM; made by `PROGRAM completion bash`
_FUNCTION() {
    local line current=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    while IFS= read -r line; do
        if [ "$line" = ":files" ]; then
            compopt -o filenames 2>/dev/null
            while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${current#=}")
        else
            COMPREPLY+=("${line%%$'\t'*}")
        fi
    done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _FUNCTION PROGRAM
)";

constexpr std::string_view kZsh = R"(#compdef PROGRAM
# zsh completion of PROGRAM; made by `PROGRAM completion zsh`
_FUNCTION() {
    local line
    local -a found
    for line in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        if [[ "$line" == ":files" ]]; then
            _files
        elif [[ -n "$line" ]]; then
            found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
        fi
    done
    (( $#found )) && _describe PROGRAM found
}
if [[ "${funcstack[1]}" == "_FUNCTION" ]]; then _FUNCTION "$@"; else compdef _FUNCTION PROGRAM; fi
)";

constexpr std::string_view kFish = R"(# fish completion of PROGRAM; made by `PROGRAM completion fish`
function __FUNCTION_words
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] __complete $words[2..-1] 2>/dev/null)
    if test "$found" = ":files"
        __fish_complete_path (commandline -ct)
    else if set -q found[1]
        printf '%s\n' $found
    end
end
complete -c PROGRAM -f -a '(__FUNCTION_words)'
)";

std::string replaced(std::string_view text, std::string_view what, const std::string& by) {
    std::string done;
    for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what)) {
        done.append(text.substr(0, at)).append(by);
        text.remove_prefix(at + what.size());
    }
    return done.append(text);
}

class Offers {
public:
    explicit Offers(std::string begun) : begun_(std::move(begun)) {}

    void add(const std::string& word, const std::string& description) {
        if (word.compare(0, begun_.size(), begun_) != 0) return;
        text_ += word + '\t' + description.substr(0, description.find('\n')) + '\n';
    }

    // The choices stand in the name of its type, as --help shows them: "TEXT:{dead,pending}".
    void add_values(const CLI::Option& option) {
        const auto type = option.get_type_name();
        if (type.rfind("FILE", 0) == 0) text_ += ":files\n";
        const auto open = type.find('{');
        const auto close = type.find('}', open);
        if (open == std::string::npos || close == std::string::npos) return;
        for (std::string_view rest(type.data() + open + 1, close - open - 1); !rest.empty();) {
            const auto end = std::min(rest.find(','), rest.size());
            add(std::string(rest.substr(0, end)), option.get_description());
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }

    std::string text() { return std::move(text_); }

private:
    std::string begun_;
    std::string text_;
};

}  // namespace

std::string completions(const CLI::App& root, const std::vector<std::string>& words) {
    if (words.empty()) return {};
    auto begun = words.back() == "=" ? std::string() : words.back();
    const auto at = walk(root, {words.begin(), words.end() - 1});
    const bool asks_options = !at.options_ended && begun.rfind('-', 0) == 0;
    Offers offers(std::move(begun));
    if (at.awaits != nullptr) {
        offers.add_values(*at.awaits);
        return offers.text();
    }
    if (asks_options) {
        for (const auto* option : options_at(*at.command))
            for (const auto& name : option->get_lnames()) offers.add("--" + name, option->get_description());
        return offers.text();
    }
    if (!at.not_command.empty()) return {};
    for (const auto* command : commands_of(*at.command))
        offers.add(command->get_name(), command->get_description());
    const auto arguments = arguments_of(*at.command);
    if (at.arguments < arguments.size()) offers.add_values(*arguments[at.arguments]);
    return offers.text();
}

std::optional<std::string> completion_script(std::string_view shell, const std::string& program) {
    const auto script = shell == "bash" ? kBash : shell == "zsh" ? kZsh : shell == "fish" ? kFish : "";
    if (script.empty()) return std::nullopt;
    return replaced(replaced(script, "PROGRAM", program), "FUNCTION", replaced(program, "-", "_"));
}

}  // namespace receiptd::cli
