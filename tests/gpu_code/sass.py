"""Reads NVIDIA machine code: kernels of a cubin, or of a library or object file that embeds cubins.

Decodes, of the 128-bit instructions of Volta to Blackwell, what a check of multiplying kernels needs. Bits, from the
lowest:

    0..8      opcode
    9..11     operand form
    12..15    guard predicate; 7: always
    16..23    destination register
    24..31    source a
    32..39    source b; or 32..63 a constant
    64..71    source c
    73..75    width of a load or store; 74..76 in an LDGSTS from sm_100 on
    87..91    second predicate of a branch; 7: always
    122..125  sources a, b, c, d stay in the operand cache (".reuse")

A branch or call has the distance from the next instruction in units of 4 bytes from bit 34 on; from sm_90 on its low 8
bits are at 16, the others at 34.
"""
from __future__ import annotations

import collections
import os
import struct
from typing import Iterable, Iterator, Optional

FATBIN_MAGIC = 0xBA55ED50
EM_CUDA = 190
NO_REGISTER = 255
ALWAYS = 7

# By the low 9 bits where the operand form does not matter.
OPCODES = {
    0x001: 'PMTRIG', 0x0b9: 'ULDC', 0x182: 'LDC',
    0x023: 'FFMA', 0x03c: 'HMMA', 0x03f: 'DMMA', 0x03b: 'LDSM', 0x180: 'LD', 0x181: 'LDG', 0x183: 'LDL', 0x184: 'LDS', 0x185: 'ST', 0x186: 'STG', 0x187: 'STL',
    0x188: 'STS', 0x1ae: 'LDGSTS', 0x11d: 'BAR', 0x1b4: 'UTMALDG', 0x1a7: 'SYNCS', 0x147: 'BRA', 0x149: 'BRX',
    0x1f0: 'HGMMA', 0x1c5: 'WARPGROUP', 0x1c8: 'USETMAXREG', 0x1b5: 'UTMASTG',
    0x118: 'NOP', 0x144: 'CALL', 0x14a: 'JMP', 0x14d: 'EXIT', 0x150: 'RET',
}
# HGMMA is a warpgroup's whole product, next to which single multiplications count for nothing.
MULTIPLICATIONS = {'FFMA': 1, 'HMMA': 1, 'DMMA': 1, 'HGMMA': 1000}
MEMORY = {'LD', 'LDG', 'LDL', 'LDS', 'ST', 'STG', 'STL', 'STS', 'LDGSTS'}
WIDTHS = {4: '32', 5: '64', 6: '128'}


class Instruction:
    def __init__(self, address: int, low: int, high: int, arch: int) -> None:
        self.address = address
        self.opcode = low & 0x1FF
        self.form = low >> 9 & 7
        self.name = OPCODES.get(self.opcode, '')
        self.guarded = (low >> 12 & 15) != ALWAYS
        place = 10 if self.name == 'LDGSTS' and arch >= 100 else 9
        self.width = WIDTHS.get(high >> place & 7, 'other') if self.name in MEMORY else None
        self.reuse = high >> 58 & 15
        # nvcc 13.0 reads parameters from 32 KiB on at a wrong, negative constant offset.
        self.wraps = self.name in ('LDC', 'ULDC') and arch < 100 and (low >> 53 & 1) != 0
        self.target: Optional[int] = None
        self.sources: tuple[Optional[int], ...] = (None, None, None)
        if self.name == 'FFMA':
            self.sources = self._ffma_sources(low, high)
        elif self.name in ('BRA', 'CALL'):
            self.target = address + 16 + self._distance(low, high, arch)
            # A second predicate, a uniform one or divergence may make a branch conditional. Calls return, or are
            # conditional: on sm_80 the compiler leaves a loop with one.
            self.guarded = self.guarded or (high >> 23 & 31) != ALWAYS or self.name == 'CALL'

    def _ffma_sources(self, low: int, high: int) -> tuple[Optional[int], ...]:
        # Form 1: registers only. 2, 3, 7: c is a constant, and b is in c's place. 4, 5, 6: b is a constant.
        a, b, c = low >> 24 & 255, low >> 32 & 255, high & 255
        if self.form in (2, 3, 7):
            b, c = c, NO_REGISTER
        elif self.form in (4, 5, 6):
            b = NO_REGISTER
        return tuple(None if register == NO_REGISTER else register for register in (a, b, c))

    @staticmethod
    def _distance(low: int, high: int, arch: int) -> int:
        field = low >> 34 | (high & 0x3FFFF) << 30
        bits = 48
        if arch >= 90:
            field = field << 8 | low >> 16 & 255
            bits = 56
        if field >> (bits - 1):
            field -= 1 << bits
        return field * 4

    def ends_block(self) -> bool:
        return self.name in ('BRA', 'CALL', 'EXIT', 'RET', 'BRX', 'JMP')


