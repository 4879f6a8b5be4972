#!/usr/bin/env python3
"""Static gate over the machine code of the HIP kernels.

    check_amdgpu.py [--archs gfx90a,...] [--rows device_code.h] [--expectations FILE.json] [--instances] FILE...
    check_amdgpu.py --unchecked gfx90a   (nothing here compiles for it: a skipped test)

FILE: libsgemm_hip.so, an object file or a code object. Prints a line for each kernel row and architecture, with its
worst instance (--instances: a line for each), then checks like check_sass.py; every row needs a kernel on every
architecture, and each of --archs must be present. Names and leaves out code for chips that amdgpu_model.py does not
know. Needs LLVM's tools.

No kernel may use scratch (spills, arrays), flat addresses for loads, or calls. The hot loop is the one with the most
FMAs or matrix instructions, without inner loops; of nested loops the denser one. An entry may have check_sass.py's keys
loop, code, never, loop_exactly and kernels (names in gfx9's spelling; in loop and code "a|b": either; never: starts of
names), and:
    fma           least share of FMAs in the vector unit's issue slots of the hot loop. A packed FMA takes one slot,
                  each operation of a dual instruction half a slot
    matrix        least share of a wave's clocks with matrix instructions, by llvm-mca; 0 for chips unknown to it
                  (every row has fma or matrix; 0: the kernel does not multiply)
    dual          least share of the hot loop's FMAs issued in pairs, from gfx11 on
    fmas          multiply-adds for each thread in the hot loop, exactly
    peak          least share of the peak by amdgpu_model.py's balance model
    under_way     least number of loads pending after each wait of the hot loop for loads
    waves         least number of waves on a SIMD
    lds           bytes of LDS, exactly
    sgpr_spills   scalar registers kept in lanes of vector registers (an instruction each time, no memory); default 0
    only          "gfx90a|gfx942": meant for these; elsewhere only the rules for every kernel count
    variants      entries for instances whose arguments contain the key ("outer_x4 inner_x4"), replacing these
    on            entries for architectures that start with the key ("gfx11"), replacing these
"""
from __future__ import annotations

import argparse
import collections
import json
import pathlib
import re
import sys
from typing import Iterable, Iterator, NamedTuple, Optional

import amdgpu
import amdgpu_model as model
from check_sass import Entry, check_expectations, count_of, owner, row_names

HERE = pathlib.Path(__file__).resolve().parent
KEYS = {'fma', 'matrix', 'dual', 'fmas', 'peak', 'under_way', 'waves', 'lds', 'loop', 'code', 'loop_exactly',
        'sgpr_spills', 'never', 'only', 'kernels', 'variants', 'on'}
FETCH = ['outer', 'outer_x4', 'inner', 'inner_x4']
SKIPPED = 77  # CTest's status for a skip


class Measured:
    def __init__(self, kernel: amdgpu.Kernel, arguments: str) -> None:
        self.kernel = kernel
        self.arguments = arguments
        # An outer loop may hold more than the hot loop, but less densely.
        self.loop = max(kernel.loops(), key=lambda loop: sum(map(self.weight, loop)) ** 2 / len(loop), default=[])
        if not sum(map(self.weight, self.loop)):
            self.loop = []
        self.code_counts = count_operations(kernel.instructions)
        self.loop_counts = count_operations(self.loop)
        slots = pairs = self.fmas = 0
        for each in self.loop:
            fmas = [model.fmas_of(operation) for operation in each.operations]
            self.fmas += sum(fmas)
            slots += sum(count > 0 for count in fmas) / len(fmas)
            pairs += 2 * (len(fmas) > 1 and all(fmas))
        vector = sum(map(model.is_vector, self.loop))
        self.fma = slots / max(vector, 1)
        self.fma_of_all = slots / max(len(self.loop), 1)
        self.dual = pairs / max(self.fmas, 1) if kernel.arch.startswith(('gfx11', 'gfx12')) else None
        self.waves = model.waves_per_simd(kernel)
        self.balance = model.balance(self.loop, kernel.arch, kernel.wave)
        self.matrix = model.matrix_share(self.loop, kernel.arch)
        self.under_way = model.loads_under_way(self.loop)

    def weight(self, each: amdgpu.Instruction) -> int:
        return sum(map(model.fmas_of, each.operations)) + model.matrix_clocks(each, self.kernel.arch)


def count_operations(instructions: Iterable[amdgpu.Instruction]) -> collections.Counter[str]:
    return collections.Counter(operation for each in instructions for operation in each.operations)


def arguments_of(signature: str) -> str:
    """Example: "outer_x4 inner_x4 StridedOperands"."""
    match = re.search(r'<(.*)>\(', signature)
    if not match:
        return ''
    text = re.sub(r'\((?:\w+::)*Fetch\)(\d)', lambda found: FETCH[int(found[1])], match[1])
    return re.sub(r'(?:\w+::)+|\(anonymous namespace\)::', '', text).replace(', ', ' ')


