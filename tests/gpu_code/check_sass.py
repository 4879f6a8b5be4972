#!/usr/bin/env python3
"""Static gate over the machine code of the CUDA kernels.

    check_sass.py [--reassigned FOLDER] [--rows device_code.h] [--expectations FILE.json] [--list] FILE...

FILE: libsgemm_cuda.so, an object file or a cubin. Every row of device_code.h needs an entry in "rows" of the expectations;
every kernel must belong to a row (the longest row name in its symbol) or an entry of "helpers". FOLDER: cubins of
reassign_registers.py, one for each entry of "reassigned". --list prints measured values instead of checking, for a new
row's entry.

No kernel may use local memory (spills, arrays) unless its entry says so. The hot loop is the innermost loop with the most FFMAs, HMMAs, DMMAs
and HGMMAs; NOPs, with which the compiler separates DMMAs, do not count. An entry may hold:
    ffma, hmma, dmma, hgmma  least share in the hot loop. Rows with kernels have one; 0: the kernel does not multiply
    three_fresh   largest share of the hot loop's FFMAs that fetch three registers, none from the operand cache; each
                  costs nearly two issue slots
    one_bank      largest share that fetches two or three registers of one parity, hence from one bank
    loop, code    least numbers of instructions in the hot loop; in the kernel: {"LDS.128": 4}. LDS counts all widths,
                  "LDG.128|LD.128" either
    loop_exactly  exact numbers in the hot loop
    never         instructions that the kernel must not have
    local, frame  most accesses of local memory, and bytes of it
    from, to      first and last architecture of the kernel; by default the first is in the row's name
    kernels       0 for a row that launches only other rows' kernels
    instances     of a reassigned row: what its kernels' names add to the row's
    variants      entries for kernels whose symbol contains the key, replacing these

three_fresh and one_bank count from sm_86 on: earlier, an FFMA always takes two cycles.
"""
from __future__ import annotations

import argparse
import collections
import json
import pathlib
import re
import sys
from typing import Any, Iterable, Iterator, Optional

import sass

HERE = pathlib.Path(__file__).resolve().parent
FULL_RATE = 86  # first architecture with an FFMA a cycle
SHARES = {'ffma', 'hmma', 'dmma', 'hgmma'}
KEYS = {*SHARES, 'three_fresh', 'one_bank', 'loop', 'loop_exactly', 'code', 'never', 'from', 'to', 'kernels', 'instances', 'variants', 'local', 'frame'}

Entry = dict[str, Any]


def row_names(path: pathlib.Path) -> list[str]:
    return re.findall(r'^\s*X\((\w+)[,)]', path.read_text(), flags=re.M)


class Measured:
    def __init__(self, kernel: sass.Kernel) -> None:
        loop = [instruction for instruction in kernel.hot_loop() if instruction.name != 'NOP']
        fetched = sass.fetched_registers(loop)
        self.local = kernel.count('LDL') + kernel.count('STL')
        self.length = len(loop)
        self.ffmas = len(fetched)
        self.ffma = self.ffmas / max(len(loop), 1)
        self.hmmas = sum(instruction.name == 'HMMA' for instruction in loop)
        self.hmma = self.hmmas / max(len(loop), 1)
        self.dmmas = sum(instruction.name == 'DMMA' for instruction in loop)
        self.dmma = self.dmmas / max(len(loop), 1)
        self.hgmmas = sum(instruction.name == 'HGMMA' for instruction in loop)
        self.hgmma = self.hgmmas / max(len(loop), 1)
        self.three_fresh = sum(len(registers) >= 3 for registers in fetched) / max(self.ffmas, 1)
        self.one_bank = sum(len(registers) >= 2 and len({register % 2 for register in registers}) == 1
                            for registers in fetched) / max(self.ffmas, 1)
        self.loop = count_spellings(loop)
        self.code = count_spellings(kernel.instructions)

    def __str__(self) -> str:
        loop = ' '.join(f'{count} {spelling}' for spelling, count in sorted(self.loop.items()) if '.' in spelling or spelling == 'LDSM')
        return (f'loop {self.length}, FFMA {self.ffma:.3f}, HMMA {self.hmma:.3f}, DMMA {self.dmma:.3f}, HGMMA {self.hgmma:.3f}, three fresh {self.three_fresh:.3f}, '
                f'one bank {self.one_bank:.3f}, {loop or "no loads in the loop"}')


