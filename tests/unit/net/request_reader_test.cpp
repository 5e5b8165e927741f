#include "net/request_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace receiptd::net {
namespace {

using State = RequestReader::State;

constexpr std::uint64_t kMaxBody = 100;

State feed(RequestReader& reader, std::string_view bytes, std::size_t piece) {
    State state = State::more;
    for (; state == State::more && !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        const auto part = bytes.substr(0, piece);
        std::copy(part.begin(), part.end(), reader.room(part.size()));
        reader.took(part.size());
        state = reader.parse();
    }
    return state;
}

TEST(RequestReader, TakesARequestInWhateverPieces) {
    const std::string text =
        "POST /v1/a%20b?c=d HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, text.size()}) {
        RequestReader reader(kMaxBody);
        reader.begin();
        ASSERT_EQ(feed(reader, text, piece), State::whole) << piece;
        const auto request = reader.take();
        EXPECT_EQ(request.path, "/v1/a b");
        EXPECT_EQ(request.query, "c=d");
        EXPECT_EQ(request.body, "{}");
        EXPECT_TRUE(reader.keep_alive());
        EXPECT_FALSE(reader.has_bytes());
    }
}

// Beast 1.81 asserts five bytes of a last chunk that follows no other, of which fewer may have come.
TEST(RequestReader, TakesAnEmptyChunkedBodyByteByByte) {
    RequestReader reader(kMaxBody);
    reader.begin();
    EXPECT_EQ(feed(reader, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 1),
              State::whole);
    EXPECT_EQ(reader.take().body, "");
}

TEST(RequestReader, KeepsWhatBelongsToTheNextRequest) {
    const std::string_view one = "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n";
    RequestReader reader(kMaxBody);
    reader.begin();
    ASSERT_EQ(feed(reader, std::string(one) + "GET /2 HTTP/1.1\r\nHost: x\r\n\r\n", 1'000), State::whole);
    EXPECT_EQ(reader.take().path, "/1");
    reader.begin();
    ASSERT_EQ(reader.parse(), State::whole);
    EXPECT_EQ(reader.take().path, "/2");
}

TEST(RequestReader, TellsFaultsApart) {
    const auto read = [](const std::string& text) {
        RequestReader reader(kMaxBody);
        reader.begin();
        return feed(reader, text, text.size());
    };
    EXPECT_EQ(read("GET / HTTP/1.1\r\nHost x\r\n\r\n"), State::malformed);
    EXPECT_EQ(read("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n"), State::body_too_large);
    EXPECT_EQ(read("GET /" + std::string(70'000, 'a') + " HTTP/1.1\r\n"), State::head_too_large);
}

TEST(RequestReader, RefusesAHeadThatMakesNoSenseAtOnce) {
    for (const char* text : {"GET / HTTP/1.1\r\n\r\n", "GET a HTTP/1.0\r\n\r\n", "GET /%zz HTTP/1.0\r\n\r\n",
                             "GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n",
                             "POST /%zz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
                             "POST / HTTP/1.1\r\nContent-Length: 50\r\n\r\n"}) {
        RequestReader reader(kMaxBody);
        reader.begin();
        EXPECT_EQ(feed(reader, text, 1'000), State::malformed) << text;
    }
}

const std::string kChunkedHead = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

State end_of(const std::string& body, std::size_t piece) {
    RequestReader reader(kMaxBody);
    reader.begin();
    return feed(reader, kChunkedHead + body, piece);
}

// Beast keeps what it has of such a line, however long.
TEST(RequestReader, RefusesLongLinesOfChunksAndTrailers) {
    const std::string endless(1'000, 'a');
    const std::vector<std::string> bodies = {"1;" + endless,
                                             "2\r\n{}\r\n1;" + endless,
                                             "0\r\nX: " + endless,
                                             "0\r\nX: y\r\n\r\n",
                                             "0\r\nAuthorization: Bearer x\r\n\r\n",
                                             "fffff;a\n" + std::string(100, 'a') + "\r\n",
                                             std::string(100, '0') + "1\r\na\r\n0\r\n\r\n"};
    for (const auto& body : bodies)
        for (const std::size_t piece : {std::size_t{1}, std::size_t{50}, std::size_t{5'000}})
            EXPECT_EQ(end_of(body, piece), State::malformed) << body.substr(0, 60) << " by " << piece;
}

TEST(RequestReader, CountsTheFramingOfChunks) {
    RequestReader reader(1'000'000);
    reader.begin();
    std::string text = kChunkedHead;
    for (int i = 0; i < 300'000; ++i) text += "1\r\na\r\n";
    EXPECT_EQ(feed(reader, text, 10'000), State::body_too_large);
}

TEST(RequestReader, RefusesAHeadOfManyFields) {
    std::string head = "GET / HTTP/1.1\r\nHost: x\r\n";
    for (int i = 0; i < 200; ++i) head += "a:\r\n";
    RequestReader reader(kMaxBody);
    reader.begin();
    EXPECT_EQ(feed(reader, head + "\r\n", 10'000), State::head_too_large);
}

}  // namespace
}  // namespace receiptd::net
