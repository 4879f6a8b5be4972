#!/usr/bin/env python3
"""Deals out the registers of the hot loop of a compiled kernel again, and orders its instructions.

    steer_registers.py IN.cubin OUT.cubin KERNEL...

The loop of stream_k.cuh is 8 steps of an outer product of 16 elements of A and 8 of B: 1024 FFMA and 48 LDS.128. What
costs time in it, beside the instructions themselves, is how an FFMA reads its three registers (measured on an H100,
eight warps on a multiprocessor, share of the 65 TFLOP/s that FFMA reach alone):

  - three fresh operands take 0.7 cycle more (57.9 TFLOP/s in row order): each FFMA must find one operand in the reuse
    cache. Here B stays for 16 FFMA and A for the two at each turn of a serpentine;
  - a run of accumulators in registers of one parity, hence one bank, takes more again (45.8): here the accumulator's
    parity is never that of the element of A that it meets, so that both banks are read in every cycle;
  - a load between two FFMA empties the reuse cache: here loads stand where B changes anyhow, one to a row.

The compiler does not let one choose registers, so this program changes its machine code (Volta's encoding, unchanged
to Hopper). It finds the loop, keeps the registers that A, B and the accumulators have at its head, and writes it
again: fragments alternate between these registers and six quads above those that the compiler was allowed; pairs of
accumulators trade places for their parity, which moves in the place of `pmevent`s behind the loop undo; waits for
loads are set anew. Then it follows the values through both loops and compares them: every accumulator must receive the
same products in the same order, and every load must come to the same place of the ring.

A kernel that is not as expected is refused: OUT is then empty, and the library uses what the compiler made.
"""

import argparse
import collections
import pathlib
import struct
import sys

COMPILED_REGISTERS = 192  # the setmaxnreg of the compiled kernel (StreamKShape)
STEERED_REGISTERS = 224
FRAGMENTS = list(range(COMPILED_REGISTERS, COMPILED_REGISTERS + 24, 4))  # quads for the other set of A and B
ROWS, COLUMNS = 16, 8  # of a thread

FFMA, LDS128, MOV, NOP, BRANCH, PMTRIG, SETMAXREG = 0x223, 0x984, 0x202, 0x918, 0x947, 0x801, 0x9C8
ISETP_UNIFORM, ISETP, UNIFORM_MOV = 0xC0C, 0x20C, 0xC82
LOADED = (0, 1)  # scoreboards of the two sets of fragments
MOVE_LATENCY = 6


class Refusal(Exception):
    """The kernel is not as expected."""


def require(condition, text):
    if not condition:
        raise Refusal(text)


class Instruction:
    """128 bits of machine code."""

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
    address = property(lambda self: (self.a, self.b, self.low >> 40))  # of LDS: register, uniform register, offset

    def branch_target(self, place):
        """Where a branch at `place` leads."""
        offset = (self.low >> 34) << 8 | self.low >> 16 & 0xFF
        offset &= (1 << 38) - 1
        if offset >> 37:
            offset -= 1 << 38
        return place + 1 + offset // 4


    def branch_from(self, earlier):
        """The branch, so many places earlier, to the same target."""
        offset = ((self.low >> 34) << 8 | self.low >> 16 & 0xFF) + 4 * earlier
        return Instruction(self.low & 0x3FF00FFFF | offset >> 8 << 34 & (1 << 64) - 1 | (offset & 0xFF) << 16, self.high)


def control(stall=1, can_yield=True, write=7, waits=0):
    return (stall | can_yield << 4 | write << 5 | 7 << 8 | waits << 11) << 41


def ffma(accumulator, a, b, reuse, waits):
    """accumulator += a * b; reuse: bit 0 keeps a, bit 1 keeps b for the next."""
    return Instruction(0x7000 | FFMA | accumulator << 16 | a << 24 | b << 32,
                       accumulator | reuse << 58 | control(waits=waits))


def mov(target, source, stall):
    return Instruction(0x7000 | MOV | target << 16 | source << 32, 0xF00 | control(stall=stall))


def nop():
    return Instruction(0x7000 | NOP, control())


