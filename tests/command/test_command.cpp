#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "command_runner.h"
#include "support/catch.h"

namespace sgemm_test {
namespace {

using Catch::Matchers::StartsWith;
using sgemm_test::Contains;

const std::string kHead = "{'descr': '<f4', 'fortran_order': False, 'shape': ";

std::string data(size_t count) { return std::string(4 * count, '\0'); }

struct BadFile {
  const char *name;
  std::string bytes;
  const char *message;  // follows the file's name
};

std::vector<BadFile> bad_sizes_of_files() {
  const std::string good = Matrix(3, 4, 1).file(false);
  std::string long_header = good;
  long_header[8] = '\xff';
  long_header[9] = '\xff';
  std::string huge_header = npy(kHead + "(3, 4), }", data(12), 2);
  huge_header.replace(8, 4, "\xff\xff\xff\xff");
  return {
      {"empty", "", "not a .npy file: it is empty"},
      {"text", "1 2 3\n4 5 6\n", "not a .npy file: it does not begin with"},
      {"half a magic", "\x93NUMX", "not a .npy file: it does not begin with"},
      {"zip", "PK\x03\x04" + data(30), "not a .npy file: it does not begin with"},
      {"magic only", good.substr(0, 6), "truncated: the file ends within its header"},
      {"no header length", good.substr(0, 9), "truncated: the file ends within its header"},
      {"half a header", good.substr(0, 40), "truncated: the header should have 118 bytes, the file has 30"},
      {"header longer than the file", long_header, "truncated: the header should have 65535 bytes"},
      {"header of 4 GB", huge_header, "truncated: the header should have 4294967295 bytes"},
      {"no data", good.substr(0, 128), "truncated: shape (3, 4) needs 48 bytes of data, the file has 0"},
      {"one byte too few", good.substr(0, good.size() - 1), "needs 48 bytes of data, the file has 47"},
      {"one byte too many", good + "x", "1 bytes follow the 48 bytes of data of shape (3, 4)"},
      {"larger than said", good + data(12), "48 bytes follow the 48 bytes of data"},
  };
}

std::vector<BadFile> bad_types() {
  return {
      {"version 4", npy(kHead + "(3, 4), }", data(12), 4), "version 4.0 of the .npy format is not known"},
      {"float64", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }", data(24)),
       "its elements are float64 (dtype '<f8'); float32 (dtype '<f4') is wanted"},
      {"float16", npy("{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }", data(6)), "elements are float16"},
      {"int32", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (3, 4), }", data(12)), "elements are int32"},
      {"uint8", npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4), }", data(3)), "elements are uint8"},
      {"bool", npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3, 4), }", data(3)), "elements are bool"},
      {"complex", npy("{'descr': '<c8', 'fortran_order': False, 'shape': (3, 4), }", data(24)), "are complex64"},
      {"text elements", npy("{'descr': '<U1', 'fortran_order': False, 'shape': (3, 4), }", data(12)), "are text"},
      {"objects", npy("{'descr': '|O', 'fortran_order': False, 'shape': (3, 4), }", data(12)), "are Python objects"},
      {"big-endian", npy("{'descr': '>f4', 'fortran_order': False, 'shape': (3, 4), }", data(12)),
       "its elements are big-endian float32 (dtype '>f4')"},
      {"structured", npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (3, 4), }", data(12)),
       "its elements are structured; float32 (dtype '<f4') is wanted"},
      {"nonsense type", npy("{'descr': '', 'fortran_order': False, 'shape': (3, 4), }", data(12)), "an unknown type"},
  };
}

