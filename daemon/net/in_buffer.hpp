// Bytes received and not yet used, in one piece.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>

namespace receiptd::net {

class InBuffer {
public:
    std::string_view data() const { return {storage_.get() + begin_, end_ - begin_}; }
    bool empty() const { return begin_ == end_; }

    // Room for `bytes` more; commit() says how many came.
    char* prepare(std::size_t bytes) {
        if (capacity_ - end_ < bytes) make_room(bytes);
        return storage_.get() + end_;
    }
    void commit(std::size_t bytes) { end_ += bytes; }
    void consume(std::size_t bytes) {
        begin_ += bytes;
        if (begin_ == end_) begin_ = end_ = 0;
    }

private:
    void make_room(std::size_t bytes) {
        const std::size_t size = end_ - begin_;
        if (capacity_ < size + bytes) {
            // Not twice as much: there are many buffers, and each holds a head or a line at most.
            capacity_ = (size + 2 * bytes - 1) / bytes * bytes;
            std::unique_ptr<char[]> larger(new char[capacity_]);  // not zeroed: it is read into
            std::copy_n(storage_.get() + begin_, size, larger.get());
            storage_ = std::move(larger);
        } else {
            std::copy_n(storage_.get() + begin_, size, storage_.get());
        }
        begin_ = 0;
        end_ = size;
    }

    std::unique_ptr<char[]> storage_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace receiptd::net
