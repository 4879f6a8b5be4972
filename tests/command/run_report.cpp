#include "run_report.h"

#include "support/catch.h"

namespace sgemm_test {

using Json = nlohmann::json;

Run::Run(const std::vector<std::string> &program, const Environment &environment) {
  const Folder folder;
  std::vector<std::string> arguments = {"run", "--json", "-o", folder.file("report.json"), "--"};
  arguments.insert(arguments.end(), program.begin(), program.end());
  outcome = command(arguments, environment);
  UNSCOPED_INFO(outcome.description());
  REQUIRE(outcome.exit_status == 0);
  json = Json::parse(read_text(folder.file("report.json")));
  UNSCOPED_INFO(json.dump(1));
}

double Run::seconds(const std::string &backend) const {
  double sum = 0;
  for (const Json &process : json["processes"]) {
    for (const Json &row : process["calls"]) sum += row["backend"] == backend ? row["seconds"].get<double>() : 0;
  }
  return sum;
}

int Run::calls(const std::string &entry, const std::string &backend, const std::string &why) const {
  int sum = 0;
  for (const Json &process : json["processes"]) {
    for (const Json &row : process["calls"]) {
      const bool same = row["entry"] == entry && row["backend"] == backend && (why.empty() || row["kernel"] == why);
      if (same) sum += row["calls"].get<int>();
    }
  }
  return sum;
}

}  // namespace sgemm_test
