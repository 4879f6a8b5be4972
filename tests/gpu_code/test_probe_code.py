"""The device code of `libsgemm probe`: test_probe_code.py COMMAND PTXAS HIPCC, the last may be empty.

Each loop holds the instructions that it claims to time, as many as it claims, and no other arithmetic; FFMA whose
registers are changed have those that their pattern says.
"""
from __future__ import annotations

import collections
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import sass

COMMAND, PTXAS, HIPCC = sys.argv[1:4]
# The text of a target on the oldest device and on the newest that take it.
TARGETS = {'sm_75': ['sm_75', 'sm_80', 'sm_90'], 'sm_80': ['sm_80', 'sm_90'], 'sm_90': ['sm_90'], 'sm_90a': ['sm_90a']}
OPCODES = {'FMUL': 0x20, 'FADD': 0x21, 'FFMA': 0x23, 'IMAD': 0x24, 'DFMA': 0x2B, 'HMMA': 0x3C, 'F2FP': 0x3E, 'DMMA': 0x3F,
           'F2F': 0x110, 'LDG': 0x181, 'LDS': 0x184, 'STG': 0x186, 'HGMMA': 0x1F0}
BRANCHES = {0x118, 0x144, 0x147, 0x1C5}  # NOP, CALL, which leaves a loop on sm_80, BRA, WARPGROUP
COUNTING = BRANCHES | {0x0C, 0x10, 0x82, 0x90}  # ISETP, IADD3, UMOV, UIADD3
ADDRESSES = {0x10, 0x11, 0x12, 0x24, 0xB9}  # IADD3, LEA, LOP3, IMAD, ULDC: of loops over global memory
MOST_MOVES = 6  # of registers, in a loop of 256
NONE = sass.NO_REGISTER


def ask(*words: str) -> str:
    return subprocess.run([COMMAND, '__probe_code', *words], capture_output=True, text=True, check=True).stdout


def words_of(cubin: pathlib.Path, kernel: str) -> list[tuple[int, int]]:
    return list(struct.iter_unpack('<QQ', sass.Elf(cubin.read_bytes()).content('.text.' + kernel)))


def is_move(low: int, high: int) -> bool:
    """MOV, or an IMAD whose factors are zero."""
    return low & 0x1FF == 0x02 or low & 0x1FF == OPCODES['IMAD'] and low >> 24 & 255 == NONE and (low >> 32 & 255 == NONE or high & 255 == NONE)


