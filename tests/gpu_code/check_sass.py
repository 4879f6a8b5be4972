#!/usr/bin/env python3
"""Static gate over the machine code of the CUDA kernels.

    check_sass.py [--rows rows.h] [--expectations FILE.json] [--list] FILE...

FILE: libsgemm_cuda.so, an object file or a cubin. Every row of rows.h needs an entry in the expectations, and every
kernel must belong to a row (the longest row name in its symbol) or to an entry of "helpers". --list prints what was
measured instead of checking it: where a new row's entry comes from.

No kernel may use local memory, for spills or arrays. An entry may ask for more:
    registers    at most so many
    ffma         least share of FFMAs in the hot loop, the innermost loop with the most of them
    three_fresh  greatest share of the hot loop's FFMAs that fetch three registers, because none is kept in the operand
                 cache; each costs nearly two issue slots. Checked from sm_86 on: before, an FFMA takes two
                 cycles anyway
    loop         instructions that the hot loop must hold, such as "LDS.128"
    code         instructions that the kernel must hold
    never        instructions that it must not hold
    from, to     the architectures that the entry is for; below and above them the kernel is not checked. "from" is
                 the architecture in the row's name unless it is given
    kernels      0 for a row that launches other rows' kernels only
    variants     entries for kernels whose symbol holds the key, in place of what this entry says
"""
import argparse
import json
import pathlib
import re
import sys

import sass

HERE = pathlib.Path(__file__).resolve().parent
FULL_RATE = 86  # the first architecture that issues an FFMA in every cycle
KEYS = {'registers', 'ffma', 'three_fresh', 'loop', 'code', 'never', 'from', 'to', 'kernels', 'variants'}


def row_names(path):
    return re.findall(r'^\s*X\((\w+)\)', pathlib.Path(path).read_text(), flags=re.M)


class Measured:
    """What counts about one kernel."""

    def __init__(self, kernel):
        loop = kernel.hot_loop()
        self.loop_length = len(loop)
        self.ffmas = kernel.count('FFMA', where=loop) if loop else 0
        self.ffma = self.ffmas / len(loop) if loop else 0.0
        self.three_fresh = sum(reads >= 3 for reads in sass.fresh_reads(loop)) / max(self.ffmas, 1)
        self.loop = {spelling for i in loop for spelling in spellings(i)}
        self.code = {spelling for i in kernel.instructions for spelling in spellings(i)}

    def __str__(self):
        loads = ' '.join(sorted(s for s in self.code if '.' in s))
        return f'loop {self.loop_length}, FFMA {self.ffma:.3f}, three fresh {self.three_fresh:.3f}, {loads}'


def spellings(instruction):
    """LDS.128 is found as LDS and as LDS.128."""
    if not instruction.name:
        return []
    return [instruction.name] + ([f'{instruction.name}.{instruction.width}'] if instruction.width else [])


def owner(symbol, names):
    """The row or helper that a kernel belongs to."""
    return max((name for name in names if name in symbol), key=len, default=None)


def problems_of(kernel, entry):
    measured = Measured(kernel)
    local = kernel.count('LDL') + kernel.count('STL')
    if local:
        yield f'{local} accesses of local memory (a spill, or an array that is indexed at run time)'
    if kernel.frame:
        yield f'a stack frame of {kernel.frame} bytes'
    if kernel.registers is not None and kernel.registers > entry.get('registers', 255):
        yield f"{kernel.registers} registers, at most {entry['registers']} expected"
    if measured.ffma < entry.get('ffma', 0):
        yield (f"the hot loop is {measured.ffma:.3f} FFMA ({measured.ffmas} of {measured.loop_length}), "
               f"at least {entry['ffma']} expected")
    if kernel.arch >= FULL_RATE and measured.three_fresh > entry.get('three_fresh', 1):
        yield (f"{measured.three_fresh:.3f} of the hot loop's FFMAs fetch three registers, "
               f"at most {entry['three_fresh']} expected")
    for spelling in entry.get('loop', []):
        if spelling not in measured.loop:
            yield f'no {spelling} in the hot loop'
    for spelling in entry.get('code', []):
        if spelling not in measured.code:
            yield f'no {spelling}'
    for spelling in entry.get('never', []):
        if spelling in measured.code:
            yield f'{spelling}, which is not meant'


def first_architecture(name):
    match = re.match(r'sm(\d+)_', name)
    return int(match.group(1)) if match else 0


def check(kernels, rows, expectations):
    """All problems, as lines; and the number of kernels that were checked."""
    entries = {**expectations['rows'], **expectations.get('helpers', {})}
    for name, entry in entries.items():
        for key in sorted(set(entry) - KEYS):
            yield f'{name}: unknown key {key}'
    for name in rows:
        if name not in expectations['rows']:
            yield f'{name}: a row without an expectation'
    for name in expectations['rows']:
        if name not in rows:
            yield f'{name}: an expectation without a row'
    seen = set()
    for kernel in kernels:
        name = owner(kernel.name, entries)
        if name is None:
            yield f'{kernel.name}: belongs to no row and no helper'
            continue
        entry = entries[name]
        for part, variant in entry.get('variants', {}).items():
            if part in kernel.name:
                entry = {**entry, **variant}
        seen.add(name)
        if not entry.get('from', first_architecture(name)) <= kernel.arch <= entry.get('to', 999):
            continue
        for problem in problems_of(kernel, entry):
            yield f'{name}: sm_{kernel.arch}: {problem}\n    {kernel.name}'
    for name, entry in entries.items():
        if entry.get('kernels') == 0:
            if name in seen:
                yield f'{name}: has a kernel, none expected'
        elif name not in seen:
            yield f'{name}: no kernel'


def list_kernels(kernels, names):
    for kernel in sorted(kernels, key=lambda k: (owner(k.name, names) or '', k.arch)):
        local = kernel.count('LDL') + kernel.count('STL')
        print(f'{owner(kernel.name, names) or kernel.name} sm_{kernel.arch}: {kernel.registers} registers, '
              f'frame {kernel.frame}, local {local}, {Measured(kernel)}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('files', nargs='+')
    parser.add_argument('--rows', default=HERE.parents[1] / 'backends/cuda/rows.h')
    parser.add_argument('--expectations', default=HERE / 'expectations.json')
    parser.add_argument('--list', action='store_true')
    arguments = parser.parse_args()
    rows = row_names(arguments.rows)
    expectations = json.loads(pathlib.Path(arguments.expectations).read_text())
    try:
        kernels = [kernel for file in arguments.files for kernel in sass.kernels(file)]
    except ValueError as error:
        sys.exit(str(error))
    if arguments.list:
        list_kernels(kernels, list(expectations['rows']) + list(expectations.get('helpers', {})) + rows)
        return
    problems = list(check(kernels, rows, expectations))
    if problems:
        sys.exit('\n'.join(problems) + f'\n{len(problems)} problems in {len(kernels)} kernels')
    print(f'{len(kernels)} kernels of {len(rows)} rows are as expected')


if __name__ == '__main__':
    main()
