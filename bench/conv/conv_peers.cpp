#include <fmt/core.h>

#include "base/command.h"
#include "conv.h"

namespace command {
namespace {

struct Entry {
  const char *name;
  std::unique_ptr<ConvPeer> (*open)();
};
constexpr Entry kPeers[] = {{"cudnn", open_cudnn},
                            {"cudnn-implicit", open_cudnn_implicit},
                            {"miopen", open_miopen},
                            {"onednn", open_onednn},
                            {"onednn-plain", open_onednn_plain}};

}  // namespace

std::unique_ptr<ConvPeer> open_conv_peer(const std::string &name) {
  std::string all;
  for (const Entry &entry : kPeers) {
    if (name == entry.name) return entry.open();
    all += (all.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw Error(fmt::format("--peer {}: convolutions have the peers {} and none", name, all));
}

}  // namespace command
