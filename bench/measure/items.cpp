#include "items.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/command.h"

namespace command {
namespace {

std::vector<Form> choose_transposes(const BenchOptions &options) {
  std::vector<std::string> texts = options.transposes;
  if (texts.empty()) texts = {"NN", "NT", "TN", "TT"};
  for (const std::string &text : texts) {
    if (text.size() != 2 || text.find_first_not_of("NT") != std::string::npos) {
      throw Error(fmt::format("--transposes {}: of NN, NT, TN, TT", text));
    }
  }
  std::vector<Form> forms;
  std::transform(texts.begin(), texts.end(), std::back_inserter(forms), make_form);
  return forms;
}

// Returns `first` if there are no words. Throws Error if no routine has the option.
template <class Value>
std::vector<Value> choose_values(const char *option, const std::vector<std::string> &words, Value first, Value second,
                                 std::string (*text)(Value), bool Traits::*has, const std::vector<Routine> &routines) {
  if (words.empty()) return {first};
  std::vector<Value> values;
  for (const std::string &word : words) {
    if (word != text(first) && word != text(second)) {
      throw Error(fmt::format("{} {}: of {}, {}", option, word, text(first), text(second)));
    }
    values.push_back(word == text(first) ? first : second);
  }
  const auto has_it = [has](Routine routine) { return traits(routine).*has; };
  if (std::none_of(routines.begin(), routines.end(), has_it)) {
    throw Error(
        fmt::format("{} {}: only {} have one", option, fmt::join(words, ","), fmt::join(routine_names(has), ", ")));
  }
  return values;
}

struct Choices {
  std::vector<Form> transposes;
  std::vector<libsgemm_side_t> sides;
  std::vector<libsgemm_uplo_t> uplos;
  int64_t batch;
  float beta;
};

Choices read_choices(const BenchOptions &options, const std::vector<Routine> &routines) {
  for (const Routine routine : routines) {
    if (options.beta != 0 && traits(routine).in_place) {
      throw Error(fmt::format("--beta {}: {} has none", options.beta, traits(routine).name));
    }
    if (options.batch == 1 || traits(routine).has_batches) continue;
    throw Error(fmt::format("--batch {}: {} has no batches by strides; only {} have", options.batch,
                            traits(routine).name, fmt::join(routine_names(&Traits::has_batches), ", ")));
  }
  return {
      choose_transposes(options),
      choose_values("--side", options.sides, LIBSGEMM_LEFT, LIBSGEMM_RIGHT, side_text, &Traits::has_side, routines),
      choose_values("--uplo", options.uplos, LIBSGEMM_UPPER, LIBSGEMM_LOWER, uplo_text, &Traits::has_uplo, routines),
      options.batch, options.beta};
}

// The transposes vary fastest.
std::vector<Form> forms_of(Routine routine, const Choices &choices) {
  std::vector<Form> forms;
  std::vector<std::string> texts;
  for (const libsgemm_side_t side : choices.sides) {
    for (const libsgemm_uplo_t uplo : choices.uplos) {
      for (Form form : choices.transposes) {
        form.side = side;
        form.uplo = uplo;
        form.batch = choices.batch;
        form.beta = choices.beta;
        const std::string text = form_text(routine, form);
        if (std::find(texts.begin(), texts.end(), text) != texts.end()) continue;
        texts.push_back(text);
        forms.push_back(form);
      }
    }
  }
  return forms;
}

}  // namespace

Form make_form(const std::string &transposes) {
  const auto op = [](char letter) { return letter == 'T' ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS; };
  Form form;
  form.transa = op(transposes.front());
  form.transb = op(transposes.back());
  return form;
}

std::vector<Item> choose_items(const BenchOptions &options) {
  const std::vector<Routine> routines = parse_routines(options.routines);
  const Choices choices = read_choices(options, routines);
  const std::vector<Shape> shapes = choose_shapes(options);
  std::vector<Item> items;
  for (const Routine routine : routines) {
    const std::vector<Form> forms = forms_of(routine, choices);
    for (size_t i = 0; i < shapes.size(); ++i) {
      const bool in_turn = options.random > 0;
      for (size_t f = in_turn ? i % forms.size() : 0; f < forms.size(); ++f) {
        const bool fits = options.max_flops == 0 || flops(routine, shapes[i], forms[f]) <= options.max_flops;
        if (fits) items.push_back({routine, shapes[i], forms[f]});
        if (in_turn) break;
      }
    }
  }
  if (items.empty()) throw Error("--filter and --max-flops leave nothing to measure");
  return items;
}

}  // namespace command
