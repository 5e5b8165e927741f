// Writes docs/configuration.md and docs/receiptd.example.toml into a folder; `./dev docs` calls it.
#include "config/describe.hpp"

#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: config-docs FOLDER\n";
        return 2;
    }
    const std::string folder = argv[1];
    std::ofstream markdown(folder + "/configuration.md", std::ios::binary);
    markdown << receiptd::config::describe_keys_markdown();
    std::ofstream example(folder + "/receiptd.example.toml", std::ios::binary);
    example << receiptd::config::example_toml();
    markdown.close();
    example.close();
    if (markdown && example) return 0;
    std::cerr << "config-docs: cannot write to " << folder << "\n";
    return 1;
}
