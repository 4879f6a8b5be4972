"""Test of check_amdgpu.py: test_check_amdgpu.py FILE..., built from faults.hip: it must find those faults only."""
from __future__ import annotations

import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Iterable, Optional
from unittest import mock

import amdgpu
import amdgpu_model as model
import check_amdgpu

SOUND = 'gfx_fma_8x8x4_sound'
SPILLED = 'gfx_fma_16x16x4_spilled'
INDEXED = 'gfx_fma_64x1x1_indexed'
FLAT = 'gfx_fma_1x1x1_flat'
SCALAR = 'gfx_fma_2x2x1_scalar'
SINGLE = 'gfx_fma_8x1x8_single'
NAMES = [SOUND, SPILLED, INDEXED, FLAT, SCALAR, SINGLE]
# The sound kernel fulfils these.
STRICT: check_amdgpu.Entry = {'fma': 0.9, 'lds': 32768, 'loop': {'ds_read_b128': 16}, 'code': {'global_load_dwordx4': 2},
                              'on': {'gfx11': {'dual': 0.95}}}
PLANTED = {
    SPILLED: ['bytes of scratch', 'vector registers are spilled'],
    INDEXED: ['bytes of scratch', 'of the vector instructions', 'bytes of LDS', 'ds_read_b128', 'global_load_dwordx4'],
    FLAT: ['flat_', 'of the vector instructions', 'bytes of LDS', 'ds_read_b128', 'global_load_dwordx4'],
    SCALAR: ['of the vector instructions', 'bytes of LDS', 'ds_read_b128', 'global_load_dwordx4'],
    SINGLE: ['bytes of LDS', 'ds_read_b128', 'global_load_dwordx4'],
}
FILES: list[pathlib.Path] = []


def instruction(address: int, text: str, target: Optional[int] = None) -> amdgpu.Instruction:
    return amdgpu.Instruction(address, text, target)


