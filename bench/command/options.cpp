#include "options.h"

#include <fmt/format.h>

#include "inputs/distributions.h"
#include "inputs/precision.h"

namespace command {
namespace {

// An empty name would count as an option left out.
std::string check_file_name(const std::string &name) { return name.empty() ? "the name of a file is empty" : ""; }

void add_device(CLI::App *app, const char *which, int *device) {
  app->add_option("--device", *device, fmt::format("{}, as its vendor's runtime counts them", which))
      ->capture_default_str()
      ->check(CLI::Range(0, 1023));
}

void add_cache_file(CLI::App *app, std::string *output, std::string *backend) {
  app->add_option("-o,--output", *output,
                  "This file instead of the one in the cache, which programs find by themselves")
      ->check(check_file_name);
  app->add_option("--backend", *backend, "The backend of the GPU (default: the first that is available)");
}

void add_shape(CLI::App *app, BenchOptions *options) {
  app->add_option("--shape", options->shapes, "m,n,k[,pad] or mxnxk[+pad]; repeatable. ld = rows + pad")
      ->delimiter('\0')
      ->allow_extra_args(false);
}

CLI::Option *add_random(CLI::App *app, BenchOptions *options) {
  CLI::Option *random =
      app->add_option(
             "--random", options->random,
             "Number of random shapes: sizes log-uniform, half of the shapes rounded to multiples of 8 to 64, the "
             "transposes (and what else --side and --uplo name) in turn")
          ->check(CLI::Range(1, 1000000));
  app->add_option("--seed", options->seed, "Seed of the random shapes or groups")->capture_default_str();
  app->add_option("--sizes", options->sizes, "least:most, the range of m, n and k of random shapes")
      ->capture_default_str()
      ->needs(random);
  return random;
}

void add_routines(CLI::App *app, BenchOptions *options) {
  app->add_option("--routine", options->routines, "Routines, comma list (default: sgemm), or sconv2d")->delimiter(',');
  app->add_option("--transposes", options->transposes, "Comma list of NN,NT,TN,TT (default: all)")->delimiter(',');
  app->add_option("--side", options->sides,
                  "Comma list of left,right (default: left): the side of the symmetric or triangular matrix")
      ->delimiter(',');
  app->add_option("--uplo", options->uplos, "Comma list of lower,upper (default: upper): the triangle, if there is one")
      ->delimiter(',');
  app->add_option("--batch", options->batch,
                  "Number of calls of a shape in one strided batch, where a routine has them")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
}

void exclude(CLI::App *app, const std::vector<std::string> &names, const std::vector<std::string> &others) {
  for (const std::string &name : names) {
    for (const std::string &other : others) {
      if (name != other) app->get_option(name)->excludes(app->get_option(other));
    }
  }
}

void add_bench_shapes(CLI::App *app, BenchOptions *options) {
  add_shape(app, options);
  app->add_option("--sweep", options->sweep, "first:last:step, square sizes");
  app->add_option("--suite", options->suite, "CSV file of shapes: m,n,k,pad,what (default: the installed shapes.csv)")
      ->check(check_file_name);
  add_random(app, options);
  exclude(app, {"--random"}, {"--shape", "--sweep", "--suite"});
  app->add_option("--filter", options->filter, "Only shapes whose `m x n x k` (as 64x64x64) or description has this");
  app->add_option("--max-flops", options->max_flops, "Only shapes of at most this many operations")
      ->check(CLI::PositiveNumber);
  add_routines(app, options);
  app->add_option("--beta", options->beta, "Factor of C as it is before the call, where a routine has it")
      ->capture_default_str();
}

void add_bench_candidates(CLI::App *app, BenchOptions *options) {
  app->add_option("--backend", options->backends, "Backends, comma list (default: all available)")->delimiter(',');
  app->add_option("--kernel", options->kernel, "Force a kernel by its name");
  app->add_flag("--regret", options->regret,
                "Also time every kernel that can do a call: what is lost by the choice, and the ratio to the peer with "
                "the fastest kernels")
      ->excludes("--kernel");
  app->add_option("--math", options->math_modes,
                  fmt::format("Math modes of sgemm, comma list of {} (default: the environment's; --accuracy: all)",
                              fmt::join(math_mode_names(), ",")))
      ->delimiter(',');
  app->add_option("--workspace", options->workspace_mib,
                  "MiB of device memory for scratch, at most (default: the library's)")
      ->check(CLI::Range(1, 1 << 20));
  app->add_option("--plan", options->plan,
                  "Operands of sgemm to keep as plans, a, b or ab: in the modes that split, their split is then not "
                  "timed")
      ->check(CLI::IsMember({"a", "b", "ab"}))
      ->excludes("--batch");
  app->add_option(
      "--peer", options->peer,
      "What to compare with: openblas, cublas (FP32, pedantic), cublas-default, cublas-tf32, cublaslt "
      "(its fastest algorithm), rocblas, hipblaslt (its fastest algorithm) or none (default: openblas if present; "
      "--accuracy: each that is). All but openblas compute on a GPU, and so does the library then, on device pointers. "
      "For "
      "sconv2d: cudnn (its fastest FP32 algorithm), cudnn-implicit, miopen, onednn (in layouts of its own), "
      "onednn-plain, "
      "or several of one memory as a comma list (default: none)");
  add_device(app, "The GPU of such a peer", &options->device);
}

void add_bench_time(CLI::App *app, BenchOptions *options) {
  app->add_option("--reps", options->reps, "Timed samples per measurement, at least")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app->add_option("--min-time", options->min_time, "Seconds of samples per measurement, at least")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 3600.0));
  app->add_option("--json", options->json, "Write the results to this file too")->check(check_file_name);
}

