"""Limits and rates of AMD's architectures, as far as machine code determines a kernel's speed.

Balance model: a block's pass through its hot loop occupies three units of a compute unit, and the busiest one bounds
it. Latency, waits and memory cost nothing.

    vector units   one slot for each vector instruction of a wave
    matrix units   the cycles of each matrix instruction; from gfx11 on they are the vector units
    LDS            128 bytes in a clock

Numbers are from AMD's ISA manuals and LLVM; 128 bytes of LDS are assumed to be reached.
"""
from __future__ import annotations

import re
import subprocess
from typing import NamedTuple, Optional

from amdgpu import Instruction, Kernel, tool

LDS_BYTES_PER_CLOCK = 128
LDS_BYTES = {'b8': 1, 'u8': 1, 'b16': 2, 'u16': 2, 'b32': 4, 'b64': 8, 'b96': 12, 'b128': 16}


class Chip(NamedTuple):
    simds: int      # in a compute unit
    registers: int  # for each lane, of all waves of a SIMD
    granule: int    # a wave's registers are a multiple of it
    waves: int      # most on a SIMD
    slot: int       # clocks of a wave's vector instruction
    fmas: int       # most in a compute unit and clock
    lds: int = 65536  # bytes in a compute unit


GCN = Chip(simds=4, registers=256, granule=4, waves=10, slot=4, fmas=64)
CDNA2 = Chip(simds=4, registers=512, granule=8, waves=8, slot=4, fmas=128)
RDNA3 = Chip(simds=2, registers=1536, granule=24, waves=16, slot=1, fmas=128)
CHIPS = {
    'gfx906': GCN, 'gfx908': GCN, 'gfx90a': CDNA2, 'gfx942': CDNA2, 'gfx950': CDNA2._replace(lds=163840),
    'gfx1030': Chip(simds=2, registers=1024, granule=8, waves=16, slot=1, fmas=64),
    'gfx1100': RDNA3, 'gfx1101': RDNA3, 'gfx1151': RDNA3, 'gfx1200': RDNA3, 'gfx1201': RDNA3,
    # Each family's largest chips.
    'gfx9-4-generic': CDNA2, 'gfx11-generic': RDNA3, 'gfx12-generic': RDNA3,
}

# A SIMD's clocks for a wave's matrix instruction.
MATRIX = {
    'v_mfma_f32_32x32x2f32': {'gfx9': 64},
    'v_mfma_f32_16x16x4f32': {'gfx9': 32},
    'v_mfma_f32_32x32x4xf32': {'gfx942': 32},
    'v_mfma_f64_16x16x4f64': {'gfx90a': 32, 'gfx942': 32, 'gfx950': 64, 'gfx9-4': 32},
    'v_mfma_f32_32x32x4bf16': {'gfx908': 64, 'gfx90a': 64},
    'v_mfma_f32_32x32x8f16': {'gfx908': 64, 'gfx90a': 64, 'gfx942': 32, 'gfx950': 32, 'gfx9-4': 32},
    'v_mfma_f32_32x32x8bf16_1k': {'gfx90a': 64},
    'v_mfma_f32_32x32x8bf16': {'gfx942': 32, 'gfx950': 32, 'gfx9-4': 32},  # named 32x32x8_bf16 later
    'v_mfma_f32_32x32x16f16': {'gfx950': 32},
    'v_mfma_f32_32x32x16bf16': {'gfx950': 32},
    'v_wmma_f32_16x16x16_f16': {'gfx11': 32, 'gfx12': 16},
    'v_wmma_f32_16x16x16_bf16': {'gfx11': 32, 'gfx12': 16},
}

# Chips in llvm-mca 19 (it crashes on gfx908's matrix instructions), and those with equally fast matrix instructions.
MCA_CHIPS = {'gfx90a': 'gfx90a', 'gfx942': 'gfx942', 'gfx950': 'gfx942', 'gfx9-4-generic': 'gfx942'}


def matrix_clocks(instruction: Instruction, arch: str) -> int:
    """0 for other instructions."""
    if not instruction.name.startswith(('v_mfma', 'v_wmma', 'v_smfma', 'v_swmma')):
        return 0
    name = instruction.name
    if 'mfma' in name:
        name = re.sub(r'(x\d+)_(f64|xf32|f32|f16|bf16)$', r'\1\2', name)  # gfx942: 32x32x2_f32
    for prefix, clocks in MATRIX.get(name, {}).items():
        if arch.startswith(prefix):
            return clocks
    raise ValueError(f'{instruction.name}: its time on {arch} is not in MATRIX')


def is_vector(instruction: Instruction) -> bool:
    return instruction.name.startswith('v_') and not instruction.name.startswith(('v_mfma', 'v_wmma'))