class Machine(unittest.TestCase):
    def test_spelling(self) -> None:
        for mnemonic, spelling in [('ds_load_b128', 'ds_read_b128'), ('ds_load_2addr_b64', 'ds_read2_b64'),
                                   ('ds_store_b128', 'ds_write_b128'), ('global_load_b128', 'global_load_dwordx4'),
                                   ('global_store_b32', 'global_store_dword'), ('v_fmac_f32_e32', 'v_fmac_f32'),
                                   ('v_dual_fmac_f32', 'v_fmac_f32'), ('scratch_load_b64', 'scratch_load_dwordx2')]:
            self.assertEqual(amdgpu.canonical(mnemonic), spelling)
        dual = instruction(0, 'v_dual_fmac_f32 v1, v2, v3 :: v_dual_mov_b32 v4, v5')
        self.assertEqual(dual.operations, ['v_fmac_f32', 'v_mov_b32'])

    def test_loops(self) -> None:
        kernel = mock.Mock(instructions=[
            instruction(0, 's_nop 0'),
            instruction(4, 'v_mov_b32 v0, 1'),                # outer loop, entered in the middle
            instruction(8, 'v_mov_b32 v0, 2'),                # inner loop, whose fetch follows its branch
            instruction(12, 's_cbranch_scc1 4', 24),
            instruction(16, 's_cbranch_scc0 2', 4),
            instruction(20, 's_endpgm'),
            instruction(24, 'v_mov_b32 v0, 3'),
            instruction(28, 's_branch 1', 8)])
        loops = [[each.address for each in loop] for loop in amdgpu.Kernel.loops(kernel)]
        self.assertEqual(sorted(loops), [[4, 16], [8, 12, 24, 28]])

    def test_assembly(self) -> None:
        text = ('\t.text\nkernel:                ; @kernel\n; %bb.0:\n\ts_nop 0\n.LBB0_1:  ; =>\n\tv_mov_b32 v0, 1\n'
                '\t.p2align 4\n\ts_cbranch_scc1 .LBB0_1\n\ts_endpgm\n.Lfunc_end0:\n\t.size kernel, 4\n'
                '\t.ident\t"clang version 22.1.8"\n\t.amdgpu_metadata\n---\namdhsa.kernels:\n'
                '  - .group_segment_fixed_size: 64\n    .max_flat_workgroup_size: 256\n    .name:           kernel\n'
                '    .private_segment_fixed_size: 0\n    .sgpr_count:     8\n    .sgpr_spill_count: 0\n'
                '    .symbol:         kernel.kd\n    .vgpr_count:     4\n    .vgpr_spill_count: 1\n'
                '    .wavefront_size: 64\namdhsa.target:   amdgcn-amd-amdhsa--gfx9-4-generic\n...\n'
                '\t.end_amdgpu_metadata\n')
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'kernel.s'
            path.write_text(text)
            (kernel,) = amdgpu.kernels(path)
        self.assertEqual((kernel.symbol, kernel.arch, kernel.compiler), ('kernel', 'gfx9-4-generic', '22.1.8'))
        self.assertEqual((kernel.lds, kernel.vgprs, kernel.vgpr_spills), (64, 4, 1))
        self.assertEqual([each.name for each in kernel.instructions],
                         ['s_nop', 'v_mov_b32', 's_cbranch_scc1', 's_endpgm'])
        self.assertEqual([[each.name for each in loop] for loop in kernel.loops()], [['v_mov_b32', 's_cbranch_scc1']])

    def test_fmas(self) -> None:
        for operation, count in [('v_fma_f32', 1), ('v_fmac_f32', 1), ('v_pk_fma_f32', 2), ('v_mad_f32', 1),
                                 ('v_fma_f16', 0), ('v_mul_f32', 0)]:
            self.assertEqual(model.fmas_of(operation), count)

    def test_lds_bytes(self) -> None:
        for text, count in [('ds_read_b128', 16), ('ds_write_b32', 4), ('ds_read2_b32', 8), ('ds_read2st64_b64', 16),
                            ('ds_write_b16_d16_hi', 2), ('ds_bpermute_b32', 0)]:
            self.assertEqual(model.lds_bytes(instruction(0, text + ' v0, v1')), count)

    def test_occupancy(self) -> None:
        for arch, vgprs, lds, waves in [('gfx906', 128, 0, 2), ('gfx906', 129, 0, 1), ('gfx90a', 128, 16384, 4),
                                        ('gfx90a', 128, 16640, 3), ('gfx90a', 136, 0, 3), ('gfx1030', 128, 0, 8),
                                        ('gfx1100', 120, 0, 12), ('gfx1100', 121, 0, 8), ('gfx1100', 24, 0, 16)]:
            wave = 64 if arch.startswith('gfx9') else 32
            kernel = mock.Mock(arch=arch, vgprs=vgprs, lds=lds, threads=256, wave=wave)
            self.assertEqual(model.waves_per_simd(kernel), waves, (arch, vgprs, lds))

    def test_balance(self) -> None:
        step = [instruction(0, 'v_fmac_f32 v0, v1, v2')] * 64 + [instruction(0, 'ds_read_b128 v[0:3], v4')] * 4
        for arch, wave, share in [('gfx906', 64, 1), ('gfx1030', 32, 1), ('gfx90a', 64, 0.5)]:
            self.assertAlmostEqual(model.balance(step, arch, wave).share_of_peak, share)
        dual = [instruction(0, 'v_dual_fmac_f32 v0, v1, v2 :: v_dual_fmac_f32 v3, v4, v5')] * 32 + step[64:]
        self.assertAlmostEqual(model.balance(dual, 'gfx1100', 32).share_of_peak, 1)
        self.assertAlmostEqual(model.balance(dual + step[64:], 'gfx1100', 32).share_of_peak, 0.5)  # bound by LDS

    def test_loads_under_way(self) -> None:
        loop = [instruction(0, 's_waitcnt lgkmcnt(0)'), instruction(4, 'global_load_dwordx2 v[0:1], v2, s[0:1]')]
        self.assertIsNone(model.loads_under_way(loop))
        loop += [instruction(12, 's_waitcnt vmcnt(12)'), instruction(16, 's_waitcnt vmcnt(8) lgkmcnt(1)')]
        self.assertEqual(model.loads_under_way(loop), 8)
        kernel = mock.Mock(under_way=8, matrix=1.0, waves=1)
        self.assertEqual(list(check_amdgpu.below(kernel, {'under_way': 8})), [])
        (problem,) = check_amdgpu.below(kernel, {'under_way': 9})
        self.assertIn('8 loads under way', problem)

    def test_matrix(self) -> None:
        loop = [instruction(0, 'v_mfma_f32_32x32x2f32 a[0:15], v0, v1, a[0:15]'),
                instruction(8, 'v_mfma_f32_32x32x2f32 a[16:31], v0, v1, a[16:31]')]
        self.assertEqual(model.matrix_clocks(loop[0], 'gfx90a'), 64)
        self.assertGreater(model.matrix_share(loop, 'gfx90a') or 0, 0.95)
        others = [each for product in loop for each in [product] + [instruction(0, 'v_add_u32 v2, v2, v2')] * 31]
        self.assertAlmostEqual(model.matrix_share(others, 'gfx90a') or 0, 0.5, delta=0.05)
        self.assertIsNone(model.matrix_share(loop, 'gfx908'))
        wide = [instruction(8 * i, f'v_mfma_f32_32x32x16_{kind} v[{to}:{to + 15}], v[64:67], a[0:3], v[{to}:{to + 15}]')
                for i, (kind, to) in enumerate([('f16', 0), ('bf16', 16), ('f16', 32)])]
        self.assertEqual([model.matrix_clocks(each, 'gfx950') for each in wide], [32, 32, 32])
        self.assertGreater(model.matrix_share(wide, 'gfx950') or 0, 0.95)
        doubles = [instruction(0, 'v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7]')]
        self.assertIsNone(model.matrix_share(doubles, 'gfx950'))
        self.assertGreater(model.matrix_share(doubles, 'gfx9-4-generic') or 0, 0)
        self.assertEqual(model.matrix_share([instruction(0, 'v_add_u32 v2, v2, v2')], 'gfx908'), 0)
        with self.assertRaisesRegex(ValueError, 'not in MATRIX'):
            model.matrix_clocks(instruction(0, 'v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]'), 'gfx90a')

    def test_arguments(self) -> None:
        self.assertEqual(check_amdgpu.arguments_of('void libsgemm::hip::(anonymous namespace)::row<(libsgemm::gpu::Fetch)1, '
                                                   '(libsgemm::gpu::Fetch)2, libsgemm::gpu::StridedOperands>(int)'),
                         'outer_x4 inner StridedOperands')
        self.assertEqual(check_amdgpu.arguments_of('row(float*)'), '')


