#include "call_class.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <sstream>
#include <vector>

#include "math_mode.h"

namespace libsgemm {
namespace {

constexpr int64_t kMostSize = int64_t{1} << 31;

uint8_t alignment_of(uint64_t bytes) {
  constexpr uint64_t most = CallClass::kMostAlignment;
  return static_cast<uint8_t>(std::min(bytes & (~bytes + 1), most));
}

uint8_t alignment_of(const void *address) { return alignment_of(reinterpret_cast<uintptr_t>(address)); }

uint8_t alignment_of(int64_t elements, size_t size) { return alignment_of(static_cast<uint64_t>(elements) * size); }

uint8_t factor_of(float value) {
  return value == 0 ? CallClass::kZero : value == 1 ? CallClass::kOne : CallClass::kOther;
}

float value_of(uint8_t factor) { return factor == CallClass::kOther ? -1.0f : static_cast<float>(factor); }

// The routine's arguments; the rest of a description may hold anything.
struct Has {
  explicit Has(const RoutineTraits &t)
      : transa(t.a != RoutineTraits::symmetric),
        transb(t.b == RoutineTraits::free),
        side(t.one_sided()),
        uplo(t.one_sided() || t.triangle_of_c),
        diag(t.a == RoutineTraits::triangular) {}
  bool transa, transb, side, uplo, diag;
};

const RoutineTraits &traits_of(const CallClass &call) { return traits_of(static_cast<Routine>(call.routine)); }

// The smallest number of elements, from `least` on, with exactly this alignment (kMostAlignment: or a higher one).
int64_t align(int64_t least, uint8_t alignment, size_t size) {
  int64_t elements = least;
  while (alignment_of(elements, size) != alignment) ++elements;
  return elements;
}

bool is_alignment(uint64_t bytes) {
  return bytes == 0 || (bytes <= CallClass::kMostAlignment && (bytes & (bytes - 1)) == 0);
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

bool parse_number(const std::string &text, int64_t *value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_size(const std::string &text, int64_t *size) {
  return parse_number(text, size) && *size >= 1 && *size <= kMostSize;
}

bool parse_letter(char letter, const char *letters, uint8_t *value) {
  const char *const at = letter != '\0' ? std::strchr(letters, letter) : nullptr;
  if (at != nullptr) *value = static_cast<uint8_t>(at - letters);
  return at != nullptr;
}

constexpr const char *kFactors = "01x";

bool parse_alignments(const std::string &text, uint8_t (&of)[3]) {
  const std::vector<std::string> parts = split(text, ',');
  int64_t value = 0;
  for (size_t i = 0; i < 3; ++i) {
    if (parts.size() != 3 || !parse_number(parts[i], &value) || value < 0 ||
        !is_alignment(static_cast<uint64_t>(value)))
      return false;
    of[i] = static_cast<uint8_t>(value);
  }
  return true;
}

bool parse_mode(const std::string &text, uint8_t *mode) {
  for (*mode = 0; *mode < kModeCount; ++*mode) {
    if (text == math_mode_name(static_cast<libsgemm_math_mode_t>(*mode))) return true;
  }
  return false;
}

bool parse_routine(const std::string &name, CallClass *call) {
  for (const RoutineTraits &traits : kRoutines) {
    for (const Type type : {Type::f32, Type::f16, Type::bf16}) {
      for (const Batch batch : {Batch::none, Batch::strided, Batch::pointers}) {
        const bool products = traits.routine == Routine::gemm;
        const bool has_form = batch == Batch::none || (batch == Batch::strided && traits.strided != nullptr);
        if (!traits.takes(type) || (!products && !has_form)) continue;
        GemmDesc desc = {};
        desc.routine = traits.routine;
        desc.type = type;
        desc.batch = batch;
        if (routine_name(desc) != name) continue;
        call->routine = static_cast<uint8_t>(traits.routine);
        call->type = static_cast<uint8_t>(type);
        call->batch = static_cast<uint8_t>(batch);
        return true;
      }
    }
  }
  return false;
}

bool parse_word(const std::string &name, const std::string &value, const Has &has, CallClass *call) {
  if (name == "m") return parse_size(value, &call->m);
  if (name == "n") return parse_size(value, &call->n);
  if (name == "k") return parse_size(value, &call->k);
  const bool one = value.size() == 1;
  if (name == "op") {
    const size_t letters = static_cast<size_t>(has.transa) + static_cast<size_t>(has.transb);
    if (value.size() != letters || letters == 0) return false;
    return parse_letter(value[0], "NT", &call->transa) && (!has.transb || parse_letter(value[1], "NT", &call->transb));
  }
  if (name == "side") return has.side && one && parse_letter(value[0], "LR", &call->right);
  if (name == "uplo") return has.uplo && one && parse_letter(value[0], "UL", &call->lower);
  if (name == "diag") return has.diag && one && parse_letter(value[0], "NU", &call->unit);
  if (name == "alpha") return one && parse_letter(value[0], kFactors, &call->alpha) && call->alpha != CallClass::kZero;
  if (name == "beta") return one && parse_letter(value[0], kFactors, &call->beta);
  if (name == "math") return parse_mode(value, &call->math_mode);
  if (name == "ld") return parse_alignments(value, call->ld);
  if (name == "at")
    return call->batch != static_cast<uint8_t>(Batch::pointers) && parse_alignments(value, call->address);
  if (name == "stride")
    return call->batch == static_cast<uint8_t>(Batch::strided) && parse_alignments(value, call->stride);
  return name == "batch" && call->batch != static_cast<uint8_t>(Batch::none) && parse_size(value, &call->batch_count);
}

bool fits(const CallClass &call, std::string *problem) {
  const RoutineTraits &t = traits_of(call);
  const size_t inputs = size_of(static_cast<Type>(call.type));
  const auto all = [&](const uint8_t(&of)[3], bool may_be_zero) {
    for (size_t i = 0; i < 3; ++i) {
      const bool there = i != 1 || t.has_b();
      const bool zero = of[i] == 0 && (may_be_zero || !there);
      if (!zero && (!there || of[i] < (i == 2 ? sizeof(float) : inputs))) return false;
    }
    return true;
  };
  const bool pointers = call.batch == static_cast<uint8_t>(Batch::pointers);
  *problem = "m, n and k do not belong to such a routine";
  if (t.triangle_of_c && call.m != call.n) return false;
  if (t.one_sided() && call.k != (call.right != 0 ? call.n : call.m)) return false;
  *problem = "an alignment is not one of such elements";
  return all(call.ld, false) && all(call.address, pointers) && all(call.stride, true);
}

}  // namespace

bool CallClass::operator==(const CallClass &other) const { return std::memcmp(this, &other, sizeof other) == 0; }

CallClass class_of(const GemmDesc &d) {
  const RoutineTraits &t = traits_of(d);
  const Has has(t);
  const size_t size = size_of(d.type);
  CallClass c = {};
  c.m = d.m;
  c.n = d.n;
  c.k = d.k;
  c.batch_count = d.batch_count;
  c.routine = static_cast<uint8_t>(d.routine);
  c.type = static_cast<uint8_t>(d.type);
  c.math_mode = static_cast<uint8_t>(d.math_mode);
  c.batch = static_cast<uint8_t>(d.batch);
  c.transa = has.transa && d.transa != LIBSGEMM_NO_TRANS ? 1 : 0;
  c.transb = has.transb && d.transb != LIBSGEMM_NO_TRANS ? 1 : 0;
  c.right = has.side && d.side == LIBSGEMM_RIGHT ? 1 : 0;
  c.lower = has.uplo && d.uplo == LIBSGEMM_LOWER ? 1 : 0;
  c.unit = has.diag && d.diag == LIBSGEMM_UNIT ? 1 : 0;
  c.alpha = factor_of(d.alpha);
  c.beta = factor_of(d.beta);
  c.ld[0] = alignment_of(d.lda, size);
  if (t.has_b()) c.ld[1] = alignment_of(d.ldb, size);
  c.ld[2] = alignment_of(d.ldc, sizeof(float));
  if (d.batch != Batch::pointers) {
    c.address[0] = alignment_of(d.a);
    if (t.has_b()) c.address[1] = alignment_of(d.b);
    c.address[2] = alignment_of(d.c);
  }
  if (d.batch == Batch::strided) {
    c.stride[0] = alignment_of(d.stride_a, size);
    if (t.has_b()) c.stride[1] = alignment_of(d.stride_b, size);
    c.stride[2] = alignment_of(d.stride_c, sizeof(float));
  }
  return c;
}

uint64_t hash_of(const CallClass &call) {
  uint64_t words[sizeof call / sizeof(uint64_t)], hash = 0;
  std::memcpy(words, &call, sizeof call);
  for (const uint64_t word : words) hash = (hash ^ word) * 0x9fb21c651e98df25u, hash ^= hash >> 32;
  return hash;
}

GemmDesc describe(const CallClass &c) {
  GemmDesc d = {};
  d.routine = static_cast<Routine>(c.routine);
  d.type = static_cast<Type>(c.type);
  d.math_mode = static_cast<libsgemm_math_mode_t>(c.math_mode);
  d.transa = c.transa != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  d.transb = c.transb != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  d.side = c.right != 0 ? LIBSGEMM_RIGHT : LIBSGEMM_LEFT;
  d.uplo = c.lower != 0 ? LIBSGEMM_LOWER : LIBSGEMM_UPPER;
  d.diag = c.unit != 0 ? LIBSGEMM_UNIT : LIBSGEMM_NON_UNIT;
  d.m = c.m;
  d.n = c.n;
  d.k = c.k;
  d.alpha = value_of(c.alpha);
  d.beta = value_of(c.beta);
  d.batch = static_cast<Batch>(c.batch);
  d.batch_count = c.batch_count;
  const size_t size = size_of(d.type);
  const Stored b = stored_b(d);
  d.lda = align(stored_a(d).rows, c.ld[0], size);
  d.ldb = b.rows > 0 ? align(b.rows, c.ld[1], size) : 1;
  d.ldc = align(d.m, c.ld[2], sizeof(float));
  if (d.batch == Batch::strided) {
    const auto stride = [](const Stored &x, int64_t ld, uint8_t alignment, size_t bytes) {
      return alignment != 0 ? align(ld * x.cols, alignment, bytes) : 0;
    };
    d.stride_a = stride(stored_a(d), d.lda, c.stride[0], size);
    d.stride_b = stride(b, d.ldb, c.stride[1], size);
    d.stride_c = stride(stored_c(d), d.ldc, c.stride[2], sizeof(float));
  }
  return d;
}

std::string to_text(const CallClass &c) {
  const RoutineTraits &t = traits_of(c);
  const Has has(t);
  std::string text = routine_name(describe(c));
  const auto word = [&text](const char *name, const std::string &value) { text += ' ' + (name + ('=' + value)); };
  const auto alignments = [&word](const char *name, const uint8_t(&of)[3]) {
    word(name, std::to_string(of[0]) + "," + std::to_string(of[1]) + "," + std::to_string(of[2]));
  };
  const auto letter = [&word](const char *name, const char *letters, uint8_t which) {
    word(name, std::string(1, letters[which]));
  };
  std::string op;
  if (has.transa) op += "NT"[c.transa];
  if (has.transb) op += "NT"[c.transb];
  if (!op.empty()) word("op", op);
  if (has.side) letter("side", "LR", c.right);
  if (has.uplo) letter("uplo", "UL", c.lower);
  if (has.diag) letter("diag", "NU", c.unit);
  word("m", std::to_string(c.m));
  word("n", std::to_string(c.n));
  word("k", std::to_string(c.k));
  if (c.batch != static_cast<uint8_t>(Batch::none)) word("batch", std::to_string(c.batch_count));
  alignments("ld", c.ld);
  if (c.batch != static_cast<uint8_t>(Batch::pointers)) alignments("at", c.address);
  if (c.batch == static_cast<uint8_t>(Batch::strided)) alignments("stride", c.stride);
  letter("alpha", kFactors, c.alpha);
  letter("beta", kFactors, c.beta);
  word("math", math_mode_name(static_cast<libsgemm_math_mode_t>(c.math_mode)));
  return text;
}

bool class_from_text(const std::string &text, CallClass *call, std::string *problem) {
  const std::vector<std::string> words = split(text, ' ');
  *call = {};
  if (words.empty() || !parse_routine(words[0], call)) {
    *problem = words.empty() ? "there is no routine" : "there is no routine " + words[0];
    return false;
  }
  const RoutineTraits &t = traits_of(*call);
  const uint8_t b = t.has_b() ? CallClass::kMostAlignment : 0;
  call->batch_count = 1;
  call->alpha = CallClass::kOne;
  call->beta = t.routine == Routine::trsm ? CallClass::kOne : CallClass::kZero;
  for (auto *of : {&call->ld, &call->address, &call->stride}) {
    if (of == &call->stride && call->batch != static_cast<uint8_t>(Batch::strided)) continue;
    if (of == &call->address && call->batch == static_cast<uint8_t>(Batch::pointers)) continue;
    (*of)[0] = (*of)[2] = CallClass::kMostAlignment;
    (*of)[1] = b;
  }
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : words[i].substr(equals + 1);
    if (parse_word(name, value, Has(t), call)) continue;
    *problem = words[i] + " is not valid in a call of " + words[0];
    return false;
  }
  if (t.one_sided() && call->k == 0) call->k = call->right != 0 ? call->n : call->m;
  if (call->m == 0 || call->n == 0 || call->k == 0) {
    *problem = "m, n or k is missing";
    return false;
  }
  return fits(*call, problem);
}

}  // namespace libsgemm