def fmas_of(operation: str) -> int:
    """FMAs of each lane."""
    if not re.fullmatch(r'v_(pk_)?(fma|fmac|mac|mad|fmaak|fmamk)(_legacy)?_f32', operation):
        return 0
    return 2 if operation.startswith('v_pk_') else 1


def lds_bytes(instruction: Instruction) -> int:
    """Bytes of each lane."""
    match = re.fullmatch(r'ds_(read|write)(2?)(?:st64)?_([bu]\d+)(?:_.*)?', instruction.name)
    return LDS_BYTES[match[3]] * (2 if match[2] else 1) if match else 0


def waves_per_simd(kernel: Kernel) -> int:
    """Counts whole blocks only."""
    chip = CHIPS[kernel.arch]
    used = -(-max(kernel.vgprs, 1) // chip.granule) * chip.granule
    waves = min(chip.waves, chip.registers // used)
    of_block = -(-kernel.threads // kernel.wave)
    blocks = waves * chip.simds // of_block
    if kernel.lds:
        blocks = min(blocks, chip.lds // kernel.lds)
    return blocks * of_block // chip.simds


class Balance(NamedTuple):
    """A compute unit's clocks for a wave of a block, by unit and in the best case."""
    vector: float
    matrix: float
    lds: float
    ideal: float

    @property
    def share_of_peak(self) -> float:
        return self.ideal / max(self.vector, self.matrix, self.lds) if self.ideal else 0.0


def balance(loop: list[Instruction], arch: str, wave: int) -> Balance:
    chip = CHIPS[arch]
    vector = sum(chip.slot for each in loop if is_vector(each)) / chip.simds
    matrix = sum(matrix_clocks(each, arch) for each in loop) / chip.simds
    lds = sum(lds_bytes(each) for each in loop) * wave / LDS_BYTES_PER_CLOCK
    fmas = sum(fmas_of(operation) for each in loop for operation in each.operations)
    ideal = matrix if matrix else fmas * wave / chip.fmas
    if arch.startswith(('gfx11', 'gfx12')):
        vector += matrix
    return Balance(vector, matrix, lds, ideal)


def matrix_share(loop: list[Instruction], arch: str) -> Optional[float]:
    """Share of a wave's clocks in which its matrix unit works; None if unknown.

    llvm-mca knows dependences, waits and matrix passes, but not the SIMD's other waves or the real latency of LDS and
    memory. It issues in order, in units of four clocks.
    """
    passes = 100
    clocks = sum(matrix_clocks(each, arch) for each in loop)
    if not clocks:
        return 0.0
    doubles = any(each.name.startswith('v_mfma_f64') for each in loop)
    if arch not in MCA_CHIPS or (doubles and arch == 'gfx950'):  # no similar FP64
        return None
    text = '\n'.join(for_mca(each.text) for each in loop if not each.is_branch)
    command = [tool('llvm-mca'), '-mtriple=amdgcn', f'-mcpu={MCA_CHIPS[arch]}', f'-iterations={passes}', '-instruction-info=0',
               '-resource-pressure=0', '-']
    try:
        result = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=2)
    except subprocess.TimeoutExpired:  # llvm-mca 19 hangs on LDS reads of some loops: count each as a slot
        text = re.sub(r'^ds_read.*$', 's_nop 0', text, flags=re.M)
        result = subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=100)
    total = re.search(r'^Total Cycles:\s+(\d+)', result.stdout, flags=re.M)
    if not total:
        raise ValueError(f'llvm-mca cannot read a loop for {arch}: {result.stderr.strip()[:500]}')
    return clocks / CHIPS[arch].slot * passes / int(total[1])


def loads_under_way(loop: list[Instruction]) -> Optional[int]:
    """Fewest memory loads that may be pending after a wait for some in the loop; None without waits.

    After a branch around loads the compiler does not know their number, and waits for too many.
    """
    counts = (re.search(r'vmcnt\((\d+)\)', each.text) for each in loop if each.name == 's_waitcnt')
    return min((int(count[1]) for count in counts if count), default=None)


def for_mca(text: str) -> str:
    """A memory load counts as a slot: llvm-mca takes it for a flat one, whose wait includes LDS; its wait is a k-tile
    later. A product of 32 x 32 x 16, on gfx950 only, takes as long as 32 x 32 x 8.
    """
    if text.startswith('global_load'):
        return 's_nop 0'
    wide = re.match(r'(v_mfma_f32_32x32x)16(_b?f16 \S+) (.)\[(\d+):\d+\], (.)\[(\d+):\d+\],(.*)', text)
    if wide:
        a, b = int(wide[4]), int(wide[6])
        return f'{wide[1]}8{wide[2]} {wide[3]}[{a}:{a + 1}], {wide[5]}[{b}:{b + 1}],{wide[7]}'
    return text
