// Numbers are always in the C locale.
#include "calibration.h"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <locale>
#include <sstream>
#include <vector>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "cache_file.h"

namespace libsgemm {
namespace {

constexpr const char *kFirstLine = "libsgemm calibration 1";
constexpr const char *kLastLine = "end";
constexpr size_t kMostBytes = size_t{1} << 20;

// The vendor's name of the CPU; not on x86: the architecture.
std::string processor() {
#if defined(__x86_64__)
  std::array<unsigned, 12> words = {};
  bool known = true;
  for (unsigned i = 0; i < 3; ++i) {
    unsigned *w = &words[size_t{4} * i];
    known = known && __get_cpuid(0x80000002u + i, &w[0], &w[1], &w[2], &w[3]) != 0;
  }
  if (known) {
    std::array<char, sizeof words + 1> text = {};
    std::memcpy(text.data(), words.data(), sizeof words);
    std::string name = text.data();
    const size_t first = name.find_first_not_of(' ');
    return first == std::string::npos ? "" : name.substr(first, name.find_last_not_of(' ') + 1 - first);
  }
#endif
  utsname system = {};
  return uname(&system) == 0 ? system.machine : "unknown";
}

struct Number {
  const char *name;
  double GpuCosts::*value;
  double least;
};
constexpr std::array<Number, 7> kNumbers = {{
    {"startup", &GpuCosts::startup, 0},
    {"call", &GpuCosts::call, 0},
    {"item_strided", &GpuCosts::item_strided, 0},
    {"item_pointer", &GpuCosts::item_pointer, 0},
    {"flops", &GpuCosts::flops, 1},
    {"serial", &GpuCosts::serial, 0},
    {"ramp", &GpuCosts::ramp, 1e-12},
}};

struct LinkLine {
  const char *name;
  Link GpuCosts::*value;
};
constexpr std::array<LinkLine, 2> kLinks = {{{"pageable", &GpuCosts::pageable}, {"pinned", &GpuCosts::pinned}}};

struct KeyLine {
  const char *name;
  std::string CalibrationKey::*value;
};
constexpr std::array<KeyLine, 4> kKeys = {{
    {"library", &CalibrationKey::library},
    {"cpu", &CalibrationKey::cpu},
    {"backend", &CalibrationKey::backend},
    {"device", &CalibrationKey::device},
}};

void write_table(std::ostream &out, const char *name, const SizeTable &table) {
  for (int m = 0; m < SizeTable::kCount; ++m) {
    for (int n = 0; n < SizeTable::kCount; ++n) {
      out << name;
      for (int k = 0; k < SizeTable::kCount; ++k) out << ' ' << table.get(m, n, k);
      out << '\n';
    }
  }
}

class Reader {
 public:
  Reader(const std::string &text, std::string *problem) : lines_(text), problem_(problem) {}

  bool line(const std::string &word, std::string *rest) {
    std::string all;
    ++number_;
    if (!std::getline(lines_, all) || all.compare(0, word.size(), word) != 0 ||
        (all.size() > word.size() && all[word.size()] != ' ')) {
      return fail("\"" + word + "\" is missing");
    }
    *rest = all.size() > word.size() ? all.substr(word.size() + 1) : "";
    return true;
  }

  bool numbers(const std::string &word, double least, double most, const std::vector<double *> &values) {
    std::string rest;
    if (!line(word, &rest)) return false;
    std::istringstream stream(rest);
    stream.imbue(std::locale::classic());
    for (double *value : values) {
      if (!(stream >> *value) || !(*value >= least && *value <= most)) return fail("a number is not valid");
    }
    return (stream >> std::ws).eof() || fail("there is text after the numbers");
  }

