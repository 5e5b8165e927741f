#include "app/cli.hpp"

int main(int argc, char** argv) { return receiptd::app::main(argc, argv); }