class Kernel:
    """The machine code of one kernel in the bytes of a cubin (ELF, 64 bits)."""

    def __init__(self, data, name):
        self.data = data
        table, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
        texts = sections[names][4]
        for section in sections:
            start = texts + section[0]
            if data[start:data.index(0, start)] == b".text." + name.encode():
                self.offset, self.count = section[4], section[5] // 16
                return
        raise Refusal("there is no such kernel")

    def __getitem__(self, place):
        return Instruction(*struct.unpack_from("<QQ", self.data, self.offset + 16 * place))

    def __setitem__(self, place, instruction):
        struct.pack_into("<QQ", self.data, self.offset + 16 * place, instruction.low, instruction.high)

    def hot_loop(self):
        """First place and end of the block with most FFMA, which must end in a branch back."""
        code = [self[i] for i in range(self.count)]
        branches = [i for i, x in enumerate(code) if x.opcode == BRANCH]
        edges = {0} | {i + 1 for i in branches} | {code[i].branch_target(i) for i in branches}
        starts = sorted(edge for edge in edges if 0 <= edge < self.count)
        blocks = zip(starts, starts[1:] + [self.count])
        start, end = max(blocks, key=lambda block: sum(x.opcode == FFMA for x in code[block[0]:block[1]]))
        require(code[end - 1].opcode == BRANCH and code[end - 1].branch_target(end - 1) <= start, "no loop found")
        return start, end


class Values:
    """What registers hold after the instructions so far, as expressions of what they held before."""

    def __init__(self):
        self.held = {}

    def __getitem__(self, register):
        return self.held.get(register, ("before", register))

    def follow(self, instruction, home=lambda register: register):
        """`home` renames the register that an accumulator had before."""
        x = instruction
        if x.opcode == FFMA:
            a, b, total = self[x.a], self[x.b], self[x.c]
            require(a[0] != "sum" and b[0] != "sum", "an accumulator is a factor")
            if total[0] == "before":
                total = ("sum", home(total[1]), ())
            require(total[0] == "sum", "a product is added to what is not an accumulator")
            self.held[x.target] = ("sum", total[1], total[2] + (frozenset((a, b)),))
        elif x.opcode == LDS128:
            for element in range(4):
                self.held[x.target + element] = ("load", x.address, element)
        elif x.opcode == MOV:
            self.held[x.target] = self[x.b]


class Loop:
    """The outer products of a loop: which values meet in which accumulator."""

    def __init__(self, code):
        self.code = code
        self.loads = [x for x in code if x.opcode == LDS128]
        self.others = [x for x in code[:-1] if x.opcode not in (FFMA, LDS128, MOV)]  # moves are not needed
        products = sum(x.opcode == FFMA for x in code)
        self.steps = products // (ROWS * COLUMNS)
        require(self.steps % 2 == 0 and products == ROWS * COLUMNS * self.steps, f"{products} FFMA in the loop")
        require(len(self.loads) == 6 * self.steps, f"{len(self.loads)} LDS.128 in the loop")
        for x in self.others:
            require(x.opcode in (ISETP_UNIFORM, ISETP, UNIFORM_MOV), f"opcode {x.opcode:#x} in the loop")
        self.values = Values()
        for x in code:
            self.values.follow(x)
        self.chains = {}  # accumulator: its products
        for register, value in self.values.held.items():
            if value[0] == "sum" and value[1] == register and len(value[2]) == self.steps:
                self.chains[register] = value[2]
        require(len(self.chains) == ROWS * COLUMNS, f"{len(self.chains)} accumulators keep their registers")
        self.find_fragments()

    def find_fragments(self):
        """Registers of A and B at the loop's head, the place (i, j) of each accumulator, and fragments by step."""
        count = collections.Counter(value for chain in self.chains.values() for value in chain[0])
        a = sorted(value for value in count if count[value] == COLUMNS)
        b = sorted(value for value in count if count[value] == ROWS)
        require(len(a) == ROWS and len(b) == COLUMNS, "the first products are not an outer product")
        self.a, self.b = [value[1] for value in a], [value[1] for value in b]
        for registers in (self.a, self.b):
            for quad in range(0, len(registers), 4):
                require(registers[quad] % 4 == 0 and registers[quad + 3] == registers[quad] + 3, "no quads of A and B")
        self.places = {}
        for register, chain in self.chains.items():
            i, = (i for i, value in enumerate(a) if value in chain[0])
            j, = (j for j, value in enumerate(b) if value in chain[0])
            self.places[register] = (i, j)
        require(len(set(self.places.values())) == ROWS * COLUMNS, "two accumulators in one place")
        # What fills the fragments during each step: those of the step after it.
        self.next_fragments = [self.fragments(step) for step in range(1, self.steps)]
        self.next_fragments.append(([self.values[r] for r in self.a], [self.values[r] for r in self.b]))

    def fragments(self, step):
        a, b = [None] * ROWS, [None] * COLUMNS
        for register, (i, j) in self.places.items():
            product = self.chains[register][step]
            a[i] = product if a[i] is None else a[i] & product
            b[j] = product if b[j] is None else b[j] & product
        require(all(len(value) == 1 for value in a + b), f"step {step} is not an outer product")
        return [next(iter(value)) for value in a], [next(iter(value)) for value in b]


