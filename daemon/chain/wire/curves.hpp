// The process's secp256k1 context and libsodium's start, shared by signing and checking.
#pragma once

#include <secp256k1.h>

namespace receiptd::chain {

// Created once, never changed afterwards: safe from any thread.
const secp256k1_context* secp256k1_shared_context();

// Call before any ed25519 operation; throws std::runtime_error if libsodium cannot start.
void start_sodium();

}  // namespace receiptd::chain