def loop_of(kernel: sass.Kernel) -> tuple[int, int]:
    """First and end, by number, of what the longest branch back leads over."""
    branches = [(x.target // 16, x.address // 16 + 1) for x in kernel.instructions
                if x.name == 'BRA' and x.target is not None and x.target < x.address]
    return max(branches, key=lambda loop: loop[1] - loop[0])


class ProbeCode(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assemble(self, target: str, arch: str) -> pathlib.Path:
        source, cubin = self.folder / f'{target}.ptx', self.folder / f'{target}.{arch}.cubin'
        source.write_text(ask(target), encoding='ascii')
        run = subprocess.run([PTXAS, '-arch=' + arch, '-o', cubin, source], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout + run.stderr), (0, ''))
        return cubin

    def test_loops(self) -> None:
        for target, archs in TARGETS.items():
            claims = {name: {x.split()[0]: int(x.split()[1]) for x in claim.split(', ')}
                      for name, claim in re.findall(r'^// (\w+): (.+)$', ask(target), re.M)}
            self.assertTrue(claims)
            for arch in archs:
                cubin = self.assemble(target, arch)
                kernels = {kernel.name: kernel for kernel in sass.kernels(cubin)}
                for name, claim in claims.items():
                    with self.subTest(arch=arch, kernel=name):
                        self.check_loop(words_of(cubin, name), loop_of(kernels[name]), claim)

    def check_loop(self, words: list[tuple[int, int]], loop: tuple[int, int], claim: dict[str, int]) -> None:
        found: collections.Counter[int] = collections.Counter()
        moves = 0
        for low, high in words[slice(*loop)]:
            if is_move(low, high):
                moves += 1
            else:
                found[low & 0x1FF] += 1
        for name, count in claim.items():
            self.assertEqual(found.pop(OPCODES[name]), count, name)
        passes_over_memory = not claim.keys().isdisjoint({'LDG', 'STG'})
        others = set(found) - COUNTING - (ADDRESSES if passes_over_memory else set())
        self.assertEqual([hex(x) for x in others], [])
        if not passes_over_memory:
            self.assertLessEqual(moves, MOST_MOVES)
            self.assertLessEqual(sum(n for x, n in found.items() if x not in BRANCHES), 3)

    def test_patterns(self) -> None:
        patterns = [tuple(map(int, line.split())) for line in ask('patterns').splitlines()]
        self.assertEqual(len(set(patterns)), len(patterns))
        self.assertEqual({changing for changing, _, _ in patterns}, {1, 2, 3})
        for arch in TARGETS['sm_75']:
            cubin = self.assemble('sm_75', arch)
            before = words_of(cubin, 'ffma_registers')
            for number, pattern in enumerate(patterns):
                patched = self.folder / 'patched.cubin'
                ask(str(cubin), str(patched), str(number))
                with self.subTest(arch=arch, pattern=pattern):
                    self.check_pattern(before, words_of(patched, 'ffma_registers'), *pattern)

    def check_pattern(self, before: list[tuple[int, int]], after: list[tuple[int, int]], changing: int, one_bank: int,
                      reuse: int) -> None:
        fields = []
        defined: set[int] = set()
        for (low, high), (new_low, new_high) in zip(before, after):
            if low & 0xFFF != 0x223:
                self.assertEqual((low, high), (new_low, new_high))
                continue
            defined |= {low >> 24 & 255, low >> 32 & 255, high & 255}
            registers = 0xFF << 16 | 0xFF << 24 | 0xFF << 32
            self.assertEqual(low & ~registers, new_low & ~registers)
            # Of the control bits reuse changes, and the first waits for all loads.
            kept = ~(0xFF | 7 << 58 | (0x3F << 52 if not fields else 0))
            self.assertEqual(high & kept, new_high & kept)
            self.assertEqual(new_low >> 16 & 255, new_high & 255)
            fields.append((new_low >> 24 & 255, new_low >> 32 & 255, new_high & 255, new_high >> 58 & 7))
        self.assertEqual(len(fields), 128)
        self.assertTrue({x for a, b, c, _ in fields for x in (a, b, c)} <= defined)
        self.assertFalse({c for _, _, c, _ in fields} & {x for a, b, _, _ in fields for x in (a, b)})
        for a, b, c, _ in fields:
            self.assertNotEqual(a, b)
            self.assertEqual((a % 2, b % 2), (0, 0) if one_bank else (1, 1))
            self.assertEqual(c % 2, 0)
        for i in range(1, len(fields)):
            differ = sum(x != y for x, y in zip(fields[i - 1][:3], fields[i][:3]))
            self.assertEqual(differ, changing)
        # None in front of what is no FFMA, which empties the cache.
        kept = {1: 3, 2: 1, 3: 0}[changing] if reuse else 0
        self.assertLessEqual({flags for *_, flags in fields}, {0, kept})
        self.assertGreaterEqual(sum(flags == kept for *_, flags in fields), 124)

    def test_what_is_no_such_code(self) -> None:
        for text in ('', 'no ELF'):
            cubin = self.folder / 'bad.cubin'
            cubin.write_text(text, encoding='ascii')
            run = subprocess.run([COMMAND, '__probe_code', cubin, self.folder / 'out', '0'], capture_output=True, text=True,
                                 check=False)
            self.assertEqual(run.returncode, 1)
            self.assertIn('machine code', run.stderr)
            self.assertFalse((self.folder / 'out').exists())
        # Of instructions of another form: here without the kernel that is changed.
        cubin = self.assemble('sm_80', 'sm_80')
        run = subprocess.run([COMMAND, '__probe_code', cubin, self.folder / 'out', '0'], capture_output=True, text=True,
                             check=False)
        self.assertEqual((run.returncode, run.stderr),
                         (1, 'libsgemm __probe_code: the machine code has no ffma_registers\n'))

    @unittest.skipUnless(HIPCC, 'no hipcc')
    def test_hip(self) -> None:
        source = self.folder / 'probe.hip'
        source.write_text('#include <hip/hip_runtime.h>\n' + ask('hip'), encoding='ascii')
        for arch, wanted in {'gfx906': {'v_fma_f32': 192, 'ds_read_b128': 8},
                             'gfx90a': {'v_fma_f32': 192, 'v_pk_fma_f32': 64, 'v_mfma_f32_32x32x2f32': 16}}.items():
            run = subprocess.run([HIPCC, '-O3', '-S', '--cuda-device-only', '--offload-arch=' + arch, '-o', '-', source],
                                 capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 0, run.stderr)
            for name, count in wanted.items():
                self.assertEqual(len(re.findall(rf'^\s+{name}\b', run.stdout, re.M)), count, f'{name} for {arch}')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