  bool table(const std::string &word, double least, double most, SizeTable *table) {
    std::array<double, static_cast<size_t>(SizeTable::kCount)> row = {};
    std::vector<double *> values;
    values.reserve(row.size());
    for (double &value : row) values.push_back(&value);
    for (int m = 0; m < SizeTable::kCount; ++m) {
      for (int n = 0; n < SizeTable::kCount; ++n) {
        if (!numbers(word, least, most, values)) return false;
        for (int k = 0; k < SizeTable::kCount; ++k) table->set(m, n, k, row[static_cast<size_t>(k)]);
      }
    }
    return true;
  }

  bool ended() {
    return lines_.peek() == std::istringstream::traits_type::eof() || fail("there is text after its end");
  }

 private:
  bool fail(const std::string &what) {
    *problem_ = "line " + std::to_string(number_) + ": " + what;
    return false;
  }

  std::istringstream lines_;
  std::string *problem_;
  int number_ = 0;
};

bool read_figures(Reader *reader, Calibration *c) {
  bool ok = reader->numbers("margin", 1, 100, {&c->margin});
  for (const Number &number : kNumbers) {
    ok = ok && reader->numbers(number.name, number.least, 1e30, {&(c->gpu.*number.value)});
  }
  for (const LinkLine &line : kLinks) {
    Link &link = c->gpu.*line.value;
    ok = ok && reader->numbers(line.name, 1, 1e30, {&link.up, &link.down});
  }
  c->gpu.serial = std::min(c->gpu.serial, 1.0);
  return ok && reader->table("cpu_flops", 1, 1e30, &c->cpu_flops) &&
         reader->table("correction", 1e-3, 1e3, &c->gpu.correction);
}

}  // namespace

CalibrationKey calibration_key(const char *cpu_backend, const char *cpu_version, int cpu_threads,
                               const char *gpu_backend) {
  CalibrationKey key;
  key.library = library_version();
  key.cpu = processor() + "; " + cpu_backend + ", " + cpu_version + "; threads: " + std::to_string(cpu_threads);
  key.backend = gpu_backend;
  return key;
}

std::string calibration_device(const char *version, const char *name, int count) {
  return std::string(version) + "; " + std::to_string(count) + " x " + name;
}

std::string calibration_path(const CalibrationKey &key) {
  return cache_path("calibration", key.library + "\n" + key.cpu + "\n" + key.backend);
}

std::string calibration_to_text(const CalibrationFile &file) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(6);
  out << kFirstLine << '\n';
  for (const KeyLine &line : kKeys) out << line.name << ' ' << file.key.*line.value << '\n';
  const Calibration &c = file.figures;
  out << "margin " << c.margin << '\n';
  for (const Number &number : kNumbers) out << number.name << ' ' << c.gpu.*number.value << '\n';
  for (const LinkLine &line : kLinks) {
    out << line.name << ' ' << (c.gpu.*line.value).up << ' ' << (c.gpu.*line.value).down << '\n';
  }
  write_table(out, "cpu_flops", c.cpu_flops);
  write_table(out, "correction", c.gpu.correction);
  out << kLastLine << '\n';
  return out.str();
}

bool calibration_from_text(const std::string &text, CalibrationFile *file, std::string *problem) {
  Reader reader(text, problem);
  std::string rest;
  if (!reader.line(kFirstLine, &rest)) return false;
  for (const KeyLine &line : kKeys) {
    if (!reader.line(line.name, &(file->key.*line.value))) return false;
  }
  return read_figures(&reader, &file->figures) && reader.line(kLastLine, &rest) && reader.ended();
}

bool read_calibration(const std::string &path, const CalibrationKey &key, CalibrationFile *file, std::string *problem) {
  std::string text;
  if (!read_cache_file(path, "calibration", kMostBytes, &text, problem) || !calibration_from_text(text, file, problem))
    return false;
  for (const KeyLine &line : kKeys) {
    if (line.value == &CalibrationKey::device || file->key.*line.value == key.*line.value) continue;
    *problem = std::string("it is for another ") + line.name + ": " + file->key.*line.value;
    return false;
  }
  return true;
}

}  // namespace libsgemm
