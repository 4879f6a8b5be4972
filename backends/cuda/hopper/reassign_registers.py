#!/usr/bin/env python3
"""Reassigns the registers of a compiled kernel's hot loop, and orders its instructions.

    reassign_registers.py IN.cubin OUT.cubin NAME

changes all kernels whose names begin with NAME.

The loops of outer_product.cuh are 8 steps of an outer product of 16 elements of A and 8 of B: 1024 FFMA and 48 LDS.128.
Costs (H100, eight warps on a multiprocessor; FFMA alone reach 65 TFLOP/s):

  - An FFMA with three fresh operands takes 0.7 cycle more (57.9 TFLOP/s in row order). So each finds one operand in the
    reuse cache: one factor stays for a run of products, the other one at each turn of a serpentine.
  - Accumulators in registers of one parity, hence one bank, are slower still (45.8). So an accumulator's parity is
    never that of the factor that changes with it.
  - A load between two FFMA empties the reuse cache. So loads stand where a factor changes.
  - Loads in a row wait for one another: 4096 x 4096 x 4096 reaches 55.8 TFLOP/s with single loads, 54.1 with pairs,
    53.2 with sixes.

The compiler does not let one choose registers, so this program changes machine code. It finds the loop and rewrites it,
with the same registers of A, B and the accumulators at its head. Pairs of accumulators trade places for their parity;
moves, in place of the `pmevent`s after the loop, undo that. Then it follows the values through both loops: every
accumulator must receive the same products in the same order, every load must come from the same place of the ring, and
other moves must remain.

A kernel that is not as expected is refused: OUT is then empty, and the library uses the compiler's code.
"""

import argparse
import collections
import pathlib
import sys

from machine_code import (BRANCH, FFMA, IMAD_MOV, ISETP, ISETP_UNIFORM, LDS128, MOV, PMTRIG, SETMAXREG, UNIFORM_MOV,
                          ZERO, Instruction, Refusal, control, ffma, kernels_of, mov, nop, require)

LAUNCHED_REGISTERS = 168  # per thread; 128 threads supply, twice as many multiply
RESERVED_REGISTERS = 2  # the last ones, which no instruction may name
MOST_IN_WRONG_BANK = 8  # accumulators, if the compiler gave one bank more than the other
ROWS, COLUMNS = 16, 8  # per thread
LOADED = (0, 1)  # scoreboards of the two sets of registers; AlongK: those of A
B_LOADED = (2, 3, 4, 5)  # AlongK: scoreboards of four steps of B
ALL_SCOREBOARDS = 0x3F
MOVE_LATENCY = 6


class Values:
    """Contents of registers, as expressions of what they held at first."""

    def __init__(self):
        self.held = {}

    def __getitem__(self, register):
        return self.held.get(register, ("before", register))

    def follow(self, instruction, home=lambda register: register):
        """`home` renames an accumulator's first register."""
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
        elif x.opcode == IMAD_MOV:
            require(x.a == x.b == ZERO, "a product of integers in the loop")
            self.held[x.target] = self[x.c]


