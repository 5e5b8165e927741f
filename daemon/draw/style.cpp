#include "draw/style.hpp"

#include <array>

namespace receiptd::draw {
namespace {

struct Colour {
    std::string_view name;
    std::string_view light;
    std::string_view dark;
};

// Texts have a contrast of 4.5 at least on what they stand on, in both.
constexpr std::array kColours = {
    Colour{"paper", "#ffffff", "#10151c"},     Colour{"band", "#f5f7fa", "#161d26"},
    Colour{"rule", "#dde3ea", "#27313d"},      Colour{"ink", "#17202b", "#e7edf4"},
    Colour{"muted", "#566373", "#9dabba"},     Colour{"box", "#ffffff", "#1c2530"},
    Colour{"edge", "#8592a1", "#6f7e8f"},      Colour{"frame", "#c3ccd6", "#3b4857"},
    Colour{"good", "#1b7a48", "#5fd693"},      Colour{"bad", "#b91c2b", "#ff8a8f"},
    Colour{"bad-line", "#d63a46", "#f2646c"},  Colour{"bad-box", "#fff3f3", "#33181d"},
    Colour{"warn", "#8a5a00", "#f0c05a"},      Colour{"warn-line", "#d59a1c", "#d9a53c"},
    Colour{"warn-box", "#fff9ea", "#2f2714"},  Colour{"result", "#1f62c9", "#7db2ff"},
    Colour{"data", "#7446c2", "#b79af5"},      Colour{"cause", "#b91c2b", "#ff8a8f"},
    Colour{"warn-glow", "#f2d79b", "#5c4a1d"}, Colour{"on-cause", "#ffffff", "#2a0a0e"},
    Colour{"glow", "#f7b5ba", "#7d2a33"},
};

// $name is a colour.
constexpr std::string_view kRules = R"(
.rt{background:$paper;font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Liberation Sans","DejaVu Sans",sans-serif;font-variant-numeric:tabular-nums}
.rt text{fill:$ink;white-space:pre}
.rt-mono{font-family:ui-monospace,"SF Mono",Menlo,"Cascadia Mono",Consolas,"Liberation Mono","DejaVu Sans Mono",monospace}
.rt-bold{font-weight:650}
.rt-paper{fill:$paper}
.rt-band{fill:$band}
.rt-rule{stroke:$rule;stroke-width:1}
.rt-idle{stroke:$edge;stroke-width:1.5;stroke-dasharray:1.5 4;stroke-linecap:round}
.rt .rt-cause,.rt .rt-title,.rt .rt-headline{fill:$ink}
.rt .rt-money,.rt .rt-small,.rt .rt-eyebrow,.rt .rt-account,.rt .rt-axis,.rt .rt-lane,.rt .rt-note{fill:$muted}
.rt-eyebrow{letter-spacing:0}
.rt .rt-error{fill:$bad}
.rt-frame{fill:$box;stroke:$frame;stroke-width:1}
.rt-icon{fill:none;stroke:$good;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
.rt .rt-callback .rt-eyebrow{fill:$data}
.rt-bar{fill:$result}
.rt-failed .rt-frame{fill:$bad-box;stroke:$bad-line;stroke-width:1.5}
.rt-failed .rt-icon{stroke:$bad}
.rt-handled .rt-frame{fill:$warn-box;stroke:$warn-line;stroke-width:1.5}
.rt-handled .rt-icon{stroke:$warn}
.rt-handled .rt-glow{stroke:$warn-glow}
.rt-handled .rt-chip-cause rect{fill:$warn}
.rt .rt-handled .rt-error{fill:$warn}
.rt-pending .rt-frame{stroke-dasharray:5 4;stroke:$edge}
.rt-pending .rt-icon{stroke:$muted}
.rt-quiet .rt-frame{fill:none;stroke:$rule}
.rt-quiet .rt-icon{stroke:$muted;stroke-width:1.3}
.rt-glow{fill:none;stroke:$glow;stroke-width:5}
.rt-chip-cause rect{fill:$cause}
.rt .rt-chip-cause text{fill:$on-cause}
.rt-chip-decides rect{fill:none;stroke:$bad-line}
.rt .rt-chip-decides text{fill:$bad}
.rt-chip-handled rect{fill:none;stroke:$warn-line}
.rt .rt-chip-handled text{fill:$warn}
.rt-chip-result rect{fill:none;stroke:$result}
.rt .rt-chip-result text{fill:$result}
.rt-edge path{fill:none;stroke:$edge;stroke-width:1.4;stroke-linejoin:round}
.rt-edge .rt-head{fill:$edge;stroke:none}
.rt-quiet-edge path{stroke:$frame;stroke-width:1.1}
.rt-quiet-edge .rt-head{fill:$frame}
.rt-result-edge path{stroke:$result;stroke-width:2.6}
.rt-result-edge .rt-head{fill:$result}
.rt-data-edge path{stroke:$data;stroke-width:1.7;stroke-dasharray:.1 4;stroke-linecap:round}
.rt-data-edge .rt-head{fill:$paper;stroke:$data;stroke-width:1.4;stroke-dasharray:none}
.rt-handled-edge path{stroke:$warn-line;stroke-width:1.8}
.rt-handled-edge .rt-head{fill:$warn-line}
.rt-data-edge.rt-handled-edge .rt-head{fill:$paper;stroke:$warn-line}
.rt-failed-edge path{stroke:$bad-line;stroke-width:2}
.rt-failed-edge .rt-head{fill:$bad-line}
.rt-data-edge.rt-failed-edge .rt-head{fill:$paper;stroke:$bad-line}
.rt-pending-edge path{stroke-dasharray:5 4}
.rt a{cursor:pointer;text-decoration:none}
.rt a:hover .rt-frame{stroke-width:2.5}
.rt a:focus{outline:none}
.rt a:focus-visible .rt-frame{stroke:$result;stroke-width:3}
)";

std::string variables(std::string_view Colour::*value) {
    std::string text = ".rt{";
    for (const auto& colour : kColours) {
        if (text.back() != '{') text += ';';
        text.append("--rt-").append(colour.name) += ':';
        text += colour.*value;
    }
    return text + "}";
}

const Colour& colour_at(std::string_view text) {
    const Colour* longest = &kColours.front();
    std::size_t length = 0;
    for (const auto& colour : kColours)
        if (colour.name.size() > length && text.starts_with(colour.name)) {
            longest = &colour;
            length = colour.name.size();
        }
    return *longest;
}

// prop:$name becomes prop:light;prop:var(--rt-name).
std::string expanded(std::string_view rules) {
    std::string text;
    for (std::size_t at = 0; at < rules.size(); ++at) {
        if (rules[at] != '$') {
            text += rules[at];
            continue;
        }
        const auto& colour = colour_at(rules.substr(at + 1));
        const auto property = text.substr(text.find_last_of("{;") + 1);
        text.append(colour.light).append(";").append(property).append("var(--rt-").append(colour.name) += ')';
        at += colour.name.size();
    }
    return text;
}

}  // namespace

const std::string& style() {
    static const std::string text = variables(&Colour::light) + "\n@media (prefers-color-scheme:dark){" +
                                    variables(&Colour::dark) + "}" + expanded(kRules);
    return text;
}

}  // namespace receiptd::draw
