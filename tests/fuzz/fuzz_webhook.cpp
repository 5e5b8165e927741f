// A request that claims to be a webhook of ours: headers, a line each, an empty line, the body. Only what was
// signed is taken.
#include "alert/verify.hpp"
#include "config/parse.hpp"
#include "fuzz/visit_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace receiptd;
    static const auto signer =
        alert::Signer::from(base::Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).value();
    const std::string input(reinterpret_cast<const char*>(data), size);
    const auto cut = std::min(input.find("\n\n"), input.size());
    const auto body = input.substr(std::min(cut + 2, input.size()));
    std::vector<net::Header> headers;
    for (auto& [name, value] : config::header_lines(std::string_view(input).substr(0, cut)))
        headers.push_back({std::move(name), std::move(value)});
    const auto verified = alert::verify(signer, headers, body, std::nullopt);
    if (!verified) {
        fuzz::require(!verified.error().because.empty(), "a refused request has a reason");
        fuzz::require(verified.error().because.find("MfKQ9r8") == std::string::npos, "no secret is shown");
    }
    const std::vector<net::Header> signed_headers = {{"webhook-id", "id-1"},
                                                     {"webhook-timestamp", "7"},
                                                     {"webhook-signature", signer.sign("id-1", 7, body)}};
    const auto ours = alert::verify(signer, signed_headers, body, base::WallTime(std::chrono::seconds(8)));
    fuzz::require(ours || ours.error().because.find("signature matches") == std::string::npos,
                  "a signature is its own", body);
    return 0;
}