class Loop:
    """The outer products of a loop: which values meet in which accumulator."""

    def __init__(self, code):
        self.code = code
        self.loads = {x.address: x for x in code if x.opcode == LDS128}
        products = sum(x.opcode == FFMA for x in code)
        self.steps = products // (ROWS * COLUMNS)
        require(self.steps == 8 and products == ROWS * COLUMNS * self.steps, f"{products} FFMA in the loop")
        require(len(self.loads) == 6 * self.steps, f"{len(self.loads)} LDS.128 in the loop")
        self.values = Values()
        for x in code:
            self.values.follow(x)
        self.chains = {}  # accumulator: its products
        for register, value in self.values.held.items():
            if value[0] == "sum" and value[1] == register and len(value[2]) == self.steps:
                self.chains[register] = value[2]
        require(len(self.chains) == ROWS * COLUMNS, f"{len(self.chains)} accumulators keep their registers")
        complete = sum(value[0] == "sum" and len(value[2]) == self.steps for value in self.values.held.values())
        require(complete == len(self.chains), "a sum in a second register")
        self.find_places()
        self.find_others()

    def find_others(self):
        """Finds other instructions to keep; moves of factors and of sums are not needed."""
        factors = {value for step in self.factors for values in step for value in values}
        values, self.others, self.kept = Values(), [], {}
        for x in self.code[:-1]:
            values.follow(x)
            if x.opcode in (MOV, IMAD_MOV):
                value = values[x.target]
                if value in factors or value[0] != "before":
                    continue
                require(x.target not in self.chains, "an accumulator is lost")
                self.kept[x.target] = value
                self.others.append(x)
            elif x.opcode not in (FFMA, LDS128):
                require(x.opcode in (ISETP_UNIFORM, ISETP, UNIFORM_MOV), f"opcode {x.opcode:#x} in the loop")
                self.others.append(x)

    def find_places(self):
        """The place (i, j) of each accumulator, and the factors of each step."""
        count = collections.Counter(value for chain in self.chains.values() for value in chain[0])
        # "before" sorts first: what the loop finds in registers.
        a = sorted(value for value in count if count[value] == COLUMNS)
        b = sorted(value for value in count if count[value] == ROWS)
        require(len(a) == ROWS and len(b) == COLUMNS, "the first products are not an outer product")
        self.places = {}
        for register, chain in self.chains.items():
            i, = (i for i, value in enumerate(a) if value in chain[0])
            j, = (j for j, value in enumerate(b) if value in chain[0])
            self.places[register] = (i, j)
        require(len(set(self.places.values())) == ROWS * COLUMNS, "two accumulators in one place")
        self.factors = [self.factors_of(step) for step in range(self.steps)]

    def factors_of(self, step):
        a, b = [None] * ROWS, [None] * COLUMNS
        for register, (i, j) in self.places.items():
            product = self.chains[register][step]
            a[i] = product if a[i] is None else a[i] & product
            b[j] = product if b[j] is None else b[j] & product
        require(all(len(value) == 1 for value in a + b), f"step {step} is not an outer product")
        return [next(iter(value)) for value in a], [next(iter(value)) for value in b]

    def load(self, target, value, scoreboard):
        """The load that begins with `value`, to another quad of registers."""
        require(value[0] == "load" and value[2] == 0, "a factor is not the first of a load")
        x = self.loads[value[1]]
        return Instruction(x.low & ~(0xFF << 16) | target << 16, x.high & (1 << 41) - 1 | control(write=scoreboard))


def quads_of(values):
    """The first registers of quads that the loop finds filled."""
    registers = [value[1] for value in values]
    for quad in range(0, len(registers), 4):
        require(values[quad][0] == "before" and registers[quad] % 4 == 0 and
                registers[quad:quad + 4] == list(range(registers[quad], registers[quad] + 4)), "no quads of A and B")
    return registers


class StepByStep(Loop):
    """A and B come step by step of k, alternately to two sets of registers; an element of B stays for the 16 rows.

    The second sets are registers above those that the compiler was allowed."""

    def __init__(self, code, compiled, most):
        super().__init__(code)
        a, b = quads_of(self.factors[0][0]), quads_of(self.factors[0][1])
        self.held = a + b  # filled at the loop's head
        spare = list(range(compiled, compiled + ROWS + COLUMNS))
        self.spare = spare[::4]
        require(spare[-1] < most - RESERVED_REGISTERS, "too few registers to spare")
        self.a_sets, self.b_sets = (a, spare[:ROWS]), (b, spare[ROWS:ROWS + COLUMNS])

    def bank(self, place):
        """The parity that the accumulator should have."""
        return 1 - self.a_sets[0][place[0]] % 2

    def schedule(self, registers):
        """Instructions in their new order; an FFMA is (accumulator, a, b, scoreboards to wait for)."""
        others = list(self.others)
        order = []
        for step in range(self.steps):
            now, then = step % 2, 1 - step % 2
            if step == self.steps - 1:
                a, b = [self.values[r] for r in self.a_sets[0]], [self.values[r] for r in self.b_sets[0]]
            else:
                a, b = self.factors[step + 1]
            wanted = [(self.b_sets[then][4 * quad], b[4 * quad]) for quad in range(2)]
            wanted += [(self.a_sets[then][4 * quad], a[4 * quad]) for quad in range(4)]
            for j in range(COLUMNS):
                if j < len(wanted):
                    order.append(self.load(*wanted[j], LOADED[now]))
                for n in range(ROWS):
                    if n in (4, 12) and j >= 6 and others and step >= self.steps - 2:
                        order.append(others.pop(0))
                    i = n if j % 2 == 0 else ROWS - 1 - n
                    waits = 1 << LOADED[1 - now] if n == 0 and j == 0 else 0
                    order.append((registers[i, j], self.a_sets[now][i], self.b_sets[now][j], waits))
        require(not others, "too many other instructions in the loop")
        return order


