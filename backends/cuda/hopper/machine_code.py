"""Reads and changes machine code of NVIDIA GPUs in a cubin: 128 bits an instruction, in Volta's encoding, which
Hopper still has.

Bits 0-11 opcode, 16-23 target, 24-31 and 32-39 registers a and b, 64-71 register c, 105-125 control (stall, yield,
scoreboards, reuse)."""

import struct

ZERO = 255  # the register that is always 0
FFMA, LDS128, MOV, NOP, BRANCH, PMTRIG, SETMAXREG = 0x223, 0x984, 0x202, 0x918, 0x947, 0x801, 0x9C8
ISETP_UNIFORM, ISETP, UNIFORM_MOV, IMAD_MOV = 0xC0C, 0x20C, 0xC82, 0x224


class Refusal(Exception):
    """The kernel is not as expected."""


def require(condition, text):
    if not condition:
        raise Refusal(text)


class Instruction:
    def __init__(self, low, high):
        self.low, self.high = low, high

    opcode = property(lambda self: self.low & 0xFFF)
    target = property(lambda self: self.low >> 16 & 0xFF)
    a = property(lambda self: self.low >> 24 & 0xFF)
    b = property(lambda self: self.low >> 32 & 0xFF)
    c = property(lambda self: self.high & 0xFF)
    immediate = property(lambda self: self.low >> 32 & 0xFFFF)
    scoreboard = property(lambda self: self.high >> 46 & 7)  # set when the target is written
    waits = property(lambda self: self.high >> 52 & 0x3F)
    address = property(lambda self: (self.a, self.b, self.low >> 40))  # LDS: register, uniform register, offset

    def branch_target(self, place):
        offset = (self.low >> 34) << 8 | self.low >> 16 & 0xFF
        offset &= (1 << 38) - 1
        if offset >> 37:
            offset -= 1 << 38
        return place + 1 + offset // 4

    def waiting(self, scoreboards):
        return Instruction(self.low, self.high | scoreboards << 52)

    def branch_from(self, earlier):
        """The branch to the same target, `earlier` places earlier."""
        offset = ((self.low >> 34) << 8 | self.low >> 16 & 0xFF) + 4 * earlier
        offset = offset >> 8 << 34 & (1 << 64) - 1 | (offset & 0xFF) << 16
        return Instruction(self.low & 0x3FF00FFFF | offset, self.high)


def control(stall=1, can_yield=True, write=7, waits=0):
    return (stall | can_yield << 4 | write << 5 | 7 << 8 | waits << 11) << 41


def ffma(accumulator, a, b, reuse, waits):
    """accumulator += a * b; reuse: bit 0 keeps a for the next one, bit 1 keeps b."""
    return Instruction(0x7000 | FFMA | accumulator << 16 | a << 24 | b << 32,
                       accumulator | reuse << 58 | control(waits=waits))


def mov(target, source, stall):
    return Instruction(0x7000 | MOV | target << 16 | source << 32, 0xF00 | control(stall=stall))


def nop():
    return Instruction(0x7000 | NOP, control())


def kernels_of(data, prefix):
    """The kernels of a cubin (ELF, 64 bits) by name."""
    table, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
    found = {}
    for section in sections:
        start = sections[names][4] + section[0]
        name = data[start:data.index(0, start)].decode()
        if name.startswith(".text." + prefix):
            found[name[len(".text."):]] = Kernel(data, section[4], section[5] // 16)
    require(found, f"there is no kernel {prefix}")
    return found


class Kernel:
    def __init__(self, data, offset, count):
        self.data, self.offset, self.count = data, offset, count

    def __getitem__(self, place):
        return Instruction(*struct.unpack_from("<QQ", self.data, self.offset + 16 * place))

    def __setitem__(self, place, instruction):
        struct.pack_into("<QQ", self.data, self.offset + 16 * place, instruction.low, instruction.high)

    def hot_loop(self):
        """Start and end of the basic block with most FFMA."""
        code = [self[i] for i in range(self.count)]
        branches = [i for i, x in enumerate(code) if x.opcode == BRANCH]
        edges = {0} | {i + 1 for i in branches} | {code[i].branch_target(i) for i in branches}
        starts = sorted(edge for edge in edges if 0 <= edge < self.count)
        blocks = zip(starts, starts[1:] + [self.count])
        start, end = max(blocks, key=lambda block: sum(x.opcode == FFMA for x in code[block[0]:block[1]]))
        require(code[end - 1].opcode == BRANCH and code[end - 1].branch_target(end - 1) <= start, "no loop found")
        return start, end