void add_accuracy(CLI::App *app, BenchOptions *options, BenchModes *modes) {
  CLI::Option *mode = app->add_flag("--accuracy", modes->accuracy,
                                    "Measure instead the error of sgemm against FP64, by math mode and distribution");
  app->add_option("--distribution", options->distributions,
                  fmt::format("Operands of --accuracy, comma list of {} (default: the first four but `all`)",
                              fmt::join(distribution_names(), ", ")))
      ->delimiter(',')
      ->check(CLI::IsMember(distribution_names()))
      ->needs(mode);
}

void add_ladder(CLI::App *app, LadderOptions *options, BenchModes *modes) {
  CLI::Option *mode = app->add_flag("--ladder", modes->ladder,
                                    "Measure instead the steps from the naive GPU kernel to the production one");
  app->add_option("--size", options->size, "m = n = k of the ladder")
      ->capture_default_str()
      ->check(CLI::Range(1, 65536))
      ->needs(mode);
}

void add_overhead(CLI::App *app, OverheadOptions *options, BenchModes *modes) {
  CLI::Option *mode =
      app->add_flag("--overhead", modes->overhead,
                    "Measure instead what a call through the library costs over OpenBLAS itself; with a "
                    "peer on a GPU: host time of a call on device pointers against the peer's");
  app->add_option("--overhead-bar", options->overhead_bar,
                  "Largest overhead that passes, in ns per call at 8x8x8 (default: 150; 0 with a peer on a GPU)")
      ->needs(mode);
  app->add_option("--ratio-bar", options->ratio_bar, "Smallest ratio to OpenBLAS's speed, from 512 on, that passes")
      ->capture_default_str()
      ->needs(mode);
}

void add_host(CLI::App *app, HostOptions *options) {
  CLI::Option *mode =
      app->add_option(
             "--host", options->memories,
             "Measure instead whole calls from host memory on a GPU: pageable, pinned, or both as a comma list; "
             "--peer then is copy, cublasxt, or both as a comma list")
          ->delimiter(',')
          ->check(CLI::IsMember({"pageable", "pinned"}));
  app->add_option("--device-tflops", options->tflops, "TFLOP/s of the GPU without copies, for the bound in the table")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->needs(mode);
}

void add_decision(CLI::App *app, BenchModes *modes) {
  app->add_flag(
      "--decision", modes->decision,
      "Measure instead whether products in host memory run on the faster of CPU and GPU: 60 shapes, or those named");
}

