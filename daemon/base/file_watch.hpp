// Sees that files have changed, whatever they are replaced by: each name is looked up again, through all
// symbolic links, as Kubernetes replaces the files of a ConfigMap.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace receiptd::base {

class FileWatch {
public:
    explicit FileWatch(const std::string& file) { add({file}); }

    void add(const std::vector<std::string>& files);
    // True when files are others than at the last true, and the same as at the last look: what is half
    // written is not read. Once at the beginning, too.
    bool look();

private:
    using Prints = std::map<std::string, std::string>;  // by name

    Prints seen_;
    Prints reported_;
};

}  // namespace receiptd::base
