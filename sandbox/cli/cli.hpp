// receiptd-sandbox: the gateway on loopback, for demos, tests and users' own CI.
#pragma once

namespace receiptd::sandbox {

// Returns the exit code.
int main(int argc, char** argv);

}  // namespace receiptd::sandbox
