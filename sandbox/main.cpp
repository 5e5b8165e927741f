#include "sandbox/cli/cli.hpp"

int main(int argc, char** argv) { return receiptd::sandbox::main(argc, argv); }