class Kernel:
    def __init__(self, name: str, arch: int, code: bytes, registers: Optional[int], frame: int) -> None:
        self.name, self.arch, self.registers, self.frame = name, arch, registers, frame
        words = struct.iter_unpack('<QQ', code)
        self.instructions = [Instruction(16 * i, low, high, arch) for i, (low, high) in enumerate(words)]

    def count(self, name: str, width: Optional[str] = None) -> int:
        return sum(i.name == name and (width is None or i.width == width) for i in self.instructions)

    def hot_loop(self) -> list[Instruction]:
        """Innermost loop with the most multiplications, without out-of-line blocks (retries of a wait); or nothing."""
        best = []
        most = 0
        loops = [(*loop, sum(MULTIPLICATIONS.get(self.instructions[i].name, 0) for i in loop[0])) for loop in self._loops()]
        for body, header, latch, count in loops:
            # An outer loop is hot only if most multiplications are its own: not in one inner loop, nor nearly all in
            # alternative inner loops.
            inner = [other for other, _, _, _ in loops if other < body]
            within = sum(MULTIPLICATIONS.get(self.instructions[i].name, 0) for i in set().union(*inner))
            outer = any(other < body and 2 * n >= count for other, _, _, n in loops) or 10 * within >= 9 * count
            if not outer and count > most:
                most = count
                best = [self.instructions[i] for i in sorted(body) if header <= i <= latch]
        return best

    def _loops(self) -> list[tuple[set[int], int, int]]:
        """Natural loops: (set of instruction numbers, header, last)."""
        blocks, successors = self._blocks()
        order, seen = _postorder(successors)
        order.reverse()
        predecessors = collections.defaultdict(list)
        for block in seen:
            for target in successors[block]:
                predecessors[target].append(block)
        dominators = {block: seen for block in seen}
        dominators[0] = {0}
        changed = True
        while changed:
            changed = False
            for block in order[1:]:
                new = set.intersection(*(dominators[p] for p in predecessors[block])) | {block}
                if new != dominators[block]:
                    dominators[block] = new
                    changed = True
        found = {}
        for block in seen:
            for header in successors[block]:
                if header in dominators[block]:
                    body, latch = found.get(header, ({header}, block))
                    pending = [block]
                    while pending:
                        member = pending.pop()
                        if member not in body:
                            body.add(member)
                            pending += predecessors[member]
                    found[header] = (body, max(latch, block))
        return [({i for block in body for i in range(*blocks[block])}, blocks[header][0], blocks[latch][1] - 1)
                for header, (body, latch) in found.items()]

    def _blocks(self) -> tuple[list[tuple[int, int]], list[list[int]]]:
        """Basic blocks as (first, end) instruction numbers, and their successors."""
        code = self.instructions
        starts = {0}
        for i, instruction in enumerate(code):
            if instruction.ends_block():
                starts.add(i + 1)
            if instruction.target is not None:
                starts.add(instruction.target // 16)
        starts = sorted(s for s in starts if s < len(code))
        blocks = list(zip(starts, starts[1:] + [len(code)]))
        number = {first: block for block, (first, _) in enumerate(blocks)}
        successors = []
        for block, (_, end) in enumerate(blocks):
            last = code[end - 1]
            targets = []
            if last.target is not None and last.target // 16 in number:
                targets.append(number[last.target // 16])
            if (last.guarded or not last.ends_block()) and block + 1 < len(blocks):
                targets.append(block + 1)
            successors.append(targets)
        return blocks, successors


def _postorder(successors: list[list[int]]) -> tuple[list[int], set[int]]:
    """Reachable blocks, each after its successors; the same as a set."""
    order, seen, stack = [], {0}, [(0, iter(successors[0]))]
    while stack:
        block, rest = stack[-1]
        for target in rest:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(successors[target])))
                break
        else:
            order.append(block)
            stack.pop()
    return order, seen


def fetched_registers(instructions: Iterable[Instruction]) -> list[set[int]]:
    """Registers that each FFMA fetches: not kept in the same slot by the previous instruction."""
    fetched = []
    previous = None
    for instruction in instructions:
        if instruction.name != 'FFMA':
            previous = None
            continue
        registers = set()
        for slot, register in enumerate(instruction.sources):
            kept = previous is not None and previous.sources[slot] == register and previous.reuse >> slot & 1
            if register is not None and not kept:
                registers.add(register)
        fetched.append(registers)
        previous = instruction
    return fetched


class Elf:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.machine, = struct.unpack_from('<H', data, 18)
        self.flags, = struct.unpack_from('<I', data, 48)
        table, = struct.unpack_from('<Q', data, 40)
        count, names = struct.unpack_from('<HH', data, 60)
        headers = [struct.unpack_from('<IIQQQQIIQQ', data, table + 64 * i) for i in range(count)]
        self.sections = {}
        for header in headers:
            self.sections[_string(data, headers[names][4] + header[0])] = header

    def content(self, name: str) -> bytes:
        _, kind, _, _, offset, size = self.sections[name][:6]
        return b'' if kind == 8 else self.data[offset:offset + size]

    def symbols(self) -> list[str]:
        table, strings = self.content('.symtab'), self.content('.strtab')
        return [_string(strings, struct.unpack_from('<I', table, at)[0]) for at in range(0, len(table), 24)]


def _string(data: bytes, at: int) -> str:
    return data[at:data.index(b'\0', at)].decode()


def _cubin_kernels(data: bytes) -> list[Kernel]:
    elf = Elf(data)
    # The architecture's bits in the flags depend on the ABI.
    arch = elf.flags >> 8 & 0xFF if data[8] >= 8 else elf.flags & 0xFF
    frames = collections.defaultdict(int)
    registers = {}
    symbols = elf.symbols()
    for attribute, value in _info(elf.content('.nv.info')):
        if attribute in (0x11, 0x2F) and len(value) == 8:
            symbol, number = struct.unpack('<II', value)
            (frames if attribute == 0x11 else registers)[symbols[symbol]] = number
    kernels = []
    for name in elf.sections:
        if name.startswith('.text.'):
            kernel = name[len('.text.'):]
            kernels.append(Kernel(kernel, arch, elf.content(name), registers.get(kernel), frames[kernel]))
    return kernels


def _info(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Attributes of an .nv.info section: (number, value)."""
    at = 0
    while at + 4 <= len(data):
        form, attribute, size = data[at], data[at + 1], struct.unpack_from('<H', data, at + 2)[0]
        at += 4
        if form == 4:
            yield attribute, data[at:at + size]
            at += size


def _fatbin_cubins(data: bytes) -> Iterator[bytes]:
    at = 0
    while True:
        at = data.find(struct.pack('<I', FATBIN_MAGIC), at)
        if at < 0:
            return
        header, size = struct.unpack_from('<HQ', data, at + 6)
        end = at + header + size
        at += header
        while at < end:
            kind, _, header, size = struct.unpack_from('<HHIQ', data, at)
            payload = data[at + header:at + header + size]
            if kind == 2:
                if payload[:4] != b'\x7fELF':
                    raise ValueError("compressed machine code: build it with nvcc's -no-compress")
                yield payload
            at += header + size


def kernels(path: str | os.PathLike[str]) -> list[Kernel]:
    """Kernels of a cubin or an .nv_fatbin section; each name once for each architecture."""
    with open(path, 'rb') as file:
        data = file.read()
    elf = Elf(data)
    if elf.machine == EM_CUDA:
        return _cubin_kernels(data)
    if '.nv_fatbin' not in elf.sections:
        raise ValueError(f'{path} holds no device code')
    return [kernel for cubin in _fatbin_cubins(elf.content('.nv_fatbin')) for kernel in _cubin_kernels(cubin)]
