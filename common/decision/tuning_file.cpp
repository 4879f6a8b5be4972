#include "tuning_file.h"

#include <locale>
#include <sstream>

#include "cache_file.h"

namespace libsgemm {
namespace {

constexpr const char *kFirstLine = "libsgemm tuning 1";
constexpr const char *kLastLine = "end";
constexpr size_t kMostBytes = size_t{64} << 20;

struct KeyLine {
  const char *name;
  std::string TuningKey::*value;
};
constexpr KeyLine kKeys[] = {
    {"library", &TuningKey::library}, {"backend", &TuningKey::backend}, {"device", &TuningKey::device}};

// "KERNEL SECONDS MODEL SECONDS CALL"
bool read_call(const std::string &line, TunedCall *tuned, std::string *problem) {
  std::istringstream stream(line);
  stream.imbue(std::locale::classic());
  const auto sane = [](double seconds) { return seconds > 0 && seconds < 1e9; };
  *problem = "a line is not valid";
  if (!(stream >> tuned->kernel >> tuned->seconds >> tuned->model >> tuned->model_seconds)) return false;
  if (!sane(tuned->seconds) || !sane(tuned->model_seconds)) return false;
  std::string call;
  std::getline(stream, call);
  return class_from_text(call, &tuned->call, problem);
}

}  // namespace

TuningKey tuning_key(const char *backend, const char *version, const char *device_name) {
  return {library_version(), backend, std::string(version) + "; " + device_name};
}

std::string tuning_path(const TuningKey &key) {
  return cache_path("tuning", key.library + "\n" + key.backend + "\n" + key.device);
}

std::string tuning_to_text(const TuningFile &file) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(6);
  out << kFirstLine << '\n';
  for (const KeyLine &line : kKeys) out << line.name << ' ' << file.key.*line.value << '\n';
  for (const TunedCall &t : file.calls) {
    out << t.kernel << ' ' << t.seconds << ' ' << t.model << ' ' << t.model_seconds << ' ' << to_text(t.call) << '\n';
  }
  out << kLastLine << '\n';
  return out.str();
}

bool tuning_from_text(const std::string &text, TuningFile *file, std::string *problem) {
  std::istringstream lines(text);
  int number = 0;
  std::string line;
  const auto next = [&] { return ++number, static_cast<bool>(std::getline(lines, line)); };
  const auto fail = [&](const std::string &what) {
    *problem = "line " + std::to_string(number) + ": " + what;
    return false;
  };
  if (!next() || line != kFirstLine) return fail(std::string("\"") + kFirstLine + "\" is missing");
  for (const KeyLine &key : kKeys) {
    const std::string name = std::string(key.name) + " ";
    if (!next() || line.compare(0, name.size(), name) != 0) return fail(name + "is missing");
    file->key.*key.value = line.substr(name.size());
  }
  while (next() && line != kLastLine) {
    TunedCall tuned;
    std::string what;
    if (!read_call(line, &tuned, &what)) return fail(what);
    file->calls.push_back(std::move(tuned));
  }
  if (line != kLastLine || lines.eof()) return fail("its end is missing");
  return lines.peek() == std::istringstream::traits_type::eof() || fail("there is text after its end");
}

bool read_tuning(const std::string &path, TuningFile *file, std::string *problem) {
  std::string text;
  return read_cache_file(path, "tuning", kMostBytes, &text, problem) && tuning_from_text(text, file, problem);
}

bool is_for(const TuningFile &file, const TuningKey &key, std::string *problem) {
  for (const KeyLine &line : kKeys) {
    if (file.key.*line.value == key.*line.value) continue;
    *problem = std::string("it is for another ") + line.name + ": " + file.key.*line.value;
    return false;
  }
  return true;
}

}  // namespace libsgemm
