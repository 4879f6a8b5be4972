"""Tests check_sass.py: test_check_sass.py CUBIN..., built from spill.cu. It must find the planted faults only."""
from __future__ import annotations

import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from typing import Iterable

import check_sass
import sass

SOUND = 'sm75_ffma_8x8x4_sound'
SPILLED = 'sm75_ffma_8x8x4_spilled'
INDEXED = 'sm75_ffma_8x1x1_indexed'
# The sound kernel fulfils these, the others do not.
STRICT: check_sass.Entry = {'ffma': 0.9, 'three_fresh': 0.5, 'loop': {'LDS.128': 16}, 'code': {'LDS.128': 16},
                            'never': ['LD']}
PLANTED = {
    SPILLED: ['local memory', 'stack frame', 'hot loop is', 'fetch three'],
    INDEXED: ['local memory', 'stack frame', 'hot loop is', 'fetch three', 'LDS.128 in the hot loop',
              'LDS.128 in the kernel'],
    'sm75_ffma_2x2x1_scalar': ['hot loop is', 'fetch three', 'LDS.128 in the hot loop', 'LDS.128 in the kernel'],
    'sm75_ffma_8x1x8_unshared': ['fetch three', 'LDS.128 in the hot loop', 'LDS.128 in the kernel'],
}
NAMES = [SOUND, *PLANTED]
CUBINS: list[pathlib.Path] = []


def found(kernels: Iterable[sass.Kernel], entries: dict[str, check_sass.Entry]) -> list[str]:
    rows = {name: {'ffma': 0, **entry} for name, entry in entries.items()}
    return list(check_sass.check(kernels, list(rows), {'rows': rows}))


