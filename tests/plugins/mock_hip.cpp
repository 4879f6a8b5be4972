// Mock of AMD's HIP runtime, compiler, rocBLAS, hipBLASLt and MIOpen, for the bench: one library under five names
// (mock_stack.h). MOCK_HIP selects a fault; "no_compiler": compilation fails; "old_rocblas": version 3.
#include <cstddef>
#include <cstdint>

namespace {

constexpr const char *kBackend = "hip", *kFaults = "MOCK_HIP", *kCode = "compiled for gfx90a";
constexpr int kCompute32F = 2, kTrans = 112, kTransa = 0, kTransb = 1, kAlgorithmWords = 3;

}  // namespace

#define MOCK_SYMBOL(cuda, hip) hip
#include "mock_stack.h"

EXPORT int hipDriverGetVersion(int *version) { return *version = 60241133, kSuccess; }
EXPORT int hipDeviceGetAttribute(int *value, int which, int) {
  return *value = which == 63 ? 4 : which == 19 ? 1 << 16 : 0, kSuccess;
}
EXPORT int hipSetDevice(int device) { return device == 0 ? kSuccess : 101; }
EXPORT int hipGetDevice(int *device) { return *device = asked_for("reset") ? 1 : 0, kSuccess; }
EXPORT int hipStreamIsCapturing(void *, int *capturing) { return *capturing = 0, kSuccess; }
EXPORT int hipThreadExchangeStreamCaptureMode(int *) { return kSuccess; }
EXPORT int hipGetDeviceProperties(char *properties, int) {
  strcpy(properties, "gfx of a name that is no architecture");
  return strcpy(properties + 396, "gfx90a:sramecc+:xnack-"), kSuccess;
}
EXPORT const char *hipGetErrorName(int error) { return error == kNoDevice ? "hipErrorNoDevice" : "hipErrorUnknown"; }
EXPORT const char *hipGetErrorString(int error) {
  return error == kNoDevice ? "no ROCm-capable device is detected" : "unknown error";
}

// ---- The compiler: a program is its log or its code -----------------------------------------------------------------

EXPORT int hiprtcCreateProgram(std::string **program, const char *source, const char *, int, const char **,
                               const char **) {
  return *program = new std::string(source), kSuccess;
}
EXPORT int hiprtcCompileProgram(std::string *program, int count, const char **options) {
  if (asked_for("no_compiler")) return *program = "bench.hip:1:1: error: nothing pleases it\nmore\n", 6;
  if (program->find("__global__ void") == std::string::npos || count < 1) return 6;
  const std::string arch = std::string(options[0]).substr(strlen("--offload-arch="));
  return *program = "compiled for " + arch + "\n" + *program, kSuccess;
}
EXPORT int hiprtcGetProgramLogSize(const std::string *program, size_t *bytes) {
  return *bytes = program->size() + 1, kSuccess;
}
EXPORT int hiprtcGetProgramLog(const std::string *program, char *log) {
  return strcpy(log, program->c_str()), kSuccess;
}
EXPORT int hiprtcGetCodeSize(const std::string *program, size_t *bytes) {
  return hiprtcGetProgramLogSize(program, bytes);
}
EXPORT int hiprtcGetCode(const std::string *program, char *code) { return hiprtcGetProgramLog(program, code); }
EXPORT int hiprtcDestroyProgram(std::string **program) { return delete *program, kSuccess; }

#include "mock_miopen.h"

#include "mock_rocblas.h"

EXPORT int hipblasLtGetVersion(void *, int *version) { return *version = 1002, kSuccess; }