def trade_places(loop, most):
    """Registers of accumulators by place, after trades of pairs that give them the parity opposite to A's."""
    registers = {place: register for register, place in loop.places.items()}
    wrong = [[place for place in registers if registers[place] % 2 == parity and loop.a[place[0]] % 2 == parity]
             for parity in (0, 1)]
    trades = []
    for one, other in list(zip(*wrong))[:most]:
        trades.append((registers[one], registers[other]))
        registers[one], registers[other] = registers[other], registers[one]
    return registers, trades


def undo(trades):
    """Moves that bring traded accumulators back, through the registers of the second fragments."""
    spare = [quad + element for quad in FRAGMENTS for element in range(4)]
    moves = []
    for start in range(0, len(trades), len(spare)):
        group = list(zip(trades[start:start + len(spare)], spare))
        steps = [(by, one) for (one, _), by in group] + [(one, other) for (one, other), _ in group]
        steps += [(other, by) for (_, other), by in group]
        stall = 1 if len(group) > MOVE_LATENCY else MOVE_LATENCY
        moves += [mov(target, source, stall) for target, source in steps]
    if moves:
        target, source = moves[-1].target, moves[-1].b
        moves[-1] = mov(target, source, MOVE_LATENCY)
    return moves


def schedule(loop, registers):
    """The loop's instructions in their new order."""
    load_of = {x.address: x for x in loop.loads}
    quads = [[quad + element for quad in FRAGMENTS for element in range(4)][part] for part in (slice(16), slice(16, 24))]
    a_sets, b_sets = (loop.a, quads[0]), (loop.b, quads[1])
    others = list(loop.others)
    order = []  # instructions, and of FFMA (accumulator, a, b, first of its step)
    for step in range(loop.steps):
        now, then = step % 2, 1 - step % 2
        a, b = loop.next_fragments[step]
        wanted = [(b_sets[then][4 * quad], b[4 * quad]) for quad in range(2)]
        wanted += [(a_sets[then][4 * quad], a[4 * quad]) for quad in range(4)]
        for j in range(COLUMNS):
            if j < len(wanted):
                target, value = wanted[j]
                require(value[0] == "load" and value[2] == 0, "a fragment is not a load")
                x = load_of[value[1]]
                order.append(Instruction(x.low & ~(0xFF << 16) | target << 16,
                                         x.high & (1 << 41) - 1 | control(write=LOADED[now])))
            for n in range(ROWS):
                if n in (4, 12) and j >= 6 and others and step >= loop.steps - 2:
                    order.append(others.pop(0))
                i = n if j % 2 == 0 else ROWS - 1 - n
                order.append((registers[i, j], a_sets[now][i], b_sets[now][j], n == 0 and j == 0 and step))
    require(not others, "too many other instructions in the loop")
    return order