def count_spellings(instructions: Iterable[sass.Instruction]) -> collections.Counter[str]:
    """Counts LDS.128 as LDS and LDS.128."""
    counts: collections.Counter[str] = collections.Counter()
    for instruction in instructions:
        counts[instruction.name] += 1
        if instruction.width:
            counts[f'{instruction.name}.{instruction.width}'] += 1
    return counts


def count_of(counts: collections.Counter[str], alternatives: str) -> int:
    return sum(counts[spelling] for spelling in alternatives.split('|'))


def owner(symbol: str, names: Iterable[str]) -> Optional[str]:
    return max((name for name in names if name in symbol), key=len, default=None)


def entry_of(kernel: sass.Kernel, entry: Entry) -> Entry:
    for part, variant in entry.get('variants', {}).items():
        if part in kernel.name:
            entry = {**entry, **variant}
    return entry


def problems_of(kernel: sass.Kernel, entry: Entry) -> Iterator[str]:
    measured = Measured(kernel)
    if measured.local > entry.get('local', 0):
        yield f'{measured.local} accesses of local memory (a spill, or an array that is indexed at run time)'
    wrapping = sum(i.wraps for i in kernel.instructions)
    if wrapping:
        yield f'{wrapping} loads of parameters whose offset, of 32 KiB or more, has become negative'
    if kernel.frame > entry.get('frame', 0):
        yield f'a stack frame of {kernel.frame} bytes'
    for key, share, count in [('ffma', measured.ffma, measured.ffmas), ('hmma', measured.hmma, measured.hmmas),
                              ('dmma', measured.dmma, measured.dmmas), ('hgmma', measured.hgmma, measured.hgmmas)]:
        if share < entry.get(key, 0):
            yield (f'the hot loop is {share:.3f} {key.upper()} ({count} of {measured.length}), '
                   f'at least {entry[key]} expected')
    if kernel.arch >= FULL_RATE:
        for key, share, text in [('three_fresh', measured.three_fresh, 'fetch three registers'),
                                 ('one_bank', measured.one_bank, 'fetch from one bank only')]:
            if share > entry.get(key, 1):
                yield f"{share:.3f} of the hot loop's FFMAs {text}, at most {entry[key]} expected"
    for key, counts, place in [('loop', measured.loop, 'in the hot loop'), ('code', measured.code, 'in the kernel')]:
        for spelling, least in entry.get(key, {}).items():
            if count_of(counts, spelling) < least:
                yield f'{count_of(counts, spelling)} {spelling} {place}, at least {least} expected'
    for spelling, count in entry.get('loop_exactly', {}).items():
        if count_of(measured.loop, spelling) != count:
            yield f'{count_of(measured.loop, spelling)} {spelling} in the hot loop, exactly {count} expected'
    for spelling in entry.get('never', []):
        if count_of(measured.code, spelling):
            yield f'{spelling}, which is not meant'


def first_architecture(name: str) -> int:
    match = re.match(r'sm(\d+)_', name)
    return int(match.group(1)) if match else 0


def parts_of(entry: Entry) -> Iterator[Entry]:
    """The entry, and those that may replace parts of it."""
    yield entry
    for key in ('variants', 'on'):
        for part in entry.get(key, {}).values():
            yield from parts_of(part)


def check_expectations(rows: list[str], expectations: dict[str, dict[str, Entry]], keys: set[str],
                       shares: set[str]) -> Iterator[str]:
    """Reports keys other than these, and rows without one of `shares`."""
    for entries in expectations.values():
        for name, entry in entries.items():
            for part in parts_of(entry):
                for key in sorted(set(part) - keys):
                    yield f'{name}: unknown key {key}'
    for name in rows:
        if name not in expectations['rows']:
            yield f'{name}: a row without an expectation'
    for name, entry in expectations['rows'].items():
        if name not in rows:
            yield f'{name}: an expectation without a row'
        if not shares & set(entry) and entry.get('kernels') != 0:
            yield f'{name}: the expectation states no share of {" or ".join(sorted(shares))}'


