#include "draw/svg.hpp"

#include "draw/legend.hpp"
#include "draw/marks.hpp"
#include "draw/picture.hpp"
#include "draw/style.hpp"
#include "draw/unicode.hpp"

#include <cstdint>
#include <cstdlib>
#include <utility>

namespace receiptd::draw {
namespace {

constexpr int kMostToShrink = 1'500;

std::string_view look_class(Look look) {
    switch (look) {
        case Look::plain: return "";
        case Look::failed: return " rt-failed";
        case Look::handled: return " rt-handled";
        case Look::pending: return " rt-pending";
        case Look::quiet: return " rt-quiet";
    }
    return {};
}

std::string_view tone_class(const Edge& edge) {
    switch (edge.tone) {
        case Edge::Tone::plain: return edge.quiet ? " rt-quiet-edge" : "";
        case Edge::Tone::result: return " rt-result-edge";
        case Edge::Tone::handled: return " rt-handled-edge";
        case Edge::Tone::failed: return " rt-failed-edge";
    }
    return {};
}

class SvgWriter {
public:
    SvgWriter(const Picture& picture, const SvgOptions& options) : picture_(picture), options_(options) {}

    std::string svg() {
        open();
        out_ += "<rect class=\"rt-paper\" width=\"" + std::to_string(picture_.width) + "\" height=\"" +
                std::to_string(picture_.height) + "\"/>";
        for (const auto& line : picture_.heading) out_ += text_mark(line);
        lanes();
        rows();
        // Grave edges are drawn last, above the rest.
        for (const auto tone :
             {Edge::Tone::plain, Edge::Tone::result, Edge::Tone::handled, Edge::Tone::failed})
            for (const auto& arrow : picture_.arrows)
                if (arrow.edge.tone == tone) edge(arrow);
        for (const auto& box : picture_.boxes) this->box(box);
        out_ += legend(picture_, {24, picture_.bottom + 22}, picture_.width - 48);
        return std::move(out_) + "</svg>\n";
    }

private:
    void open() {
        const auto width = std::to_string(picture_.width);
        const auto height = std::to_string(picture_.height);
        if (!options_.within_page) out_ += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        // A picture that is a little too wide for a screen may be made smaller; a much wider one could then
        // not be read.
        const bool may_shrink = options_.within_page && picture_.width <= kMostToShrink;
        out_ += "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"rt";
        out_ += may_shrink ? " rt-may-shrink" : "";
        out_ += "\" width=\"" + width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " + height +
                "\" ";
        // A reader's machine goes into a group, not into an image: there must be a way to the links.
        out_ += options_.link_prefix.empty() ? "role=\"img\" " : "role=\"group\" ";
        if (options_.within_page) {
            out_ += "aria-label=\"Tree of receipts\">\n";
            return;
        }
        out_ += "aria-labelledby=\"rt-title rt-desc\"><title id=\"rt-title\">" + escaped(picture_.title) +
                "</title><desc id=\"rt-desc\">" + escaped(picture_.description) + "</desc>\n";
        out_ += "<style>" + style() + "</style>\n";
    }

    void lanes() {
        bool shaded = true;
        for (const auto& band : picture_.bands) {
            if (shaded)
                out_ += "<rect class=\"rt-band\" x=\"" + std::to_string(band.x) + "\" y=\"" +
                        std::to_string(picture_.top) + "\" width=\"" + std::to_string(band.width) +
                        "\" height=\"" + std::to_string(picture_.bottom - picture_.top) + "\"/>";
            shaded = !shaded;
            TextLine line{band.x + 16, picture_.top + 20, band.width - 24, {Face::bold, 11}, "rt-lane", {}};
            line.text = cut_middle(band.name, line.room, line.font);
            out_ += text_mark(line);
        }
        out_ += '\n';
    }