std::vector<BadFile> bad_shapes_and_headers() {
  return {
      {"0-D", npy(kHead + "(), }", data(1)), "it has 0 dimensions, shape (); a matrix with 2 is wanted"},
      {"1-D", npy(kHead + "(12,), }", data(12)), "it has 1 dimension, shape (12,); a matrix with 2 is wanted"},
      {"3-D", npy(kHead + "(3, 2, 2), }", data(12)), "it has 3 dimensions, shape (3, 2, 2)"},
      {"shape overflow", npy(kHead + "(4294967296, 4294967296), }", data(12)), "overflows"},
      {"byte overflow", npy(kHead + "(2147483648, 2147483648), }", data(12)), "overflows"},
      {"size overflow", npy(kHead + "(9223372036854775808, 0), }", ""), "shape overflows: a size is beyond 2^63"},
      {"wrap to the right size", npy(kHead + "(18446744073709551619, 4), }", data(12)), "shape overflows"},
      {"negative size", npy(kHead + "(-3, 4), }", data(12)), "bad header: shape has a negative size"},
      {"size not a number", npy(kHead + "(3, x), }", data(12)), "bad header: shape has something that is not a size"},
      {"size is a fraction", npy(kHead + "(3.0, 4), }", data(12)), "bad header: ',' is missing in shape"},
      {"shape not a tuple", npy(kHead + "12, }", data(12)), "bad header: '(' is missing"},
      {"shape in parentheses", npy(kHead + "(12), }", data(12)), "bad header: shape is not a tuple"},
      {"no shape", npy("{'descr': '<f4', 'fortran_order': False, }", data(12)), "bad header: key 'shape' is missing"},
      {"no descr", npy("{'fortran_order': False, 'shape': (3, 4), }", data(12)), "key 'descr' is missing"},
      {"no order", npy("{'descr': '<f4', 'shape': (3, 4), }", data(12)), "key 'fortran_order' is missing"},
      {"key twice", npy(kHead + "(3, 4), 'shape': (4, 3), }", data(12)), "key 'shape' appears twice"},
      {"unknown key", npy(kHead + "(3, 4), 'x': 1, }", data(12)), "bad header: unknown key 'x'"},
      {"order not a bool", npy("{'descr': '<f4', 'fortran_order': 0, 'shape': (3, 4), }", data(12)),
       "fortran_order is neither True nor False"},
      {"no dict", npy("", data(12)), "bad header: '{' is missing"},
      {"dict not closed", npy(kHead + "(3, 4), ", data(12)), "bad header: a string is missing"},
      {"string not closed", npy("{'descr: 1", data(12)), "bad header: a string has an escape or a line break"},
      {"colon missing", npy("{'descr' '<f4'}", data(12)), "bad header: ':' is missing"},
      {"comma missing", npy("{'descr': '<f4' 'fortran_order': False}", data(12)), "',' is missing between keys"},
      {"code after the dict", npy(kHead + "(3, 4), } or exit()", data(12)), "something follows the closing '}'"},
  };
}

