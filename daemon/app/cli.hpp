#pragma once

namespace receiptd::app {

// Parses the command line, runs the command, returns the exit code. Catches everything.
int main(int argc, char** argv);

}  // namespace receiptd::app
