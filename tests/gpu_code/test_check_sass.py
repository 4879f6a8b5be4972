"""Test of check_sass.py: test_check_sass.py CUBIN..., built from spill.cu, whose faults it must find, and no others."""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import check_sass
import sass

STRICT = {'ffma': 0.9, 'three_fresh': 0.5, 'registers': 128, 'loop': ['LDS.128'], 'code': ['LDS.128'], 'never': ['LD']}
SOUND = 'sm75_ffma_8x8x4_sound'
PLANTED = {
    'sm75_ffma_8x8x4_spilled': ['local memory', 'stack frame', 'hot loop is', 'fetch three'],
    'sm75_ffma_8x1x1_indexed': ['local memory', 'stack frame', 'hot loop is', 'fetch three', 'no LDS.128 in',
                                'no LDS.128'],
    'sm75_ffma_2x2x1_scalar': ['hot loop is', 'fetch three', 'no LDS.128 in', 'no LDS.128'],
    'sm75_ffma_8x1x8_unshared': ['fetch three', 'no LDS.128 in', 'no LDS.128'],
}
CUBINS = []


def found(kernels, rows):
    return list(check_sass.check(kernels, list(rows), {'rows': rows}))


class CheckSass(unittest.TestCase):
    def setUp(self):
        self.files = [sass.kernels(file) for file in CUBINS]

    def test_planted_faults(self):
        for kernels in self.files:
            rows = {name: STRICT for name in [SOUND, *PLANTED]}
            problems = found(kernels, rows)
            for name, expected in PLANTED.items():
                mine = [problem for problem in problems if problem.startswith(name + ':')]
                if kernels[0].arch < check_sass.FULL_RATE:
                    expected = [text for text in expected if text != 'fetch three']
                self.assertEqual(len(mine), len(expected), mine)
                for problem, text in zip(mine, expected):
                    self.assertIn(text, problem)
            self.assertFalse([problem for problem in problems if problem.startswith(SOUND)], problems)

    def test_local_memory_needs_no_asking(self):
        for kernels in self.files:
            problems = found(kernels, {name: {} for name in [SOUND, *PLANTED]})
            self.assertEqual({problem.split(':')[0] for problem in problems},
                             {'sm75_ffma_8x8x4_spilled', 'sm75_ffma_8x1x1_indexed'})

    def test_limits(self):
        for kernels in self.files:
            sound = [kernel for kernel in kernels if kernel.name == SOUND]
            self.assertEqual(found(sound, {SOUND: STRICT}), [])
            for entry, text in [({'registers': 40}, 'registers, at most 40'), ({'never': ['LDS']}, 'LDS, which'),
                                ({'ffma': 0.99}, 'at least 0.99'), ({'three_fresh': 0.01}, 'at most 0.01'),
                                ({'loop': ['LDGSTS.128']}, 'no LDGSTS.128 in'), ({'code': ['BAR', 'LDSM']}, 'no LDSM'),
                                ({'variants': {'sound': {'registers': 40}}}, 'registers, at most 40')]:
                if 'three_fresh' in entry and sound[0].arch < check_sass.FULL_RATE:
                    continue
                problems = found(sound, {SOUND: entry})
                self.assertEqual(len(problems), 1, problems)
                self.assertIn(text, problems[0])
            self.assertEqual(found(sound, {SOUND: {'registers': 40, 'from': 100}}), [])
            self.assertEqual(found(sound, {SOUND: {'registers': 40, 'to': 70}}), [])

    def test_coverage(self):
        for kernels in self.files:
            sound = [kernel for kernel in kernels if kernel.name == SOUND]
            for rows, expected, text in [
                    ([SOUND, 'sm75_other'], {SOUND: {}}, 'sm75_other: a row without an expectation'),
                    ([], {SOUND: {}}, 'an expectation without a row'),
                    ([SOUND, 'sm75_other'], {SOUND: {}, 'sm75_other': {}}, 'sm75_other: no kernel'),
                    ([SOUND], {SOUND: {'kernels': 0}}, 'has a kernel, none expected'),
                    ([SOUND], {SOUND: {'register': 3}}, 'unknown key register')]:
                problems = list(check_sass.check(sound, rows, {'rows': expected}))
                self.assertEqual(len(problems), 1, problems)
                self.assertIn(text, problems[0])
            problems = list(check_sass.check(sound, [], {'rows': {}}))
            self.assertEqual(problems, [f'{SOUND}: belongs to no row and no helper'])
            self.assertEqual(list(check_sass.check(sound, [], {'rows': {}, 'helpers': {SOUND: {}}})), [])

    def test_longest_name_owns(self):
        self.assertEqual(check_sass.owner('_ZN3fooILi3EE', ['fo', 'foo', 'o']), 'foo')

    def test_the_script_refuses(self):
        folder = pathlib.Path(__file__).resolve().parent
        for file in CUBINS:
            result = subprocess.run([sys.executable, folder / 'check_sass.py', file], capture_output=True, text=True)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn('sm75_ffma_8x8x4_spilled: belongs to no row', result.stderr)

    def test_against_cuobjdump(self):
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
    CUBINS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