void add_groups(CLI::App *app, BenchModes *modes) {
  app->add_option("--groups", modes->groups,
                  "Measure instead groups of products of different sizes in one call, on device pointers against "
                  "--peer (default: cublas): uniform:N, zipf:N or empty:N, comma list, N groups of --shape "
                  "(default: 4096,2048,2048) whose m is drawn")
      ->delimiter(',');
  app->parse_complete_callback([app] {
    if (app->count("--seed") > 0 && app->count("--random") + app->count("--groups") == 0) {
      throw CLI::RequiresError("--seed", "--random or --groups");
    }
  });
}

// The measurements other than the default table exclude each other.
void exclude_modes(CLI::App *app) {
  const std::vector<std::string> modes = {"--accuracy", "--ladder", "--overhead", "--host", "--decision", "--groups"};
  exclude(app, modes, modes);
  exclude(app, {"--side", "--uplo", "--batch", "--beta", "--plan", "--regret"}, modes);
  exclude(app, {"--random"}, {"--accuracy", "--ladder", "--overhead", "--groups"});
  exclude(app, {"--groups"},
          {"--sweep", "--suite", "--filter", "--max-flops", "--backend", "--math", "--workspace", "--json"});
}

void add_conv(CLI::App *app, ConvOptions *options) {
  app->add_option("--layer", options->layers,
                  "With --routine sconv2d: n,c,h,w,k,r,s[,stride[,pad[,dilation[,groups]]]]; repeatable (default: ten "
                  "layers of ResNet-50 and VGG-16)")
      ->delimiter('\0')
      ->allow_extra_args(false);
  app->add_option("--direction", options->directions,
                  "With --routine sconv2d: comma list of forward,data,weight (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember({"forward", "data", "weight"}));
  app->add_option("--layout", options->layouts, "With --routine sconv2d: comma list of nchw,nhwc (default: both)")
      ->delimiter(',')
      ->check(CLI::IsMember({"nchw", "nhwc"}));
}

}  // namespace

void add_info(CLI::App *app, InfoOptions *options) {
  app->add_flag("--kernels", options->kernels, "Print the kernels of each available backend, one per line");
  app->add_flag("--json", options->json, "Print JSON");
}

void add_gemm(CLI::App *app, GemmOptions *options) {
  app->add_option("A", options->a, "float32 .npy file, C- or Fortran-ordered")->required()->check(check_file_name);
  app->add_option("B", options->b, "float32 .npy file, C- or Fortran-ordered")->required()->check(check_file_name);
  app->add_option("-o,--output", options->output, "Write C here (C order), whole or not at all")
      ->check(check_file_name);
  app->add_flag("--transa", options->transa, "Use the transpose of A");
  app->add_flag("--transb", options->transb, "Use the transpose of B");
  app->add_option("--alpha", options->alpha, "Factor of the product")->capture_default_str();
  app->add_option("--beta", options->beta, "Factor of C; other than 0 needs --c")->capture_default_str();
  app->add_option("--c", options->c, "float32 .npy file of the C that beta multiplies")->check(check_file_name);
  app->add_option("--backend", options->backend, "Backends to use, as LIBSGEMM_BACKEND: a name or a comma list");
  app->add_option("--kernel", options->kernel, "Force a kernel by its name, as listed by `libsgemm info --kernels`");
  app->add_flag("--verify", options->verify, "Check every element against FP64; an error if one is wrong");
  app->add_option("--repeat", options->repeat, "Timed calls after the first, at most")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
}

void add_calibrate(CLI::App *app, CalibrateOptions *options) {
  CLI::Option *show = app->add_flag("--show", options->show, "Print the stored calibration, measure nothing");
  app->add_flag("--remove", options->remove, "Remove it, measure nothing")->excludes(show);
  add_cache_file(app, &options->output, &options->backend);
  app->add_option("--seconds", options->seconds, "About how many seconds to measure")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 3600.0));
  app->footer("Run it as you run your programs: with the same number of threads and the same devices.");
}