def emit(loop, order):
    """Machine code of schedule(): with reuse flags, and waits for loads."""
    before = 0
    for x in loop.code:
        before |= x.waits
    code = []
    for place, entry in enumerate(order):
        if isinstance(entry, Instruction):
            code.append(entry)
            continue
        accumulator, a, b, step = entry
        following = next((x for x in order[place + 1:place + 4] if not isinstance(x, Instruction)), None)
        reuse = 0 if following is None else (following[1] == a) | (following[2] == b) << 1
        waits = 0
        if step:  # the first of a step but of the loop's first
            waits = 1 << LOADED[(step - 1) % 2]
        if place == len(order) - 1:
            waits |= 1 << LOADED[(loop.steps - 1) % 2]
        code.append(ffma(accumulator, a, b, reuse, waits))
    first = next(place for place, x in enumerate(code) if x.opcode == FFMA)
    require(first <= 1, "the loop does not start with its products")
    code[0].high |= before << 52
    saved = len(loop.code) - len(code) - 1
    code.append(loop.code[-1].branch_from(saved))
    return code + [nop()] * saved


def ring_reads(code):
    """For each address of a load, how many times its uniform register had changed by then."""
    changes, reads = collections.Counter(), collections.defaultdict(list)
    for x in code:
        if x.opcode == LDS128:
            reads[x.address].append(changes[x.b])
        elif x.opcode == UNIFORM_MOV:
            changes[x.target] += 1
    return reads


def verify(loop, code, registers):
    """Follows the values through the new loop and compares them with the old."""
    homes = {register: place for register, place in loop.places.items()}
    home_of = {register: home for home, place in homes.items() for register in (registers[place],)}
    values, pending = Values(), {}
    for x in code:
        for register in [r for r, scoreboard in pending.items() if x.waits >> scoreboard & 1]:
            del pending[register]
        if x.opcode == FFMA:
            require(not {x.a, x.b, x.c, x.target} & pending.keys(), "a fragment is used before it is loaded")
        if x.opcode == LDS128:
            pending.update({x.target + element: x.scoreboard for element in range(4)})
        values.follow(x, lambda register: home_of.get(register, register))
    require(not pending, "a load is not waited for")
    for home, chain in loop.chains.items():
        require(values[registers[homes[home]]] == ("sum", home, chain), "an accumulator differs")
    for register in loop.a + loop.b:
        require(values[register] == loop.values[register], "a fragment for the next pass differs")
    require(ring_reads(code) == ring_reads(loop.code), "a load comes from another place of the ring")
    require(len(code) == len(loop.code), "another length")


def steer(data, name):
    """Changes the kernel in place; returns a line about it."""
    kernel = Kernel(data, name)
    start, end = kernel.hot_loop()
    loop = Loop([kernel[i] for i in range(start, end)])
    used = {register for x in loop.code if x.opcode in (FFMA, LDS128) for register in (x.target, x.a)}
    require(max(used) < COMPILED_REGISTERS, "more registers than allowed")
    slots = []
    place = end
    while place < kernel.count and kernel[place].opcode != BRANCH:
        if kernel[place].opcode == PMTRIG:
            slots.append(place)
        place += 1
    registers, trades = trade_places(loop, len(slots) // 3)
    require(all((registers[i, j] - loop.a[i]) % 2 for i, j in registers), f"too few slots for moves: {len(slots)}")
    code = emit(loop, schedule(loop, registers))
    verify(loop, code, registers)
    raised = [i for i in range(kernel.count)
              if kernel[i].opcode == SETMAXREG and kernel[i].immediate == COMPILED_REGISTERS]
    require(len(raised) == 1, "no single setmaxnreg")
    moves = undo(trades)
    for offset, x in enumerate(code):
        kernel[start + offset] = x
    for slot, x in zip(slots, moves + [nop()] * (len(slots) - len(moves))):
        kernel[slot] = x
    x = kernel[raised[0]]
    kernel[raised[0]] = Instruction(x.low & ~(0xFFFF << 32) | STEERED_REGISTERS << 32, x.high)
    return f"{len(code)} instructions, {len(trades)} pairs of accumulators traded"


def main():
    parser = argparse.ArgumentParser(description="Deals out the registers of a kernel's hot loop again.")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("kernels", nargs="+")
    options = parser.parse_args()
    data = bytearray(options.source.read_bytes())
    for name in options.kernels:
        try:
            print(f"{name}: {steer(data, name)}")
        except Refusal as refusal:
            print(f"steer_registers.py: {name} stays as compiled: {refusal}", file=sys.stderr)
            data = bytearray()
            break
    options.target.write_bytes(data)


if __name__ == "__main__":
    main()