std::vector<BadFile> bad_files() {
  std::vector<BadFile> all = bad_sizes_of_files();
  for (const std::vector<BadFile> &more : {bad_types(), bad_shapes_and_headers()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

void require_error(const Outcome &outcome, const std::string &line) {
  CHECK(outcome.exit_status == 1);
  CHECK(outcome.out == "");
  CHECK_THAT(outcome.err, StartsWith("libsgemm gemm: " + line));
  CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
}

}  // namespace

TEST_CASE("gemm: bad files are named with what is wrong, and the output stays as it was") {
  const Folder folder;
  const std::string good = folder.write("good.npy", Matrix(4, 4, 1).file(false));
  const std::string output = folder.write("out.npy", "precious");
  const std::vector<std::string> names = {"bad.npy", "good.npy", "out.npy"};
  for (const BadFile &file : bad_files()) {
    const std::string bad = folder.write("bad.npy", file.bytes);
    INFO(file.name);
    for (const std::vector<std::string> &operands :
         {std::vector<std::string>{bad, good}, {good, bad}, {good, good, "--beta", "1", "--c", bad}}) {
      std::vector<std::string> arguments = {"gemm", "-o", output};
      arguments.insert(arguments.end(), operands.begin(), operands.end());
      const Outcome outcome = command(arguments);
      require_error(outcome, bad + ": ");
      CHECK_THAT(outcome.err, Contains(file.message));
      CHECK(read_text(output) == "precious");
      CHECK(folder.list() == names);
    }
  }
}

TEST_CASE("gemm: inputs that are no readable regular file") {
  const Folder folder;
  const std::string good = folder.write("good.npy", Matrix(4, 4, 1).file(false));
  require_error(command({"gemm", folder.file("none.npy"), good}),
                folder.file("none.npy") + ": cannot be opened: No such file or directory");
  require_error(command({"gemm", good, folder.file("")}), folder.file("") + ": is a directory");
  REQUIRE(mkfifo(folder.file("fifo").c_str(), 0600) == 0);
  require_error(command({"gemm", good, folder.file("fifo")}), folder.file("fifo") + ": is not a regular file");
  const std::string secret = folder.write("secret.npy", Matrix(4, 4, 1).file(false));
  REQUIRE(chmod(secret.c_str(), 0) == 0);
  require_error(unprivileged_command({"gemm", good, secret}), secret + ": cannot be opened: Permission denied");
}

TEST_CASE("gemm: sizes and options that do not fit") {
  const Folder folder;
  const std::string a = folder.write("a.npy", Matrix(3, 4, 1).file(false));
  const std::string b = folder.write("b.npy", Matrix(4, 5, 2).file(false));
  const std::string output = folder.write("out.npy", "precious");
  require_error(command({"gemm", a, a, "-o", output}),
                a + ": op(B) is 3 x 4 but op(A) of " + a + " is 3 x 4: the inner sizes 4 and 3 differ");
  require_error(command({"gemm", a, b, "--transa", "-o", output}), b + ": op(B) is 4 x 5 but op(A)");
  require_error(command({"gemm", a, b, "--beta", "1", "-o", output}), "--beta other than 0 needs --c");
  require_error(command({"gemm", a, b, "--beta", "1", "--c", a, "-o", output}),
                a + ": C is 3 x 4 but op(A) * op(B) is 3 x 5");
  const Outcome backend = command({"gemm", a, b, "--backend", "abacus", "-o", output});
  require_error(backend, "");
  CHECK_THAT(backend.err, Contains("abacus") && Contains("openblas") && Contains("ref"));
  const Outcome kernel = command({"gemm", a, b, "--kernel", "abacus", "-o", output});
  require_error(kernel, "");
  CHECK_THAT(kernel.err, Contains("abacus"));
  const Outcome environment = command({"gemm", a, b, "-o", output}, {{"LIBSGEMM_BACKEND", "abacus"}});
  require_error(environment, "");
  CHECK_THAT(environment.err, Contains("LIBSGEMM_BACKEND=abacus") && Contains("openblas"));
  CHECK(read_text(output) == "precious");
  for (const std::vector<std::string> &usage : {std::vector<std::string>{"gemm"},
                                                {"gemm", a},
                                                {"gemm", a, b, b},
                                                {"gemm", a, b, "--alpha", "x"},
                                                {"gemm", a, b, "--frobnicate"},
                                                {"gemm", a, b, "-o", ""},
                                                {"gemm", a, b, "--output="},
                                                {"gemm", a, b, "--c", ""},
                                                {"gemm", "", b},
                                                {"bench", "--json", ""},
                                                {"calibrate", "-o", ""},
                                                {"run", "-o", "", "--", "true"},
                                                {"gemm", a, b, "--repeat", "-1"},
                                                {},
                                                {"multiply"}}) {
    const Outcome outcome = command(usage);
    CHECK(outcome.exit_status == 2);
    CHECK(outcome.err != "");
  }
}

TEST_CASE("gemm: outputs that cannot be written are refused before anything is computed") {
  const Folder folder;
  const std::string a = folder.write("a.npy", Matrix(4, 4, 1).file(false));
  const auto refused = [&](const std::string &output, const std::string &what) {
    require_error(unprivileged_command({"gemm", a, a, "-o", output}), output + ": " + what);
  };
  refused(folder.file("none/c.npy"), "cannot be created in its folder: No such file or directory");
  refused(folder.file(""), "cannot be written: it is a directory");
  refused(a + "/c.npy", "cannot be written: Not a directory");
  refused("/dev/null", "cannot be written: it exists and is not a regular file");
  REQUIRE(symlink("nowhere/c.npy", folder.file("astray").c_str()) == 0);
  refused(folder.file("astray"), "cannot be created in its folder: No such file or directory");
  REQUIRE(symlink("circle", folder.file("circle").c_str()) == 0);
  refused(folder.file("circle"), "cannot be written: Too many levels of symbolic links");
  REQUIRE(unlink(folder.file("astray").c_str()) == 0);
  REQUIRE(unlink(folder.file("circle").c_str()) == 0);
  const std::string kept = folder.write("kept.npy", "precious");
  REQUIRE(chmod(kept.c_str(), 0444) == 0);
  refused(kept, "cannot be written: Permission denied");
  REQUIRE(chmod(folder.path().c_str(), 0555) == 0);
  refused(folder.file("new.npy"), "cannot be created in its folder: Permission denied");
  REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
  CHECK(read_text(kept) == "precious");
  CHECK(folder.list() == std::vector<std::string>{"a.npy", "kept.npy"});
}

TEST_CASE("gemm: a link to a file that is not there yet stays, and the file appears where it leads") {
  const Folder folder;
  const Matrix a(4, 4, 1);
  const std::string input = folder.write("a.npy", a.file(false));
  REQUIRE(mkdir(folder.file("far").c_str(), 0700) == 0);
  REQUIRE(symlink("far/second", folder.file("first").c_str()) == 0);
  REQUIRE(symlink("../c.npy", folder.file("far/second").c_str()) == 0);
  for (int time = 0; time < 2; ++time) {  // the file exists the second time
    const Outcome outcome = command({"gemm", input, input, "-o", folder.file("first")});
    INFO(outcome.description());
    REQUIRE(outcome.exit_status == 0);
    CHECK(folder.list() == std::vector<std::string>{"a.npy", "c.npy", "far", "first"});
    CHECK(std::filesystem::is_symlink(folder.file("first")));
    CHECK(std::filesystem::is_symlink(folder.file("far/second")));
    CHECK(std::filesystem::is_regular_file(std::filesystem::symlink_status(folder.file("c.npy"))));
    CHECK(read_matrix(folder.file("c.npy")).rows == 4);
  }
}

TEST_CASE("gemm: an input that is cut off") {
  const Folder folder;
  const Matrix matrix(300, 300, 1);
  const std::string a = folder.write("a.npy", matrix.file(false)), b = folder.write("b.npy", matrix.file(false));
  // The file becomes empty during products, which use the copy in memory.
  const std::string script =
      "\"$1\" gemm \"$2\" \"$3\" --backend ref --repeat 1000000 & run=$!; "
      "until grep -q libsgemm_sgemm_h \"$4\"; do sleep 0.01; done; : > \"$2\"; wait $run";
  const Outcome outcome = run_program({"/bin/sh", "-c", script, "sh", LIBSGEMM_COMMAND, a, b, folder.write("log", "")},
                                      {{"LIBSGEMM_VERBOSE", "2"}, {"LIBSGEMM_LOG_PATH", folder.file("log")}});
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK_THAT(outcome.out, Contains("300 x 300"));
  // The preloaded library truncates the file at the first read of data.
  folder.write("a.npy", matrix.file(false));
  require_error(command({"gemm", b, a}, {{"LD_PRELOAD", CUTTING_READ},
                                         {"CUTTING_READ", a},
                                         {"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}}),
                a + ": truncated while it was read: it ends after 1000 bytes");
}

TEST_CASE("gemm: a write that fails half-way leaves the old output and no other file") {
  const Folder folder;
  const std::string a = folder.write("a.npy", Matrix(100, 100, 1).file(false));
  const std::string output = folder.write("out.npy", "precious");
  // Files may have at most 4 KiB. The shell ignores the signal, so that a longer file is an error.
  const std::string script = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
  require_error(run_program({"/bin/sh", "-c", script, "sh", LIBSGEMM_COMMAND, "gemm", a, a, "-o", output}, {}),
                output + ": cannot be written: File too large");
  CHECK(read_text(output) == "precious");
  CHECK(folder.list() == std::vector<std::string>{"a.npy", "out.npy"});
}

TEST_CASE("gemm: a wrong product fails --verify and is not written") {
  const Folder folder;
  const std::string a = folder.write("a.npy", Matrix(20, 20, 1).file(false));
  const std::string output = folder.write("out.npy", "precious");
  const Environment faulty = {{"LIBSGEMM_CPU_BLAS", FAULTY_BLAS}};
  const std::vector<std::string> arguments = {"gemm", a, a, "--backend", "openblas", "-o", output};
  std::vector<std::string> verified = arguments;
  verified.push_back("--verify");
  require_error(command(verified, faulty), "");
  CHECK(read_text(output) == "precious");
  CHECK(command(arguments, faulty).exit_status == 0);  // wrong, but only --verify finds it
  CHECK(read_matrix(output).values.back() == 0);
}

namespace {

struct Case {
  bool a_fortran, b_fortran, c_fortran, transa, transb;
};

void check_product(const Folder &folder, const Case &x, const std::string &backend, int64_t m, int64_t n, int64_t k) {
  const Matrix a(x.transa ? k : m, x.transa ? m : k, 1), b(x.transb ? n : k, x.transb ? k : n, 2), c(m, n, 3);
  const std::string output = folder.file("out.npy");
  std::vector<std::string> arguments = {"gemm",
                                        folder.write("a.npy", a.file(x.a_fortran)),
                                        folder.write("b.npy", b.file(x.b_fortran)),
                                        "--alpha",
                                        "-1.5",
                                        "--beta",
                                        "0.5",
                                        "--c",
                                        folder.write("c.npy", c.file(x.c_fortran)),
                                        "-o",
                                        output,
                                        "--verify",
                                        "--backend",
                                        backend};
  if (x.transa) arguments.push_back("--transa");
  if (x.transb) arguments.push_back("--transb");
  const Outcome outcome = command(arguments);
  REQUIRE(outcome.err == "");
  REQUIRE(outcome.exit_status == 0);
  CHECK_THAT(outcome.out, Contains("backend   " + backend + ", device 0") && !Contains("kernel    none") &&
                              Contains("verified  worst |error| / bound = 0.0000") && Contains("GFLOP/s"));
  const Matrix result = read_matrix(output);
  REQUIRE(result.rows == m);
  REQUIRE(result.columns == n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += (x.transa ? a.at(l, i) : a.at(i, l)) * (x.transb ? b.at(j, l) : b.at(l, j));
      REQUIRE(result.at(i, j) == -1.5 * sum + 0.5 * c.at(i, j));  // exact: small multiples of powers of two
    }
  }
}

}  // namespace

TEST_CASE("gemm: every order of the files, every transposition, exactly") {
  const Folder folder;
  const bool has_openblas = has_backend("openblas");
  for (int bits = 0; bits < 32; ++bits) {
    const Case x{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0};
    INFO("orders and transposes " << bits);
    check_product(folder, x, "ref", 7, 5, 3);
    if (has_openblas) check_product(folder, x, "openblas", 17, 64, 33);
  }
}

TEST_CASE("gemm: every way in which a header may be written") {
  const Folder folder;
  const Matrix a(3, 4, 1);
  const std::string b = folder.write("b.npy", Matrix(4, 2, 2).file(false)), output = folder.file("out.npy");
  REQUIRE(command({"gemm", folder.write("a.npy", a.file(false)), b, "-o", output}).exit_status == 0);
  const std::string expected = read_text(output);
  const std::string dict = kHead + "(3, 4), }", bytes = bytes_of(a.values);
  std::string odd = npy(dict, bytes);  // the data begin at an odd address
  odd.erase(odd.size() - bytes.size() - 2, 1);
  --odd[8];
  for (const std::string &file :
       {npy(dict, bytes, 2), npy(dict, bytes, 3), npy("{'shape':(3,4),'descr':'<f4','fortran_order':False}", bytes),
        npy("  { \"fortran_order\" :False ,\t\"descr\": \"<f4\",\n 'shape' : ( 3 , 4 , ) }", bytes),
        npy(kHead + "(3L, 4L), }", bytes), odd}) {
    REQUIRE(remove(output.c_str()) == 0);
    const Outcome outcome = command({"gemm", folder.write("a.npy", file), b, "-o", output});
    CHECK(outcome.err == "");
    CHECK(read_text(output) == expected);
  }
}

TEST_CASE("gemm: sizes of zero") {
  const Folder folder;
  const std::string output = folder.file("out.npy");
  const auto product = [&](const Matrix &a, const Matrix &b, std::vector<std::string> more) {
    more.insert(more.begin(), {"gemm", folder.write("a.npy", a.file(false)), folder.write("b.npy", b.file(true)), "-o",
                               output, "--verify"});
    const Outcome outcome = command(more);
    REQUIRE(outcome.err == "");
    REQUIRE(outcome.exit_status == 0);
    return read_matrix(output);
  };
  const Matrix no_rows = product(Matrix(0, 3, 1), Matrix(3, 2, 2), {});
  CHECK((no_rows.rows == 0 && no_rows.columns == 2));
  const Matrix no_columns = product(Matrix(2, 3, 1), Matrix(3, 0, 2), {});
  CHECK((no_columns.rows == 2 && no_columns.columns == 0));
  CHECK(product(Matrix(2, 0, 1), Matrix(0, 2, 2), {}).values == std::vector<float>(4, 0.0f));
  const Matrix c(2, 2, 5);
  const Matrix scaled =
      product(Matrix(2, 0, 1), Matrix(0, 2, 2), {"--beta", "2", "--c", folder.write("c.npy", c.file(true))});
  for (size_t i = 0; i < 4; ++i) CHECK(scaled.values[i] == 2 * c.values[i]);
}

TEST_CASE("gemm: NaN in C does not spread with beta = 0, and does otherwise") {
  const Folder folder;
  const std::string a = folder.write("a.npy", Matrix(2, 2, 1).file(false)), output = folder.file("out.npy");
  Matrix c(2, 2, 3);
  c.values[1] = std::numeric_limits<float>::quiet_NaN();
  const std::string c_file = folder.write("c.npy", c.file(false));
  REQUIRE(command({"gemm", a, a, "--c", c_file, "-o", output}).exit_status == 0);
  for (const float value : read_matrix(output).values) CHECK(std::isfinite(value));
  REQUIRE(command({"gemm", a, a, "--c", c_file, "--beta", "1", "-o", output}).exit_status == 0);
  const Matrix result = read_matrix(output);
  CHECK(std::isnan(result.values[1]));
  CHECK((std::isfinite(result.values[0]) && std::isfinite(result.values[2]) && std::isfinite(result.values[3])));
}

TEST_CASE("gemm: the output may be an input, a link to a file, or new, and keeps the file's permissions") {
  const Folder folder;
  const Matrix a(3, 3, 1);
  const std::string file = folder.write("a.npy", a.file(false)), expected = folder.file("expected.npy");
  const mode_t mask = umask(027);
  REQUIRE(command({"gemm", file, file, "-o", expected}).exit_status == 0);
  umask(mask);
  struct stat status;
  REQUIRE(stat(expected.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0640);
  REQUIRE(chmod(file.c_str(), 0604) == 0);
  const std::string link = folder.file("link.npy");
  REQUIRE(symlink("a.npy", link.c_str()) == 0);
  REQUIRE(command({"gemm", file, file, "-o", link}).exit_status == 0);
  CHECK(read_text(file) == read_text(expected));
  REQUIRE(lstat(link.c_str(), &status) == 0);
  CHECK(S_ISLNK(status.st_mode));
  REQUIRE(stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0604);
  CHECK(folder.list() == std::vector<std::string>{"a.npy", "expected.npy", "link.npy"});
}

}  // namespace sgemm_test