class AlongK(Loop):
    """A load brings four steps of a row of A. Groups of four rows go alternately to two sets of registers.

    An element of A stays for the 8 columns, four steps of B for all groups; their registers are loaded again while the
    last group uses them. B changes with the accumulator, so the two are in different banks. The second set of A
    consists of registers that hold used factors at the loop's end, or are above those that the compiler was allowed."""

    GROUP = 4  # rows
    # Order of the columns in even and in odd steps: where A changes and B stays, the column's parity is A's.
    COLUMNS_OF = ((0, 1, 2, 3, 4, 5, 7, 6), (1, 0, 2, 3, 4, 5, 6, 7))
    # Loads before the products of (step, row) of a group: rows of A for the next group, halves of B for the next four
    # steps.
    MIDDLE = {(0, 0): "A0", (1, 0): "A1", (2, 0): "A2", (3, 0): "A3"}
    LAST = {(0, 0): "A0", (0, 2): "A1", (1, 0): "B0", (1, 2): "A2", (2, 0): "B1", (2, 2): "A3", (3, 0): "B2",
            (3, 2): "B3"}
    FIRST = {(0, 0): "B4", (0, 2): "B5", (1, 0): "B6", (1, 1): "A0", (1, 2): "B7", (2, 0): "A1", (2, 2): "A2",
             (3, 0): "A3"}
    # (4, 0) and (4, 1) follow all products.
    LAST_OF_PASS = {(0, 0): "A0", (0, 2): "A1", (1, 0): "B0", (1, 1): "A2", (1, 2): "B1", (2, 0): "B2", (2, 1): "A3",
                    (2, 2): "B3", (3, 0): "B4", (3, 2): "B5", (4, 0): "B6", (4, 1): "B7"}

    def __init__(self, code, compiled, most):
        super().__init__(code)
        self.group_rows()
        self.b = [quads_of(self.factors[step][1]) for step in range(4)]
        self.held = [quad + element for quad in self.first_quads for element in range(4)] + sum(self.b, [])
        self.spare = self.quads_to_spare()
        self.spare += range(compiled, most - RESERVED_REGISTERS - 3, 4)
        require(len(self.spare) >= self.GROUP, f"{len(self.spare)} quads to spare")
        self.a_sets = (self.first_quads, self.spare[:self.GROUP])

    def group_rows(self):
        """Groups the rows; those that the loop finds in registers come first."""
        for row in range(ROWS):
            for quad in range(0, self.steps, 4):
                values = [self.factors[quad + step][0][row] for step in range(4)]
                kinds = {(value[0], value[1] if value[0] == "load" else value[1] // 4) for value in values}
                last = [value[2] if value[0] == "load" else value[1] % 4 for value in values]
                require(len(kinds) == 1 and last == [0, 1, 2, 3], "four steps of a row are not one load")
        first = [row for row in range(ROWS) if self.factors[0][0][row][0] == "before"]
        require(len(first) == self.GROUP, f"{len(first)} rows at the loop's head")
        self.first_quads = [self.factors[0][0][row][1] for row in first]
        rows = first + [row for row in range(ROWS) if row not in first]
        self.groups = [rows[start:start + self.GROUP] for start in range(0, ROWS, self.GROUP)]

    def quads_to_spare(self):
        """Quads that hold used factors when the compiled loop ends."""
        wanted = {self.values[register] for register in self.held}
        values = {quad: [self.values[quad + element] for element in range(4)] for quad in range(0, ZERO - 3, 4)}
        return [quad for quad, four in values.items()
                if all(value[0] == "load" and value not in wanted for value in four)]

    def bank(self, place):
        return 1 - self.b[0][place[1]] % 2

    def load_a(self, turn, row):
        """The load of a row of A; a turn is a group of rows in four steps."""
        target = self.a_sets[turn % 2][row]
        quad, group = divmod(turn, len(self.groups))
        if 4 * quad == self.steps:
            return self.load(target, self.values[target], LOADED[0])
        return self.load(target, self.factors[4 * quad][0][self.groups[group][row]], LOADED[turn % 2])

    def load_b(self, step, half):
        """The load of half the columns of B."""
        into = self.b[step % 4]
        values = [self.values[register] for register in into] if step >= self.steps else self.factors[step][1]
        values = values[4 * half:4 * half + 4]
        for element, value in enumerate(values):
            require(value == values[0][:2] + (element,), "columns of B trade places")
        return self.load(into[4 * half], values[0], B_LOADED[step % 4])

    def schedule(self, registers):
        """Like StepByStep.schedule()."""
        groups = len(self.groups)
        turns = groups * self.steps // 4
        others = list(self.others)
        order = []
        for turn in range(turns):
            group = turn % groups
            next_step = 4 * ((turn - 1) // groups + 1)  # first step that the loads of B are for
            loads = (self.LAST_OF_PASS if turn == turns - 1 else self.MIDDLE if turn == 0 else
                     self.FIRST if group == 0 else self.LAST if group == groups - 1 else self.MIDDLE)
            for step, n in [(step, n) for step in range(4) for n in range(self.GROUP)] + [(4, 0), (4, 1)]:
                kind, number = loads.get((step, n), "-0")
                if kind == "A":
                    order.append(self.load_a(turn + 1, int(number)))
                elif kind == "B":
                    order.append(self.load_b(next_step + int(number) // 2, int(number) % 2))
                if step == 4:
                    continue
                if turn == turns - 1 and n == 0 and step > 0:
                    order += others[:2]
                    del others[:2]
                waits = 1 << LOADED[turn % 2] if step == n == 0 else 0
                if group == n == 0:
                    waits |= 1 << B_LOADED[step]
                columns = self.COLUMNS_OF[step % 2]
                for j in columns if n % 2 == 0 else reversed(columns):
                    row = self.groups[group][n]
                    order.append((registers[row, j], self.a_sets[turn % 2][n] + step, self.b[step][j], waits))
                    waits = 0
        require(not others, "too many other instructions in the loop")
        return order


def trade_places(loop, most):
    """Registers of accumulators by place, and the trades of pairs that bring them to their banks."""
    registers = {place: register for register, place in loop.places.items()}
    wrong = [[place for place in registers if registers[place] % 2 == parity != loop.bank(place)] for parity in (0, 1)]
    trades = []
    for one, other in list(zip(*wrong))[:most]:
        trades.append((registers[one], registers[other]))
        registers[one], registers[other] = registers[other], registers[one]
    return registers, trades


def undo(trades, quads):
    """Moves that bring traded accumulators back."""
    spare = [quad + element for quad in quads for element in range(4)]
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


def emit(loop, order):
    """Machine code of the order, with reuse flags."""
    code = []
    for place, entry in enumerate(order):
        if isinstance(entry, Instruction):
            code.append(entry)
            continue
        accumulator, a, b, waits = entry
        following = next((x for x in order[place + 1:place + 8] if not isinstance(x, Instruction)), None)
        reuse = 0 if following is None else (following[1] == a) | (following[2] == b) << 1
        code.append(ffma(accumulator, a, b, reuse, waits))
    saved = len(loop.code) - len(code) - 1
    code.append(loop.code[-1].branch_from(saved))
    return code + [nop()] * saved


def ring_reads(code):
    """For each address, how often its uniform register has changed before each load."""
    changes, reads = collections.Counter(), collections.defaultdict(list)
    for x in code:
        if x.opcode == LDS128:
            reads[x.address].append(changes[x.b])
        elif x.opcode == UNIFORM_MOV:
            changes[x.target] += 1
    return reads


def verify(loop, code, registers):
    """Compares the values of the new loop with those of the compiled one."""
    homes = {register: place for register, place in loop.places.items()}
    home_of = {register: home for home, place in homes.items() for register in (registers[place],)}
    pending = {}
    for x in code + code:  # some loads of a pass end in the next pass
        for register in [r for r, scoreboard in pending.items() if x.waits >> scoreboard & 1]:
            del pending[register]
        if x.opcode == FFMA:
            require(not {x.a, x.b, x.c, x.target} & pending.keys(), "a factor is used before it is loaded")
        if x.opcode == LDS128:
            pending.update({x.target + element: x.scoreboard for element in range(4)})
    values = Values()
    for x in code:
        values.follow(x, lambda register: home_of.get(register, register))
    for home, chain in loop.chains.items():
        require(values[registers[homes[home]]] == ("sum", home, chain), "an accumulator differs")
    for register in loop.held:
        require(values[register] == loop.values[register], "a factor for the next pass differs")
    for register, value in loop.kept.items():
        require(values[register] == value == loop.values[register], "a move differs")
    require(ring_reads(code) == ring_reads(loop.code), "a load comes from another place of the ring")
    require(len(code) == len(loop.code), "another length")


def reassign(kernel, along_k):
    """Changes the kernel in place; returns a line about it."""
    start, end = kernel.hot_loop()
    limits = sorted((kernel[i].immediate, i) for i in range(kernel.count) if kernel[i].opcode == SETMAXREG)
    require(len(limits) == 2, f"{len(limits)} setmaxnreg")
    (supplier, _), (compiled, raised) = limits
    most = (3 * LAUNCHED_REGISTERS - supplier) // 2
    loop = (AlongK if along_k else StepByStep)([kernel[i] for i in range(start, end)], compiled, most)
    used = {register for x in loop.code if x.opcode in (FFMA, LDS128) for register in (x.target, x.a)}
    require(max(used) < compiled, "more registers than allowed")
    slots = []
    place = end
    while place < kernel.count and kernel[place].opcode != BRANCH:
        if kernel[place].opcode == PMTRIG:
            slots.append(place)
        place += 1
    registers, trades = trade_places(loop, len(slots) // 3)
    wrong = sum(registers[place] % 2 != loop.bank(place) for place in registers)
    require(wrong <= MOST_IN_WRONG_BANK, f"{wrong} accumulators in the wrong bank, {len(slots)} slots for moves")
    code = emit(loop, loop.schedule(registers))
    verify(loop, code, registers)
    moves = undo(trades, loop.spare)
    # All loads in flight end before the loop and after it.
    entry = kernel[end - 1].branch_target(end - 1)
    jumps = [i for i in range(kernel.count) if kernel[i].opcode == BRANCH and kernel[i].branch_target(i) == entry]
    require(jumps == [end - 1] and kernel[entry - 1].opcode == UNIFORM_MOV, "the loop's entry is not as expected")
    kernel[entry - 1] = kernel[entry - 1].waiting(ALL_SCOREBOARDS)
    for offset, x in enumerate(code):
        kernel[start + offset] = x
    for slot, x in zip(slots, moves + [nop()] * (len(slots) - len(moves))):
        kernel[slot] = x
    kernel[end] = kernel[end].waiting(ALL_SCOREBOARDS)
    x = kernel[raised]
    if max(loop.spare) >= compiled:
        kernel[raised] = Instruction(x.low & ~(0xFFFF << 32) | most << 32, x.high)
    return f"{len(code)} instructions, {len(trades)} pairs of accumulators traded"


def main():
    parser = argparse.ArgumentParser(description="Deals out the registers of a kernel's hot loop again.")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("name")
    options = parser.parse_args()
    data = bytearray(options.source.read_bytes())
    name = options.name
    try:
        for name, kernel in kernels_of(data, options.name).items():
            print(f"{name}: {reassign(kernel, 'along_k' in name)}")
    except Refusal as refusal:
        print(f"reassign_registers.py: {name} stays as compiled: {refusal}", file=sys.stderr)
        data = bytearray()
    options.target.write_bytes(data)


if __name__ == "__main__":
    main()
