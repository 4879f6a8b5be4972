#include "cache_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "libsgemm.h"

namespace libsgemm {

std::string cache_folder() {
  const auto folder = [](const char *variable) {
    const char *value = secure_getenv(variable);
    return std::string(value != nullptr && value[0] == '/' ? value : "");
  };
  std::string cache = folder("XDG_CACHE_HOME");
  if (cache.empty() && !folder("HOME").empty()) cache = folder("HOME") + "/.cache";
  return cache.empty() ? "" : cache + "/libsgemm";
}

std::string cache_path(const std::string &kind, const std::string &key) {
  const std::string folder = cache_folder();
  if (folder.empty()) return "";
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  std::array<char, 24> digits = {};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
  return folder + "/" + kind + "-" + digits.data() + ".txt";
}

bool read_cache_file(const std::string &path, const std::string &kind, size_t most_bytes, std::string *text,
                     std::string *problem) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) {
    *problem = std::generic_category().message(errno);
    return false;
  }
  struct stat status = {};
  const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  ssize_t got = 0;
  std::array<char, 4096> part;
  while (regular && text->size() <= most_bytes && (got = read(file, part.data(), part.size())) > 0) {
    text->append(part.data(), static_cast<size_t>(got));
  }
  close(file);
  const bool ok = regular && got == 0 && text->size() <= most_bytes;
  if (!ok) *problem = regular && got < 0 ? "it cannot be read" : "it is not a " + kind;
  return ok;
}

std::string library_version() {
  return std::to_string(LIBSGEMM_VERSION_MAJOR) + "." + std::to_string(LIBSGEMM_VERSION_MINOR) + "." +
         std::to_string(LIBSGEMM_VERSION_PATCH);
}

}  // namespace libsgemm