    void rows() {
        axis("block", picture_.top + 20, {Face::bold, 11}, "rt-lane");
        const Row* first = picture_.rows.empty() ? nullptr : &picture_.rows.front();
        for (std::size_t i = 0; i < picture_.rows.size(); ++i) {
            const auto& row = picture_.rows[i];
            const int y = picture_.row_tops[i];
            axis(row_name(row), y + 14, {Face::bold, 11}, "rt-axis");
            if (i > 0) axis(time_since(*first, row), y + 29, {Face::sans, 10}, "rt-note");
            const int border = picture_.row_lines[i];
            if (i > 0)
                out_ += "<path class=\"rt-rule\" d=\"M24 " + std::to_string(border) + "H" +
                        std::to_string(picture_.width - 24) + "\"/>";
            if (row.idle_before == 0) continue;
            out_ += "<path class=\"rt-idle\" d=\"M27 " + std::to_string(border - 21) + "v13\"/>";
            TextLine idle{34, border - 9, 74, {Face::sans, 9}, "rt-note", {}};
            idle.text =
                std::to_string(row.idle_before) + (row.idle_before == 1 ? " idle block" : " idle blocks");
            if (width_of(idle.text, idle.font) > idle.room)
                idle.text = std::to_string(row.idle_before) + " idle";
            out_ += text_mark(idle);
        }
        out_ += '\n';
    }

    void axis(const std::string& text, int y, Font font, std::string_view style_class) {
        TextLine line{24, y, 84, font, style_class, {}};
        line.text = cut(text, line.room, font);
        out_ += text_mark(line);
    }

    static std::string row_name(const Row& row) {
        if (row.kind == Row::Kind::pending) return "not run yet";
        return row.kind == Row::Kind::unknown_block ? "some block" : std::to_string(row.height);
    }

    static std::string time_since(const Row& first, const Row& row) {
        if (first.timestamp_nanosec == 0 || row.timestamp_nanosec < first.timestamp_nanosec) return {};
        const auto milliseconds = (row.timestamp_nanosec - first.timestamp_nanosec) / 1'000'000;
        if (milliseconds < 100) return "+" + std::to_string(milliseconds) + " ms";
        const auto tenths = milliseconds / 100;
        if (tenths < 6'000)
            return "+" + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
        return "+" + std::to_string(tenths / 600) + " min";
    }

    void edge(const Arrow& arrow) {
        const auto& edge = arrow.edge;
        out_.append("<g class=\"rt-edge").append(edge.kind == Edge::Kind::data ? " rt-data-edge" : "");
        out_.append(tone_class(edge)).append(edge.pending ? " rt-pending-edge" : "");
        out_ += "\" data-from=\"" + escaped(picture_.boxes[edge.from].id) + "\" data-to=\"" +
                escaped(picture_.boxes[edge.to].id) + "\">" + arrow_mark(arrow.points) + "</g>\n";
    }

    void box(const Box& box) {
        const auto id = escaped(box.id);
        const bool links = !options_.link_prefix.empty();
        if (links)
            out_ += "<a href=\"" + escaped(options_.link_prefix) + id + "\" aria-label=\"" +
                    escaped(box.label) + "\">";
        out_.append("<g class=\"rt-receipt").append(look_class(box.look));
        out_.append(box.is_callback ? " rt-callback" : "").append(box.is_root_cause ? " rt-root-cause" : "");
        out_ += "\" id=\"rt-" + id + "\" data-receipt=\"" + id + "\" role=\"img\" aria-label=\"" +
                escaped(box.label) + "\" transform=\"translate(" + std::to_string(box.x) + " " +
                std::to_string(box.y) + ")\"><title>" + escaped(box.tooltip) + "</title>";
        out_ += frame_mark(box);
        for (const auto& chip : box.chips) out_ += chip_mark(chip);
        for (const auto& line : box.lines) out_ += text_mark(line);
        out_ += links ? "</g></a>\n" : "</g>\n";
    }

    const Picture& picture_;
    const SvgOptions& options_;
    std::string out_;
};

}  // namespace

std::string tree_svg(const std::string& tx_hash, const std::optional<chain::TransactionFacts>& transaction,
                     const chain::Judgement& tree, const SvgOptions& options) {
    return SvgWriter(make_picture(tx_hash, transaction, tree, !options.within_page), options).svg();
}

}  // namespace receiptd::draw