void add_run(CLI::App *app, RunOptions *options) {
  app->add_flag("--json", options->json, "Report in JSON");
  app->add_option("-o,--output", options->output, "Report to this file instead of stderr")->check(check_file_name);
  app->add_option("--backend", options->backend, "Sets LIBSGEMM_BACKEND for the program");
  app->add_option("--record", options->record, "Write the calls that were computed to this file, for `libsgemm tune`")
      ->check(check_file_name);
  app->footer("The program and its arguments follow: libsgemm run --backend ref python3 script.py");
}

void add_tune(CLI::App *app, TuneOptions *options) {
  CLI::Option *file = app->add_option("FILE", options->file, "Calls, as `libsgemm run --record FILE` has written them")
                          ->check(check_file_name);
  add_shape(app, &options->calls);
  CLI::Option *random = add_random(app, &options->calls)->excludes("--shape");
  app->get_option("--seed")->needs(random);
  app->add_option("--max-flops", options->calls.max_flops, "Only shapes of at most this many operations")
      ->check(CLI::PositiveNumber);
  add_routines(app, &options->calls);
  app->add_option("--math", options->calls.math_modes,
                  fmt::format("Math modes of those shapes, comma list of {} (default: the environment's)",
                              fmt::join(math_mode_names(), ",")))
      ->delimiter(',');
  for (const char *name :
       {"--shape", "--random", "--max-flops", "--routine", "--transposes", "--side", "--uplo", "--batch", "--math"}) {
    file->excludes(name);
  }
  CLI::Option *show = app->add_flag("--show", options->show, "Print the stored tuning, measure nothing");
  app->add_flag("--remove", options->remove, "Remove the tuning of the GPU, measure nothing")->excludes(show);
  add_cache_file(app, &options->output, &options->backend);
  add_device(app, "The GPU", &options->calls.device);
  app->add_option("--reps", options->calls.reps, "Timed samples of each kernel that may be the fastest")
      ->capture_default_str()
      ->check(CLI::Range(3, 1000000));
}

void add_probe(CLI::App *app, ProbeOptions *options) {
  app->add_option("--backend", options->backend, "Processor: cuda, hip or cpu (default: all that are present)")
      ->check(CLI::IsMember({"cuda", "hip", "cpu"}));
  add_device(app, "The GPU", &options->device);
  app->add_option("--only", options->groups,
                  fmt::format("Groups to measure, comma list of {} (default: all); sgemm measures its ceilings, too",
                              fmt::join(probe_groups(), ",")))
      ->delimiter(',')
      ->check(CLI::IsMember(probe_groups()));
  app->add_option("--time", options->seconds, "Seconds per figure, about")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 60.0));
  app->add_option("--size", options->size, "m = n = k of SGEMM (default: 8192 on a GPU, 2048 on the CPU)")
      ->check(CLI::Range(16, 32768));
  app->add_option("--json", options->json, "Write the figures to this file too")->check(check_file_name);
  CLI::Option *compare =
      app->add_option("--compare", options->compare,
                      "Also print each figure's ratio to that of this file, an earlier --json; exit status 1 if one "
                      "differs by more than --tolerance")
          ->check(check_file_name);
  app->add_option("--tolerance", options->tolerance, "Percent by which figures may differ")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->needs(compare);
}

void add_stats(CLI::App *app, StatsOptions *options) {
  app->add_option("DIR", options->folder, "The LIBSGEMM_STATS_DIR of the programs")->required();
  app->add_flag("--json", options->json, "Report in JSON");
  app->add_option("-o,--output", options->output, "Report to this file instead of stdout")->check(check_file_name);
}

void add_bench(CLI::App *app, Options *options) {
  add_bench_shapes(app, &options->bench);
  add_bench_candidates(app, &options->bench);
  add_bench_time(app, &options->bench);
  add_accuracy(app, &options->bench, &options->modes);
  add_ladder(app, &options->ladder, &options->modes);
  add_overhead(app, &options->overhead, &options->modes);
  add_host(app, &options->host);
  add_decision(app, &options->modes);
  add_groups(app, &options->modes);
  exclude_modes(app);
  add_conv(app, &options->conv);
}

}  // namespace command