class CheckSass(unittest.TestCase):
    def setUp(self) -> None:
        self.files = [sass.kernels(file) for file in CUBINS]
        self.sound = [[kernel for kernel in kernels if kernel.name == SOUND] for kernels in self.files]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assert_one(self, problems: Iterable[str], text: str) -> None:
        problems = list(problems)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(text, problems[0])

    def test_parameters_at_negative_offsets(self) -> None:
        # LDC R2, c[0x0][R2+0x7ffc] and c[0x0][R2+-0x8000] of sm_90; later architectures have other bits.
        for low, arch, wraps in [(0x001fff0002037b82, 90, False), (0x0020000002037b82, 90, True),
                                 (0x0020000002037b82, 100, False)]:
            kernel = sass.Kernel(SOUND, arch, struct.pack('<QQ', low, 0), None, 0)
            found_here = [text for text in found([kernel], {SOUND: {}}) if 'become negative' in text]
            self.assertEqual(len(found_here), int(wraps))

    def test_planted_faults(self) -> None:
        for kernels in self.files:
            problems = found(kernels, {name: STRICT for name in NAMES})
            for name, expected in PLANTED.items():
                mine = [problem for problem in problems if problem.startswith(name + ':')]
                if kernels[0].arch < check_sass.FULL_RATE:
                    expected = [text for text in expected if text != 'fetch three']
                self.assertEqual(len(mine), len(expected), mine)
                for problem, text in zip(mine, expected):
                    self.assertIn(text, problem)
            self.assertFalse([problem for problem in problems if problem.startswith(SOUND)], problems)

    def test_local_memory_needs_no_asking(self) -> None:
        for kernels in self.files:
            problems = found(kernels, {name: {} for name in NAMES})
            self.assertEqual({problem.split(':')[0] for problem in problems}, {SPILLED, INDEXED})

    def test_limits(self) -> None:
        for sound in self.sound:
            self.assertEqual(found(sound, {SOUND: STRICT}), [])
            for entry, text in [({'never': ['LDS']}, 'LDS, which'), ({'ffma': 0.99}, 'at least 0.99'), ({'hmma': 0.01}, '0.000 HMMA'),
                                ({'three_fresh': 0.01}, 'at most 0.01'), ({'one_bank': 0}, 'one bank only, at most 0'),
                                ({'loop': {'LDS.128': 17}}, '16 LDS.128 in the hot loop, at least 17'),
                                ({'loop': {'LDGSTS.128|LDG.128': 1}}, '0 LDGSTS.128|LDG.128 in the hot loop'),
                                ({'loop_exactly': {'FFMA': 255}}, '256 FFMA in the hot loop, exactly 255'),
                                ({'code': {'BAR': 1, 'LDGSTS': 1}}, '0 LDGSTS in the kernel'),
                                ({'variants': {'sound': {'never': ['LDS']}}}, 'LDS, which')]:
                if entry.keys() & {'three_fresh', 'one_bank'} and sound[0].arch < check_sass.FULL_RATE:
                    continue
                self.assert_one(found(sound, {SOUND: entry}), text)
            self.assertEqual(found(sound, {SOUND: {'never': ['LDS'], 'to': 75}}), [])
            self.assertEqual(found(sound, {SOUND: {'never': ['LDS'], 'from': 91}}), [])
            self.assertEqual(found(sound, {SOUND: {'loop_exactly': {'FFMA': 256}}}), [])

    def test_nops_do_not_count(self) -> None:
        always = 7 << 12
        back = -5 * 16 // 4 & (1 << 48) - 1  # to the first instruction
        words = [(0x03f | always, 0), (0x118 | always, 0), (0x118 | always, 0), (0x03f | always, 0),
                 (0x147 | always | (back & (1 << 30) - 1) << 34, back >> 30 | 7 << 23)]
        kernel = sass.Kernel(SOUND, 80, b''.join(struct.pack('<QQ', *word) for word in words), None, 0)
        self.assertEqual(found([kernel], {SOUND: {'dmma': 0.66, 'loop_exactly': {'DMMA': 2, 'BRA': 1}}}), [])
        self.assert_one(found([kernel], {SOUND: {'dmma': 0.67}}), '0.667 DMMA (2 of 3)')

    def test_coverage(self) -> None:
        zero: check_sass.Entry = {'ffma': 0}
        for sound in self.sound:
            for rows, expected, text in [
                    ([SOUND, 'sm75_other'], {SOUND: zero}, 'sm75_other: a row without an expectation'),
                    ([], {SOUND: zero}, 'an expectation without a row'),
                    ([SOUND], {SOUND: {}}, 'states no share of dmma or ffma or hgmma or hmma'),
                    ([SOUND, 'sm75_other'], {SOUND: zero, 'sm75_other': zero}, 'sm75_other: no kernel'),
                    ([SOUND], {SOUND: {'kernels': 0}}, 'has a kernel, none expected'),
                    ([SOUND], {SOUND: {**zero, 'variants': {'other': {}}}}, 'no kernel for the variant other'),
                    ([SOUND], {SOUND: {**zero, 'lop': {}}}, 'unknown key lop'),
                    ([SOUND], {SOUND: {**zero, 'variants': {'sound': {'lop': {}}}}}, 'unknown key lop')]:
                self.assert_one(check_sass.check(sound, rows, {'rows': expected}), text)
            self.assert_one(check_sass.check(sound, [], {'rows': {}}), f'{SOUND}: belongs to no row and no helper')
            self.assertEqual(list(check_sass.check(sound, [], {'rows': {}, 'helpers': {SOUND: {}}})), [])

    def test_longest_name_owns(self) -> None:
        self.assertEqual(check_sass.owner('_ZN3fooILi3EE', ['fo', 'foo', 'o']), 'foo')

    def test_reassigned(self) -> None:
        cubin = self.folder / f'{SOUND}.cubin'
        self.assert_one(check_sass.check_reassigned(self.folder, {SOUND: {}}), 'there is none')
        cubin.write_bytes(b'')
        self.assert_one(check_sass.check_reassigned(self.folder, {SOUND: {}}), 'reassign_registers.py refused the kernel')
        self.assert_one(check_sass.check_reassigned(self.folder, {}), 'a reassigned cubin without an expectation')
        for file in CUBINS:
            cubin.write_bytes(file.read_bytes())
            problems = list(check_sass.check_reassigned(self.folder, {SOUND: {'never': ['LDS'], 'instances': ['_swapped']}}))
            self.assertIn(f'{SOUND}.cubin: no kernel {SOUND}_swapped', problems)
            for text in ['local memory', 'LDS, which']:
                self.assertTrue([problem for problem in problems if text in problem], problems)

    def test_the_script_refuses_a_spill(self) -> None:
        rows, expectations = self.folder / 'device_code.h', self.folder / 'expectations.json'
        rows.write_text('\n'.join(f'  X({name}) \\' for name in NAMES))
        expectations.write_text(json.dumps({'rows': {name: {'ffma': 0} for name in NAMES}}))
        script = pathlib.Path(check_sass.__file__)
        for file in CUBINS:
            command = [sys.executable, '-B', script, '--rows', rows, '--expectations', expectations, file]
            result = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(result.returncode, 1, result.stderr)
            named = {line.split(':')[0] for line in result.stderr.splitlines() if ': sm_' in line}
            self.assertEqual(named, {SPILLED, INDEXED}, result.stderr)

    def test_against_cuobjdump(self) -> None:
        tool = shutil.which('cuobjdump') or shutil.which('cuobjdump', path='/usr/local/cuda/bin')
        if not tool:
            self.skipTest('no cuobjdump')
        for file, kernels in zip(CUBINS, self.files):
            text = subprocess.run([tool, '-sass', file], capture_output=True, text=True, check=True).stdout
            sections = dict(re.findall(r'Function : (\S+)(.*?)(?=Function : |\Z)', text, flags=re.S))
            for kernel in kernels:
                words = re.findall(r'/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\d\s+)?([A-Z][\w.]*)', sections[kernel.name])
                for name in ['FFMA', 'LDL', 'STL', 'LDS', 'STS', 'LDG', 'STG', 'BAR', 'BRA', 'EXIT']:
                    listed = [word.split('.') for word in words if word.split('.')[0] == name]
                    self.assertEqual(kernel.count(name), len(listed), f'{file}: {kernel.name}: {name}')
                    if name in sass.MEMORY:
                        wide = sum('128' in word for word in listed)
                        self.assertEqual(kernel.count(name, '128'), wide, f'{file}: {kernel.name}: {name}.128')


if __name__ == '__main__':
    CUBINS = [pathlib.Path(file) for file in sys.argv[1:]]
    unittest.main(argv=sys.argv[:1])
