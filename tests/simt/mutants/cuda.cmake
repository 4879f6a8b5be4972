# Mutants of the wgmma main loop, of one instance; sanitizers add nothing.
set(mutant_backend cuda)
set(mutant_libraries test_simt_host ${test_simt_shared})
set(mutant_tests simt_nvidia_tests)
set(wgmma cuda/wgmma/wgmma)
set(engine ${wgmma}_engine.cuh)
set(store ${wgmma}_store.cuh)
libsgemm_set_mutated(sm90_wgmma_128x128x64_mutant ${CMAKE_CURRENT_SOURCE_DIR}/mutants/wgmma_mutant.cu)
set(nobody "no thread can go on")
libsgemm_add_mutant(wgmma_none ${engine} "#pragma once" "#pragma once" "All tests passed")
libsgemm_add_mutant(wgmma_fence ${wgmma}_multiply.cuh "    ptx::wgmma_fence();\n#pragma unroll\n    for" "    for"
                    "without[ \n]+wgmma_fence")
libsgemm_add_mutant(wgmma_full ${wgmma}_tiles.cuh "(full(), parity)" "(full(), parity ^ 1)"
                    "while[ \n]+a[ \n]+copy[ \n]+to[ \n]+it[ \n]+was[ \n]+under[ \n]+way")
libsgemm_add_mutant(wgmma_empty ${wgmma}_copy.cuh "(at.empty(), at.parity ^ 1)" "(at.empty(), at.parity)" "${nobody}")
libsgemm_add_mutant(wgmma_swizzle cuda/wgmma/operand_lines.cuh "kLine == 128 ? 1 : 2" "2" "${wrong_element}")
libsgemm_add_mutant(wgmma_blocks cuda/wgmma/operand_lines.cuh "(kDepth * 128 >> 4)" "(kDepth * 64 >> 4)"
                    "${wrong_element}")
libsgemm_add_mutant(wgmma_release ${wgmma}_multiply.cuh "wgmma_wait<1>();  // for the previous" "wgmma_wait<2>();  // for the previous" "${wrong_element}")
libsgemm_add_mutant(wgmma_sums ${wgmma}_multiply.cuh "  ptx::wgmma_wait<0>();\n  at->release" "  at->release"
                    "before its products of wgmma are[ \n]+waited")
libsgemm_add_mutant(wgmma_first_barrier ${engine} "else {\n    ptx::synchronize_cluster();" "else {\n    __syncthreads();"
                    "mbarrier that is not[ \n]+initialised")
libsgemm_add_mutant(wgmma_last_barrier ${engine} "  if constexpr (!kAlone) ptx::synchronize_cluster();\n"
                    "" "which is not[ \n]+there")
libsgemm_add_mutant(wgmma_arrival ${wgmma}_tiles.cuh "if (lane < sharers) ptx" "if (lane < 1) ptx" "${nobody}")
libsgemm_add_mutant(wgmma_neighbour ${wgmma}_tiles.cuh "rank ^ lane : lane)" "rank ^ lane : rank)" "${wrong_element}")
libsgemm_add_mutant(wgmma_grid ${wgmma}_copy.cuh "    if (t == walk.first) ptx::wait_for_grid_before();\n" ""
                    "before[ \n]+it[ \n]+has[ \n]+waited[ \n]+for")
libsgemm_add_mutant(wgmma_boxes ${store} "ptx::store_wait<1>()" "ptx::store_wait<2>()" "${wrong_element}")
libsgemm_add_mutant(wgmma_turns ${store} "<0>();  // the tile" "<1>();  // the tile"
                    "${wrong_element}")
libsgemm_add_mutant(wgmma_stored ${store} "    ptx::order_with_tma();\n      __syncwarp" "    __syncwarp"
                    "has[ \n]+not[ \n]+made[ \n]+known[ \n]+to")
libsgemm_add_mutant(wgmma_warp ${store} "order_with_tma();\n      __syncwarp();" "order_with_tma();"
                    "has[ \n]+not[ \n]+made[ \n]+known[ \n]+to|${wrong_element}")
libsgemm_add_mutant(wgmma_end ${engine} "ptx::store_wait<0>();  // their" "{}  // their" "leaves[ \n]+before[ \n]+what")
libsgemm_add_mutant(wgmma_half ${wgmma}_copy.cuh "rank * (Config::y_bytes / 2)" "(1 - rank) * (Config::y_bytes / 2)"
                    "${wrong_element}")

libsgemm_set_mutated(sm90_wgmma_48x64x64_mutant ${CMAKE_CURRENT_SOURCE_DIR}/mutants/wgmma_width_mutant.cu)
libsgemm_add_mutant(width_none ${engine} "#pragma once" "#pragma once" "All tests passed")
libsgemm_add_mutant(width_turn ${wgmma}_multiply.cuh "if (s + 1 < steps) at->advance();" "at->advance();"
                    "${wrong_element}|${nobody}")
