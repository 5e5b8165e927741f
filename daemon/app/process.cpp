#include "app/process.hpp"

#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

namespace receiptd::app {
namespace {

// Where a process with this name would run.
std::string machine() {
    std::ifstream boot_id("/proc/sys/kernel/random/boot_id");
    std::string boot;
    std::array<char, 64> names{};
    const auto length = ::readlink("/proc/self/ns/pid", names.data(), names.size());
    if (!(boot_id >> boot) || length <= 0) return {};
    return boot + "/" + std::string(names.data(), static_cast<std::size_t>(length)) + "/";
}

// Field 22 of /proc/PID/stat (proc(5)), counted behind the name, which may hold anything.
std::string start_time(const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto name_ends = text.rfind(')');
    if (name_ends == std::string::npos) return {};
    std::istringstream fields(text.substr(name_ends + 1));
    std::string field;
    for (int number = 3; number <= 22; ++number) fields >> field;
    return field;
}

}  // namespace

std::string process_name() {
    const auto where = machine();
    const auto pid = std::to_string(::getpid());
    const auto started = start_time(pid);
    return where.empty() || started.empty() ? std::string() : where + pid + "/" + started;
}

void keep_memory_private() {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
}

void give_back_freed_memory() {
    mallopt(M_MMAP_THRESHOLD, 8 << 20);
    mallopt(M_TRIM_THRESHOLD, 32 << 20);
    mallopt(M_ARENA_MAX, 2);
}

bool is_gone(const std::string& process) {
    const auto where = machine();
    if (where.empty() || !process.starts_with(where)) return false;
    const auto rest = process.substr(where.size());
    const auto slash = rest.find('/');
    if (slash == std::string::npos) return false;
    const auto pid = rest.substr(0, slash);
    int number = 0;
    const auto read = std::from_chars(pid.data(), pid.data() + pid.size(), number);
    if (read.ec != std::errc() || read.ptr != pid.data() + pid.size() || number <= 0) return false;
    if (::kill(number, 0) != 0 && errno == ESRCH) return true;
    // A system that hides processes from others, as systemd's ProtectProc does, hides their times, too.
    const auto started = start_time(pid);
    return !started.empty() && started != rest.substr(slash + 1);
}

}  // namespace receiptd::app
