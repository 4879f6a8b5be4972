// Reads the program headers, which dlopen() uses; sections may be missing.
#include "elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

// Defined by the linker: this object's header, whose class, byte order and machine other files must have.
extern "C" const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

namespace libsgemm {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

constexpr size_t kMostNoteBytes = 65536;  // a linker's and a plugin's take some hundred bytes

class File {
 public:
  explicit File(const std::string &path) : value_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~File() {
    if (value_ >= 0) close(value_);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  bool is_open() const { return value_ >= 0; }

  uint64_t size() const {
    struct stat status;
    const bool regular = fstat(value_, &status) == 0 && S_ISREG(status.st_mode);
    return regular ? static_cast<uint64_t>(status.st_size) : 0;
  }

  bool read(uint64_t offset, void *memory, size_t bytes) const {
    for (size_t done = 0; done < bytes;) {
      const ssize_t got =
          pread(value_, static_cast<char *>(memory) + done, bytes - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      done += static_cast<size_t>(got);
    }
    return true;
  }

 private:
  int value_;
};

bool lies_within(uint64_t offset, uint64_t bytes, uint64_t size) { return offset <= size && bytes <= size - offset; }

uint64_t padded(uint64_t bytes, uint64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

void find_note(const std::vector<char> &notes, uint64_t alignment, Beneath *beneath) {
  ElfW(Nhdr) header;
  for (uint64_t at = 0; lies_within(at, sizeof header, notes.size());) {
    std::memcpy(&header, notes.data() + at, sizeof header);
    const uint64_t rest = sizeof header + padded(header.n_namesz, alignment);
    if (!lies_within(at, rest + header.n_descsz, notes.size())) return;
    BeneathNote note("", "");
    const bool ours = header.n_type == note.type && header.n_namesz == note.name_bytes &&
                      header.n_descsz == note.rest_bytes && rest == offsetof(BeneathNote, library) &&
                      std::memcmp(notes.data() + at + sizeof header, note.name, note.name_bytes) == 0;
    if (ours) {
      std::memcpy(static_cast<void *>(&note), notes.data() + at, sizeof note);
      beneath->library.assign(note.library, strnlen(note.library, sizeof note.library));
      beneath->what.assign(note.what, strnlen(note.what, sizeof note.what));
    }
    at += padded(rest + header.n_descsz, alignment);
  }
}

const char *read_segments(const File &file, uint64_t size, std::vector<Segment> *segments) {
  Header header;
  if (!lies_within(0, sizeof header, size) || !file.read(0, &header, sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return "not a shared object";
  }
  if (header.e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
      header.e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] || header.e_machine != __ehdr_start.e_machine) {
    return "for another kind of processor";
  }
  if (header.e_type != ET_DYN || header.e_phentsize != sizeof(Segment) || header.e_phnum == 0) {
    return "not a shared object";
  }
  segments->resize(header.e_phnum);
  const size_t bytes = segments->size() * sizeof(Segment);
  const bool there = lies_within(header.e_phoff, bytes, size) && file.read(header.e_phoff, segments->data(), bytes);
  return there ? nullptr : "truncated within its headers";
}

}  // namespace

bool check_shared_object(const std::string &path, Beneath *beneath, std::string *problem) {
  const File file(path);
  if (!file.is_open()) {
    *problem = path + ": cannot be opened: " + std::strerror(errno);
    return false;
  }
  const uint64_t size = file.size();
  std::vector<Segment> segments;
  const char *fault = read_segments(file, size, &segments);
  for (const Segment &segment : segments) {
    const bool there = lies_within(segment.p_offset, segment.p_filesz, size);
    if (fault == nullptr && segment.p_type == PT_LOAD && !there)
      fault = "truncated: its headers describe more than the file has";
    if (segment.p_type != PT_NOTE || beneath == nullptr || !there) continue;
    std::vector<char> notes(std::min<uint64_t>(segment.p_filesz, kMostNoteBytes));
    if (file.read(segment.p_offset, notes.data(), notes.size()))
      find_note(notes, segment.p_align == 8 ? 8 : 4, beneath);
  }
  if (fault != nullptr) *problem = path + ": " + fault;
  return fault == nullptr;
}

}  // namespace libsgemm