libsgemm_add_mutant(width_there ${wgmma}_multiply.cuh "ptx::barrier_wait(shared + Config::sums_there, *parity);" ""
                    "${wrong_element}|${nobody}")
libsgemm_add_mutant(width_taken ${wgmma}_multiply.cuh "sums_taken, *parity ^ 1)" "sums_taken, *parity)" "${nobody}")
libsgemm_add_mutant(width_back ${store} "y_of = first_y + Config::box_y * b - (back ? 16 : 0)"
                    "y_of = first_y + Config::box_y * b" "${wrong_element}")

set(problem cuda/wgmma/wgmma_problem.h)
libsgemm_set_mutated(sm90_wgmma_64x128x64_mutant ${CMAKE_CURRENT_SOURCE_DIR}/mutants/wgmma_cluster_mutant.cu)
libsgemm_add_mutant(cluster_none ${engine} "#pragma once" "#pragma once" "All tests passed")
libsgemm_add_mutant(cluster_sharers ${problem} "(1 << log_x) + (1 << log_y) - 1" "(1 << log_x)"
                    "${wrong_element}|${nobody}|while[ \n]+a[ \n]+copy")
libsgemm_add_mutant(cluster_x ${problem} ": 1u) << x(rank)" ": 1u) << y(rank)" "${wrong_element}|${nobody}")
libsgemm_add_mutant(cluster_y ${problem} "<< (y(rank) << log_x)" "<< (x(rank) << log_x)"
                    "${wrong_element}|${nobody}|not[ \n]+there")
libsgemm_add_mutant(cluster_part ${wgmma}_copy.cuh "share_x = {c.y(rank)," "share_x = {0," "${wrong_element}")

if(sm90_wgmma_256x128x64_triangle IN_LIST codes)
  libsgemm_set_mutated(sm90_wgmma_256x128x64_triangle wgmma/sm90_wgmma_256x128x64_triangle.cu)
  libsgemm_add_mutant(triangle_none ${engine} "#pragma once" "#pragma once" "All tests passed")
  libsgemm_add_mutant(triangle_row ${wgmma}_tiles.cuh "x_at = p.x_row() * Config::row_bytes" "x_at = 0" "${wrong_element}")
  libsgemm_add_mutant(triangle_left_out ${engine} "at.y_at = group_y * Config::row_bytes" "at.y_at = 0" "${wrong_element}")
  libsgemm_add_mutant(triangle_beside ${wgmma}_tiles.cuh "(p.tiles_y - 1, index);\n        ++y" "(p.tiles_y - 1, index)"
                      "${wrong_element}")
endif()

if(sm90_wgmma_64x128x32_packed IN_LIST codes)
  libsgemm_set_mutated(sm90_wgmma_64x128x32_packed wgmma/sm90_wgmma_64x128x32_packed.cu)
  libsgemm_add_mutant(tf32_none ${engine} "#pragma once" "#pragma once" "All tests passed")
  libsgemm_add_mutant(tf32_wait ${wgmma}_multiply.cuh "    ptx::wgmma_wait<0>();\n    at->release" "    ptx::wgmma_wait<1>();\n    at->release"
                      "${wrong_element}|writes[ \n]+to[ \n]+sums|before[ \n]+its[ \n]+products")
  libsgemm_add_mutant(tf32_arrange cuda/wgmma/operand_lines.cuh "if (lane & 2) exchange" "if (lane & 1) exchange"
                      "${wrong_element}")
  libsgemm_add_mutant(tf32_boxes ${store} "(8 * j + 2 * pair) * 64" "(8 * j + 2 * (pair ^ 1)) * 64" "${wrong_element}")
endif()

# Products that convert A on load.
set(mutated sm90_wgmma_128x256x32_fp16x3)
if(mutated IN_LIST codes)
  libsgemm_set_mutated(${mutated} splits/${mutated}.cu)
  set(converts cuda/splits/wgmma_convert.cuh)
  libsgemm_add_mutant(convert_raw ${converts} "(Config::raw(at), at.parity)" "(Config::raw(at), at.parity ^ 1)"
                      "while[ \n]+a[ \n]+copy[ \n]+to[ \n]+it[ \n]+was[ \n]+under[ \n]+way|${wrong_element}")
  libsgemm_add_mutant(convert_known ${converts} "      ptx::order_with_tma();\n" "" "has[ \n]+not[ \n]+made[ \n]+known")
  libsgemm_add_mutant(convert_factors ${converts} "    ptx::synchronize_threads(1, 32 * kConverters);\n" ""
                      "${wrong_element}")
  libsgemm_add_mutant(convert_arrivals ${converts} "begin<Config>(at, 1 + kConverters," "begin<Config>(at, kConverters,"
                      "${wrong_element}|expects[ \n]+nobody|${nobody}")
  libsgemm_add_mutant(convert_in_place ${converts} "i * 256);\n    const float4 factor"
                      "i * 256 + 1024);\n    const float4 factor" "${wrong_element}")
endif()
