"""Device code of `libsgemm probe`: test_probe_code.py COMMAND PTXAS, which may be empty.

Each loop has the instructions that it times and no other arithmetic; changed FFMA registers follow their pattern.
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

import amdgpu
import sass

COMMAND, PTXAS = sys.argv[1:3]
# The oldest and the newest device for a target.
TARGETS = {'sm_75': ['sm_75', 'sm_80', 'sm_90'], 'sm_80': ['sm_80', 'sm_90'], 'sm_90': ['sm_90'], 'sm_90a': ['sm_90a'],
           'sm_100': ['sm_100']}
OPCODES = {'SEL': 0x07, 'FMUL': 0x20, 'FADD': 0x21, 'FFMA': 0x23, 'IMAD': 0x24, 'DFMA': 0x2B, 'HMMA': 0x3C, 'F2FP': 0x3E, 'DMMA': 0x3F,
           'F2F': 0x110, 'LDG': 0x181, 'LDS': 0x184, 'STG': 0x186, 'HGMMA': 0x1F0, 'FFMA2': 0x49}
BRANCHES = {0x118, 0x144, 0x147, 0x1C5}  # NOP, CALL (leaves a loop on sm_80), BRA, WARPGROUP
COUNTING = BRANCHES | {0x0C, 0x10, 0x82, 0x8C, 0x90}  # ISETP, IADD3, UMOV, UISETP, UIADD3
ADDRESSES = {0x10, 0x11, 0x12, 0x24, 0xB9}  # IADD3, LEA, LOP3, IMAD, ULDC: global memory
MOST_MOVES = 6  # register moves in a loop of 256
NONE = sass.NO_REGISTER


def ask(*words: str) -> str:
    return subprocess.run([COMMAND, '__probe_code', *words], capture_output=True, text=True, check=True).stdout


def words_of(cubin: pathlib.Path, kernel: str) -> list[tuple[int, int]]:
    return list(struct.iter_unpack('<QQ', sass.Elf(cubin.read_bytes()).content('.text.' + kernel)))


def is_move(low: int, high: int) -> bool:
    """MOV, or an IMAD by zero."""
    return low & 0x1FF == 0x02 or low & 0x1FF == OPCODES['IMAD'] and low >> 24 & 255 == NONE and (low >> 32 & 255 == NONE or high & 255 == NONE)


def loop_of(kernel: sass.Kernel) -> tuple[int, int]:
    """First and end number of the longest loop."""
    branches = [(x.target // 16, x.address // 16 + 1) for x in kernel.instructions
                if x.name == 'BRA' and x.target is not None and x.target < x.address]
    return max(branches, key=lambda loop: loop[1] - loop[0])


class DeviceCode(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


@unittest.skipUnless(PTXAS, 'no ptxas')
class Cuda(DeviceCode):
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
        for what, count in claim.items():
            name, _, width = what.partition('.')
            self.assertEqual(found.pop(OPCODES[name], 0), count, name)
            if width:
                self.check_accesses([x for x in words[slice(*loop)] if x[0] & 0x1FF == OPCODES[name]], name, width)
        passes_over_memory = any(what.startswith(('LDG', 'STG')) for what in claim)
        others = set(found) - COUNTING - (ADDRESSES if passes_over_memory else set())
        self.assertEqual([hex(x) for x in others], [])
        if not passes_over_memory:
            self.assertLessEqual(moves, MOST_MOVES)
            self.assertLessEqual(sum(n for x, n in found.items() if x not in BRANCHES), 3)

    def check_accesses(self, accesses: list[tuple[int, int]], name: str, width: str) -> None:
        for low, high in accesses:
            self.assertEqual(sass.WIDTHS[high >> 9 & 7], width, name)
            self.assertEqual(low >> 12 & 15, sass.ALWAYS, name)
            if name != 'STG':
                self.assertNotEqual(low >> 16 & 255, NONE, name)

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
            # Control bits: reuse changes; the first waits for all loads.
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
        # No register is kept before another instruction, which empties the cache.
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
        # Instructions of another format lack the changed kernel.
        cubin = self.assemble('sm_80', 'sm_80')
        run = subprocess.run([COMMAND, '__probe_code', cubin, self.folder / 'out', '0'], capture_output=True, text=True,
                             check=False)
        self.assertEqual((run.returncode, run.stderr),
                         (1, 'libsgemm __probe_code: the machine code has no ffma_registers\n'))


# An AMD GPU's instructions in each loop: required ones, and others that are allowed.
HIP_COMMON = {'ffma_1': {'v_fma_f32': 64}, 'ffma_4': {'v_fma_f32': 64}, 'ffma_16': {'v_fma_f32': 64}, 'dfma_8': {'v_fma_f64': 64},
              'read': {'global_load_dwordx4': 8}, 'write': {'global_store_dwordx4': 8},
              'copy': {'global_load_dwordx4': 8, 'global_store_dwordx4': 8}, 'chase': {'global_load_dwordx2': 16},
              'shared_8_8': {'ds_read_b64': 8}, 'shared_16_16': {'ds_read_b128': 8}}
HIP_COMMON.update({f'shared_4_{step}': {'ds_read_b32': 8} for step in (4, 8, 16, 32, 64, 128)})
MFMA = {'pk_fma_8': {'v_pk_fma_f32': 64}, 'mfma_f32': {'v_mfma_f32_32x32x2f32': 16}, 'mfma_f16': {'v_mfma_f32_32x32x8f16': 16},
        'mfma_bf16': {'v_mfma_f32_32x32x8bf16': 16}, 'mfma_f64': {'v_mfma_f64_16x16x4f64': 16}}
HIP_LOOPS = {
    'gfx90a': {**HIP_COMMON, **MFMA},
    'gfx942': {**HIP_COMMON, **MFMA, 'mfma_xf32': {'v_mfma_f32_32x32x4xf32': 16}},
    'gfx1100': {**HIP_COMMON, 'dual_fmac': {'v_fmac_f32': 128}, 'wmma_f16': {'v_wmma_f32_16x16x16_f16': 16},
                'wmma_bf16': {'v_wmma_f32_16x16x16_bf16': 16}},
}
HIP_HEAD = '''
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
#define __syncthreads() __builtin_amdgcn_s_barrier()
'''


def plain(operation: str) -> str:
    """v_mfma_f32_32x32x8_bf16 and v_mfma_f32_32x32x8bf16_1k are one instruction."""
    match = re.fullmatch(r'(v_mfma_.*x\d+)_?([a-z]+\d+)(_1k)?', operation)
    return match[1] + match[2] if match else operation


class Hip(DeviceCode):
    def test_loops(self) -> None:
        for arch, loops in HIP_LOOPS.items():
            kernels = {kernel.symbol: kernel for kernel in self.compile(arch)}
            self.assertEqual(set(kernels), {*loops, 'empty'})
            for name, wanted in loops.items():
                with self.subTest(arch=arch, kernel=name):
                    self.check_loop(kernels[name], wanted)

    def compile(self, arch: str) -> list[amdgpu.Kernel]:
        source, code = self.folder / 'probe.hip', self.folder / f'{arch}.co'
        source.write_text(HIP_HEAD + ask('hip'), encoding='ascii')
        try:
            compiler = amdgpu.tool('clang++')
        except amdgpu.MissingTool as error:
            self.skipTest(str(error))
        run = subprocess.run([compiler, '-x', 'hip', '-O3', '-Wall', '--cuda-device-only', '-nogpulib', '-nogpuinc', '--no-gpu-bundle-output',
                              '--offload-arch=' + arch, '-c', '-o', code, source], capture_output=True, text=True, check=False)
        if 'invalid target ID' in run.stderr or 'unknown target triple' in run.stderr:
            self.skipTest(f'{compiler} does not know {arch}')
        self.assertEqual((run.returncode, run.stderr), (0, ''))
        return amdgpu.kernels(code)

    def check_loop(self, kernel: amdgpu.Kernel, wanted: dict[str, int]) -> None:
        (loop,) = kernel.loops()
        self.assertEqual((kernel.scratch, kernel.vgpr_spills), (0, 0))
        found = collections.Counter(plain(operation) for each in loop for operation in each.operations)
        for operation, count in wanted.items():
            self.assertEqual(found.pop(operation, 0), count, operation)
        walks = any(operation.startswith('global') for operation in wanted)
        addresses = r'|v_add_(nc_)?u32|v_cmp_(eq|ne)_u32|v_cndmask_b32' if walks else ''
        others = [x for x in found if not re.fullmatch('s_(add|sub|cmp|cbranch|wait|nop|delay|clause).*' + addresses, x)]
        self.assertEqual(others, [])
        if 'v_fmac_f32' in wanted:
            self.assertEqual(sum(each.dual for each in loop), wanted['v_fmac_f32'] // 2)
        if kernel.symbol in ('read', 'copy') or kernel.symbol.startswith('shared'):
            self.check_flight(loop)

    def check_flight(self, loop: list[amdgpu.Instruction]) -> None:
        """All loads of an iteration are issued before the first wait."""
        loads = [i for i, each in enumerate(loop) if each.name.startswith(('global_load', 'ds_read'))]
        between = loop[loads[0]:loads[-1]]
        self.assertEqual([each.text for each in between if each.name.startswith('s_wait')], [])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