def measured(kernels: list[amdgpu.Kernel]) -> list[Measured]:
    signatures = amdgpu.demangled([kernel.symbol for kernel in kernels])
    return [Measured(kernel, arguments_of(signature)) for kernel, signature in zip(kernels, signatures)]


def entry_of(each: Measured, entry: Entry) -> Entry:
    parts = [part for key, part in entry.get('variants', {}).items() if key in each.arguments]
    parts += [part for key, part in entry.get('on', {}).items() if each.kernel.arch.startswith(key)]
    for part in parts:
        entry = {**entry, **entry_of(each, part)}
    return entry


def forbidden(each: Measured, entry: Entry) -> Iterator[str]:
    kernel = each.kernel
    if kernel.scratch:
        yield f'{kernel.scratch} bytes of scratch (a spill, or an array that is indexed at run time)'
    for count, most, text in [(kernel.vgpr_spills, 0, 'vector'),
                              (kernel.sgpr_spills, entry.get('sgpr_spills', 0), 'scalar')]:
        if count > most:
            yield f'{count} {text} registers are spilled, at most {most} expected'
    starts = ['scratch_', 'flat_', 'buffer_load', 'buffer_store', 's_swappc', *entry.get('never', [])]
    if 'matrix' not in entry:
        starts.append('v_accvgpr')  # spills into the matrix unit's registers
    for start in starts:
        count = sum(number for name, number in each.code_counts.items() if name.startswith(start))
        if count:
            yield f'{count} {start}, which is not meant'


def below(each: Measured, entry: Entry) -> Iterator[str]:
    for key, share, text in [('fma', each.fma, 'of the vector instructions of the hot loop are FMAs'),
                             ('dual', each.dual, "of the hot loop's FMAs are issued two at a time"),
                             ('matrix', each.matrix, 'of the clocks of the hot loop are in matrix instructions'),
                             ('peak', each.balance.share_of_peak, 'of the peak by the balance model')]:
        if key in entry and share is not None and share < entry[key]:
            yield f'{share:.3f} {text}, at least {entry[key]} expected'
    if each.matrix is None and entry.get('matrix', 0):
        yield f"the model cannot tell the share of matrix instructions here, and {entry['matrix']} is expected: state 0"
    if each.under_way is not None and each.under_way < entry.get('under_way', 0):
        yield f"{each.under_way} loads under way behind a wait for others, at least {entry['under_way']} expected"
    if each.waves < entry.get('waves', 1):
        yield f"{each.waves} waves in a SIMD ({each.kernel.vgprs} registers), at least {entry['waves']} expected"
    for key, counts, place in [('loop', each.loop_counts, 'in the hot loop'),
                               ('code', each.code_counts, 'in the kernel')]:
        for spelling, least in entry.get(key, {}).items():
            if count_of(counts, spelling) < least:
                yield f'{count_of(counts, spelling)} {spelling} {place}, at least {least} expected'


def different(each: Measured, entry: Entry) -> Iterator[str]:
    for key, number, text in [('lds', each.kernel.lds, 'bytes of LDS'), ('fmas', each.fmas, 'FMAs in the hot loop')]:
        if number != entry.get(key, number):
            yield f'{number} {text}, exactly {entry[key]} expected'
    for spelling, count in entry.get('loop_exactly', {}).items():
        if count_of(each.loop_counts, spelling) != count:
            yield f'{count_of(each.loop_counts, spelling)} {spelling} in the hot loop, exactly {count} expected'


def problems_of(each: Measured, entry: Entry) -> Iterator[str]:
    entry = entry_of(each, entry)
    yield from forbidden(each, entry)
    if each.kernel.arch in entry.get('only', each.kernel.arch).split('|'):
        yield from below(each, entry)
        yield from different(each, entry)


def check(all_measured: list[Measured], rows: list[str], expectations: dict[str, dict[str, Entry]],
          archs: Iterable[str] = ()) -> Iterator[str]:
    yield from check_expectations(rows, expectations, KEYS, {'fma', 'matrix'})
    entries = {**expectations['rows'], **expectations.get('helpers', {})}
    present = sorted({each.kernel.arch for each in all_measured})
    for arch in archs:
        if arch not in present:
            yield f'{arch}: no code'
    seen = set()
    fitting = set()
    for each in all_measured:
        name = owner(each.kernel.symbol, entries)
        if name is None:
            yield f'{each.kernel.symbol}: belongs to no row and no helper'
            continue
        seen.add((name, each.kernel.arch))
        fitting.update((name, part) for part in entries[name].get('variants', {}) if part in each.arguments)
        for problem in problems_of(each, entries[name]):
            yield f'{name}: {each.kernel.arch}: {problem}\n    {each.kernel.symbol}'
    for name, entry in entries.items():
        on = [arch for arch in present if (name, arch) in seen]
        if entry.get('kernels') == 0:
            if on:
                yield f'{name}: has a kernel, none expected'
            continue
        for arch in present:
            if arch not in on:
                yield f'{name}: no kernel on {arch}'
        for part in entry.get('variants', {}):
            if on and (name, part) not in fitting:
                yield f'{name}: no kernel for the variant {part}'


