// The devices that rows are asked about: 0 is the artificial one that they run on, the others are only descriptions.
#pragma once

namespace simt {

int device_count();

}  // namespace simt