class CheckAmdgpu(unittest.TestCase):
    def setUp(self) -> None:
        self.files = [check_amdgpu.measured(amdgpu.kernels(file)) for file in FILES]
        self.sound = [[each for each in file if each.kernel.symbol == SOUND] for file in self.files]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def found(self, kernels: list[check_amdgpu.Measured], entries: dict[str, check_amdgpu.Entry]) -> list[str]:
        rows = {name: {'fma': 0, **entry} for name, entry in entries.items()}
        return list(check_amdgpu.check(kernels, list(rows), {'rows': rows}))

    def assert_one(self, problems: Iterable[str], text: str) -> None:
        problems = list(problems)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(text, problems[0])

    def test_planted_faults(self) -> None:
        for kernels in self.files:
            problems = self.found(kernels, {name: STRICT for name in NAMES})
            dual = kernels[0].kernel.arch.startswith('gfx11')
            for name, expected in PLANTED.items():
                mine = [problem for problem in problems if problem.startswith(name + ':')]
                for text in expected + (['two at a time'] if dual else []):
                    self.assertTrue([problem for problem in mine if text in problem], (name, text, mine))
            self.assertFalse([problem for problem in problems if problem.startswith(SOUND)], problems)

    def test_some_faults_need_no_asking(self) -> None:
        for kernels in self.files:
            problems = self.found(kernels, {name: {} for name in NAMES})
            self.assertEqual({problem.split(':')[0] for problem in problems}, {SPILLED, INDEXED, FLAT})

    def test_limits(self) -> None:
        for sound in self.sound:
            self.assertEqual(self.found(sound, {SOUND: STRICT}), [])
            arch = sound[0].kernel.arch
            for entry, text in [({'never': ['ds_read']}, 'ds_read, which is not meant'), ({'fma': 0.999}, 'at least 0.999'),
                                ({'fmas': 255}, '256 FMAs in the hot loop, exactly 255'), ({'peak': 1.01}, 'of the peak'),
                                ({'waves': 17}, 'waves in a SIMD'), ({'lds': 1}, '32768 bytes of LDS, exactly 1'),
                                ({'loop': {'ds_read_b128': 17}}, '16 ds_read_b128 in the hot loop, at least 17'),
                                ({'loop': {'ds_read_b32|ds_read_b64': 1}}, '0 ds_read_b32|ds_read_b64 in the hot loop'),
                                ({'code': {'s_barrier': 9}}, 's_barrier in the kernel, at least 9'),
                                ({'loop_exactly': {'s_barrier': 1}}, '0 s_barrier in the hot loop, exactly 1'),
                                ({'on': {arch[:5]: {'lds': 1}}}, 'exactly 1'),
                                ({'on': {arch: {'lds': 1}}, 'lds': 32768}, 'exactly 1')]:
                self.assert_one(self.found(sound, {SOUND: entry}), text)
            for entry in [{'fmas': 256}, {'only': 'gfx000', 'lds': 1}, {'only': arch, 'lds': 32768},
                          {'on': {'gfx000': {'lds': 1}}}]:
                self.assertEqual(self.found(sound, {SOUND: entry}), [])

    def test_a_share_that_cannot_be_told(self) -> None:
        for sound in self.sound:
            with mock.patch.object(sound[0], 'matrix', None):
                self.assert_one(self.found(sound, {SOUND: {'matrix': 0.5}}), 'state 0')
                self.assertEqual(self.found(sound, {SOUND: {'matrix': 0}}), [])
                self.assertEqual(self.found(sound, {SOUND: {'matrix': 0.5, 'only': 'gfx000'}}), [])
            self.assert_one(self.found(sound, {SOUND: {'matrix': 0.5}}), '0.000 of the clocks')

    def test_unknown_chips(self) -> None:
        kernels = [mock.Mock(arch=arch) for arch in ('gfx90a', 'gfx1035', 'gfx900', 'gfx1035')]
        self.assertEqual(check_amdgpu.known(kernels), (kernels[:1], ['gfx1035', 'gfx900']))

    def test_unchecked_architectures(self) -> None:
        script = pathlib.Path(check_amdgpu.__file__)
        result = subprocess.run([sys.executable, '-B', script, '--unchecked', 'gfx942'], capture_output=True, text=True)
        self.assertEqual(result.returncode, check_amdgpu.SKIPPED)
        self.assertIn('SKIPPED: no compiler here for gfx942', result.stdout)

    def test_spilled_scalar_registers(self) -> None:
        for sound in self.sound:
            with mock.patch.object(sound[0].kernel, 'sgpr_spills', 3):
                self.assert_one(self.found(sound, {SOUND: {}}), '3 scalar registers are spilled, at most 0')
                self.assert_one(self.found(sound, {SOUND: {'sgpr_spills': 2}}), 'at most 2 expected')
                self.assertEqual(self.found(sound, {SOUND: {'sgpr_spills': 3}}), [])

    def test_coverage(self) -> None:
        zero: check_amdgpu.Entry = {'fma': 0}
        for sound in self.sound:
            arch = sound[0].kernel.arch
            for rows, expected, text in [
                    ([SOUND, 'gfx_other'], {SOUND: zero}, 'gfx_other: a row without an expectation'),
                    ([], {SOUND: zero}, 'an expectation without a row'),
                    ([SOUND], {SOUND: {}}, 'states no share of fma or matrix'),
                    ([SOUND, 'gfx_other'], {SOUND: zero, 'gfx_other': zero}, f'gfx_other: no kernel on {arch}'),
                    ([SOUND], {SOUND: {'kernels': 0}}, 'has a kernel, none expected'),
                    ([SOUND], {SOUND: {**zero, 'variants': {'outer': {}}}}, 'no kernel for the variant outer'),
                    ([SOUND], {SOUND: {**zero, 'lop': {}}}, 'unknown key lop'),
                    ([SOUND], {SOUND: {**zero, 'on': {'gfx000': {'lop': {}}}}}, 'unknown key lop')]:
                self.assert_one(check_amdgpu.check(sound, rows, {'rows': expected}), text)
            self.assert_one(check_amdgpu.check(sound, [], {'rows': {}}), f'{SOUND}: belongs to no row and no helper')
            self.assertEqual(list(check_amdgpu.check(sound, [], {'rows': {}, 'helpers': {SOUND: {}}})), [])
            self.assert_one(check_amdgpu.check(sound, [SOUND], {'rows': {SOUND: zero}}, ['gfx000', arch]), 'gfx000: no code')

    def test_the_script(self) -> None:
        rows, expectations = self.folder / 'device_code.h', self.folder / 'expectations.json'
        rows.write_text('\n'.join(f'  X({name}) \\' for name in NAMES))
        expectations.write_text(json.dumps({'rows': {name: {'fma': 0} for name in NAMES}}))
        script = pathlib.Path(check_amdgpu.__file__)
        for file in FILES:
            command = [sys.executable, '-B', script, '--rows', rows, '--expectations', expectations, file]
            result = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(result.returncode, 1, result.stderr)
            named = {line.split(':')[0] for line in result.stderr.splitlines() if ': gfx' in line}
            self.assertEqual(named, {SPILLED, INDEXED, FLAT}, result.stderr)
            for name in NAMES:
                self.assertIn('\n' + name, result.stdout)

    def test_other_files(self) -> None:
        empty = self.folder / 'empty'
        empty.write_bytes(b'not a program')
        with self.assertRaisesRegex(ValueError, 'not an ELF file'):
            amdgpu.kernels(empty)
        with self.assertRaisesRegex(ValueError, 'no kernels for AMD GPUs'):
            amdgpu.kernels(pathlib.Path('/bin/sh'))

    def test_missing_tools(self) -> None:
        def none(*_: object, **__: object) -> None:
            return None

        amdgpu.tool.cache_clear()
        self.addCleanup(amdgpu.tool.cache_clear)
        with mock.patch('shutil.which', none), mock.patch.object(sys, 'argv', ['check_amdgpu.py', str(FILES[0])]), \
                contextlib.redirect_stderr(io.StringIO()) as text:
            self.assertEqual(check_amdgpu.main(), check_amdgpu.SKIPPED)
        self.assertIn('is not here', text.getvalue())


if __name__ == '__main__':
    FILES = [pathlib.Path(file) for file in sys.argv[1:]]
    if not FILES:
        print('SKIPPED: no compiler here for the architectures of the planted faults')
        sys.exit(check_amdgpu.SKIPPED)
    unittest.main(argv=sys.argv[:1])