class Line(NamedTuple):
    """The worst instances of a row on one architecture."""
    name: str
    first: Measured
    instances: list[Measured]

    def least(self, what: str) -> str:
        numbers = [number for number in (getattr(each, what) for each in self.instances) if number is not None]
        return f'{min(numbers):.3f}' if numbers and max(numbers) > 0 else '-'

    def cells(self) -> list[str]:
        kernels = [each.kernel for each in self.instances]
        fmas = {each.fmas for each in self.instances}
        peak = min(each.balance.share_of_peak for each in self.instances)
        return [self.name, self.first.kernel.arch, self.first.kernel.compiler, str(len(kernels)),
                str(max(kernel.vgprs for kernel in kernels)), str(max(kernel.sgprs for kernel in kernels)),
                str(max(kernel.lds for kernel in kernels)), str(max(kernel.scratch for kernel in kernels)),
                str(min(each.waves for each in self.instances)), '/'.join(map(str, sorted(fmas))) if any(fmas) else '-',
                self.least('fma'), self.least('fma_of_all'), self.least('dual'), self.least('matrix'),
                f'{100 * peak:.0f}' if peak else '-']


HEADINGS = ['row', 'arch', 'clang', 'instances', 'VGPRs', 'SGPRs', 'LDS', 'scratch', 'waves', 'FMAs', 'of VALU',
            'of all', 'dual', 'matrix', 'peak %']


def table(all_measured: list[Measured], names: list[str], by_instance: bool) -> str:
    groups: dict[tuple[str, ...], list[Measured]] = collections.defaultdict(list)
    for each in all_measured:
        if not each.kernel.vgprs:
            continue  # empty: not for its architecture
        name = owner(each.kernel.symbol, names) or each.kernel.symbol
        key = (f'{name} {each.arguments}' if by_instance else name, each.kernel.arch)
        groups[key].append(each)
    order = {name: i for i, name in enumerate(names)}
    keys = sorted(groups, key=lambda key: (order.get(key[0].split()[0], -1), key[0], len(key[1]), key[1]))
    lines = [HEADINGS] + [Line(key[0], groups[key][0], groups[key]).cells() for key in keys]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return '\n'.join('  '.join(cell.ljust(width) if i < 3 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


def known(kernels: Iterable[amdgpu.Kernel]) -> tuple[list[amdgpu.Kernel], list[str]]:
    """Kernels for known chips, and the other chips."""
    kernels = list(kernels)
    return ([kernel for kernel in kernels if kernel.arch in model.CHIPS],
            sorted({kernel.arch for kernel in kernels} - set(model.CHIPS)))


def main() -> Optional[int]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('files', nargs='*', type=pathlib.Path)
    parser.add_argument('--unchecked', help='an architecture that nothing here can compile for')
    parser.add_argument('--archs', default='', help='architectures that must be there: gfx90a,gfx1100')
    parser.add_argument('--rows', type=pathlib.Path, default=HERE.parents[1] / 'backends/hip/device_code.h')
    parser.add_argument('--expectations', type=pathlib.Path, default=HERE / 'expectations_amdgpu.json')
    parser.add_argument('--instances', action='store_true')
    arguments = parser.parse_args()
    if arguments.unchecked:
        print(f'SKIPPED: no compiler here for {arguments.unchecked}, whose code is not checked')
        return SKIPPED
    if not arguments.files:
        parser.error('no files')
    rows = row_names(arguments.rows)
    expectations = json.loads(arguments.expectations.read_text())
    try:
        kernels, left_out = known(kernel for file in arguments.files for kernel in amdgpu.kernels(file))
        found = measured(kernels)
    except amdgpu.MissingTool as error:
        print(error, file=sys.stderr)
        return SKIPPED
    except ValueError as error:
        sys.exit(str(error))
    print(table(found, rows + list(expectations.get('helpers', {})), arguments.instances))
    for arch in left_out:
        print(f'LEFT OUT: {arch} is not in CHIPS of amdgpu_model.py, so its code is not checked')
    problems = list(check(found, rows, expectations, filter(None, arguments.archs.split(','))))
    if problems:
        sys.exit('\n'.join(problems) + f'\n{len(problems)} problems in {len(found)} kernels')
    print(f'{len(found)} kernels of {len(rows)} rows are as expected')
    return None


if __name__ == '__main__':
    sys.exit(main())
