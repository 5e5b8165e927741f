// Texts of people in pictures, and what they paste into the search. Whatever the bytes: well-formed XML, no
// text wider than its room.
#include "draw/letters.hpp"
#include "draw/svg.hpp"
#include "fuzz/visit_model.hpp"
#include "storage/watch_store.hpp"
#include "unit/draw/well_formed.hpp"
#include "watch/reference.hpp"

namespace {

using namespace receiptd;

void drawn(const std::string& text) {
    chain::TransactionFacts transaction;
    transaction.tx_hash = transaction.signer_id = transaction.receiver_id = transaction.method_name = text;
    chain::Judgement tree;
    tree.included = true;
    auto& receipt = tree.receipts.emplace_back();
    receipt.receipt_id = receipt.receiver_id = receipt.method_name = text;
    receipt.executed = true;
    receipt.status = chain::StatusKind::failure;
    receipt.failure = {text, text};
    draw::SvgOptions options;
    options.link_prefix = "#receipt-";
    const auto fault = draw::testing::xml_fault(draw::tree_svg(text, transaction, tree, options));
    fuzz::require(fault.empty(), "well-formed", fault);
}

void cut(const std::string& text) {
    const draw::Font font{draw::Face::sans, 11};
    for (const double room : {0.0, 9.0, 50.0, 333.0}) {
        fuzz::require(draw::width_of(draw::cut(text, room, font), font) <= room, "fits", text);
        fuzz::require(draw::width_of(draw::cut_middle(text, room, font), font) <= room, "fits", text);
        for (const auto& line : draw::wrapped(text, room, font, 4))
            fuzz::require(draw::width_of(line, font) <= room, "fits", text);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    drawn(text);
    cut(text);
    if (const auto reference = watch::parse_reference(text))
        fuzz::require(storage::is_transaction_hash(reference->id), "an id", text);
    return 0;
}