def check(kernels: Iterable[sass.Kernel], rows: list[str], expectations: dict[str, dict[str, Entry]]) -> Iterator[str]:
    yield from check_expectations(rows, expectations, KEYS, SHARES)
    entries = {**expectations['rows'], **expectations.get('helpers', {})}
    seen = set()
    fitting = set()
    for kernel in kernels:
        name = owner(kernel.name, entries)
        if name is None:
            yield f'{kernel.name}: belongs to no row and no helper'
            continue
        seen.add(name)
        fitting.update((name, part) for part in entries[name].get('variants', {}) if part in kernel.name)
        entry = entry_of(kernel, entries[name])
        if not entry.get('from', first_architecture(name)) <= kernel.arch <= entry.get('to', kernel.arch):
            continue
        for problem in problems_of(kernel, entry):
            yield f'{name}: sm_{kernel.arch}: {problem}\n    {kernel.name}'
    for name, entry in entries.items():
        if entry.get('kernels') == 0:
            if name in seen:
                yield f'{name}: has a kernel, none expected'
        elif name not in seen:
            yield f'{name}: no kernel'
        for part in entry.get('variants', {}):
            if name in seen and (name, part) not in fitting:
                yield f'{name}: no kernel for the variant {part}'


def check_reassigned(folder: pathlib.Path, entries: dict[str, Entry]) -> Iterator[str]:
    for path in sorted(folder.glob('*.cubin')):
        if path.stem not in entries:
            yield f'{path.name}: a reassigned cubin without an expectation'
    for name, entry in entries.items():
        path = folder / f'{name}.cubin'
        if not path.exists():
            yield f'{path.name}: there is none'
            continue
        if path.stat().st_size == 0:
            yield f'{path.name}: empty: reassign_registers.py refused the kernel, which stays as compiled'
            continue
        kernels = sass.kernels(path)
        for wanted in (name + instance for instance in entry.get('instances', [''])):
            if wanted not in [kernel.name for kernel in kernels]:
                yield f'{path.name}: no kernel {wanted}'
        for kernel in kernels:
            for problem in problems_of(kernel, entry_of(kernel, entry)):
                yield f'{path.name}: sm_{kernel.arch}: {problem}\n    {kernel.name}'


def list_kernels(kernels: Iterable[sass.Kernel], names: list[str]) -> None:
    for kernel in sorted(kernels, key=lambda k: (owner(k.name, names) or '', k.arch, k.name)):
        measured = Measured(kernel)
        print(f'{owner(kernel.name, names) or kernel.name} sm_{kernel.arch}: {kernel.registers} registers, '
              f'frame {kernel.frame}, local {measured.local}, {measured}\n    {kernel.name}')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('files', nargs='+', type=pathlib.Path)
    parser.add_argument('--reassigned', type=pathlib.Path)
    parser.add_argument('--rows', type=pathlib.Path, default=HERE.parents[1] / 'backends/cuda/device_code.h')
    parser.add_argument('--expectations', type=pathlib.Path, default=HERE / 'expectations.json')
    parser.add_argument('--list', action='store_true')
    arguments = parser.parse_args()
    rows = row_names(arguments.rows)
    expectations = json.loads(arguments.expectations.read_text())
    try:
        kernels = [kernel for file in arguments.files for kernel in sass.kernels(file)]
        if arguments.list:
            list_kernels(kernels, rows + list(expectations.get('helpers', {})))
            return
        problems = list(check(kernels, rows, expectations))
        if arguments.reassigned:
            problems += check_reassigned(arguments.reassigned, expectations.get('reassigned', {}))
    except ValueError as error:
        sys.exit(str(error))
    if problems:
        sys.exit('\n'.join(problems) + f'\n{len(problems)} problems in {len(kernels)} kernels')
    print(f'{len(kernels)} kernels of {len(rows)} rows are as expected'
          + (', and the reassigned ones' if arguments.reassigned else ''))


if __name__ == '__main__':
    main()
