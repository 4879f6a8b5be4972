"""Reads AMD machine code: kernels of a code object, of a library or object file that holds some, or of a compiler's
assembly (.s), for chips that the tools here cannot disassemble.

A bundle in a host file's section .hip_fatbin has the number of entries, and the offset, size and target
("hipv4-amdgcn-amd-amdhsa--gfx90a") of each.

Instructions are spelled as on gfx9: ds_load_b128 of gfx11 is ds_read_b128, global_load_b128 is global_load_dwordx4. A
dual instruction, from gfx11 on, is one instruction with two operations.
"""
from __future__ import annotations

import functools
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
from typing import Iterator, Optional

BUNDLE = b'__CLANG_OFFLOAD_BUNDLE__'
COMPRESSED = b'CCOB'
EM_AMDGPU = 224
VERSIONS = range(30, 14, -1)  # LLVM's, newest first
FOLDERS = '/opt/rocm/llvm/bin'

WIDTHS = {'b32': 'dword', 'b64': 'dwordx2', 'b96': 'dwordx3', 'b128': 'dwordx4'}


class MissingTool(Exception):
    """LLVM's tools are missing."""


@functools.lru_cache(maxsize=None)
def tool(name: str) -> str:
    for spelling in [*(f'{name}-{version}' for version in VERSIONS), name]:
        path = shutil.which(spelling) or shutil.which(spelling, path=FOLDERS)
        if path:
            return path
    raise MissingTool(f'{name} is not here: the packages llvm-19 or rocm-llvm have it')


def run(*command: object) -> str:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def sections(elf: bytes) -> Iterator[tuple[str, bytes]]:
    (table,) = struct.unpack_from('<Q', elf, 0x28)
    size, count, names_at = struct.unpack_from('<HHH', elf, 0x3A)
    headers = [struct.unpack_from('<IIQQQQ', elf, table + i * size) for i in range(count)]
    names = headers[names_at][4]
    for name, _, _, _, offset, length in headers:
        start = names + name
        yield elf[start:elf.index(b'\0', start)].decode(), elf[offset:offset + length]


def bundled(data: bytes) -> Iterator[bytes]:
    start = data.find(BUNDLE)
    while start >= 0:
        (count,) = struct.unpack_from('<Q', data, start + len(BUNDLE))
        at = start + len(BUNDLE) + 8
        for _ in range(count):
            offset, size, length = struct.unpack_from('<QQQ', data, at)
            target = data[at + 24:at + 24 + length].decode()
            at += 24 + length
            if 'amdgcn' in target and size:
                yield data[start + offset:start + offset + size]
        start = data.find(BUNDLE, at)


def code_objects(path: pathlib.Path) -> Iterator[bytes]:
    """A file may be a code object itself."""
    data = path.read_bytes()
    if data.startswith(BUNDLE):
        yield from bundled(data)
        return
    if data[:4] != b'\x7fELF':
        raise ValueError(f'{path}: not an ELF file')
    if struct.unpack_from('<H', data, 0x12)[0] == EM_AMDGPU:
        yield data
        return
    for name, content in sections(data):
        if name == '.hip_fatbin':
            if content[:len(COMPRESSED)] == COMPRESSED:
                raise ValueError(f'{path}: its code is compressed; compile with --no-offload-compress')
            yield from bundled(content)


class Instruction:
    """`operations`: two if dual; `text`: as the assembler takes it."""

    def __init__(self, address: int, text: str, target: Optional[int]) -> None:
        self.address = address
        self.text = text
        self.target = target
        self.operations = [canonical(part.split()[0]) for part in text.split(' :: ')]

    @property
    def name(self) -> str:
        return self.operations[0]

    @property
    def dual(self) -> bool:
        return len(self.operations) > 1

    @property
    def is_branch(self) -> bool:
        return self.name.startswith(('s_branch', 's_cbranch'))

    @property
    def ends_block(self) -> bool:
        return self.is_branch or self.name in ('s_endpgm', 's_setpc_b64')


@functools.lru_cache(maxsize=None)
def canonical(mnemonic: str) -> str:
    """gfx9's spelling, without the encoding."""
    name = re.sub(r'_(e32|e64|dpp|sdwa|e64_dpp)$', '', mnemonic)
    name = name.replace('v_dual_', 'v_')
    match = re.fullmatch(r'(global|buffer|scratch|flat)_(load|store)_(b\d+)(.*)', name)
    if match:
        return f'{match[1]}_{match[2]}_{WIDTHS[match[3]]}{match[4]}'
    return re.sub(r'^ds_(load|store)_', lambda m: 'ds_read_' if m[1] == 'load' else 'ds_write_',
                  re.sub(r'^ds_(load|store)_2addr_', lambda m: 'ds_read2_' if m[1] == 'load' else 'ds_write2_', name))


class Kernel:
    def __init__(self, arch: str, compiler: str, facts: dict[str, str], instructions: list[Instruction]) -> None:
        self.arch = arch
        self.compiler = compiler
        self.symbol = facts['name'].strip("'")
        self.instructions = instructions
        self.vgprs = int(facts['vgpr_count'])
        self.sgprs = int(facts['sgpr_count'])
        self.lds = int(facts['group_segment_fixed_size'])
        self.scratch = int(facts['private_segment_fixed_size'])
        self.vgpr_spills = int(facts['vgpr_spill_count'])
        self.sgpr_spills = int(facts['sgpr_spill_count'])
        self.threads = int(facts['max_flat_workgroup_size'])
        self.wave = int(facts['wavefront_size'])

    def count(self, name: str) -> int:
        return sum(operation == name for each in self.instructions for operation in each.operations)

    def loops(self) -> Iterator[list[Instruction]]:
        """Each loop's instructions, without inner loops."""
        blocks = split(self.instructions)
        yield from own_instructions(blocks, links(blocks), set(range(len(blocks))))


def split(instructions: list[Instruction]) -> list[list[Instruction]]:
    targets = {each.target for each in instructions if each.target is not None}
    blocks: list[list[Instruction]] = [[]]
    for each in instructions:
        if each.address in targets and blocks[-1]:
            blocks.append([])
        blocks[-1].append(each)
        if each.ends_block:
            blocks.append([])
    return [block for block in blocks if block]


def links(blocks: list[list[Instruction]]) -> list[list[int]]:
    at = {block[0].address: i for i, block in enumerate(blocks)}
    followers = []
    for i, block in enumerate(blocks):
        last = block[-1]
        after = [at[last.target]] if last.is_branch and last.target in at else []
        if i + 1 < len(blocks) and (not last.ends_block or last.name.startswith('s_cbranch')):
            after.append(i + 1)
        followers.append(after)
    return followers


def own_instructions(blocks: list[list[Instruction]], followers: list[list[int]],
                     among: set[int]) -> Iterator[list[Instruction]]:
    """Loops among blocks: sets of blocks that reach each other; without the first block, inner loops remain."""
    for loop in components(followers, among):
        header = min(loop)
        if len(loop) == 1 and header not in followers[header]:
            continue
        inner = [part for part in components(followers, loop - {header})
                 if len(part) > 1 or min(part) in followers[min(part)]]
        within = set().union(*inner)
        yield [each for i in sorted(loop - within) for each in blocks[i]]
        yield from own_instructions(blocks, followers, loop - {header})


def components(followers: list[list[int]], among: set[int]) -> list[set[int]]:
    """Strongly connected components (Tarjan, with an explicit stack)."""
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_nodes: list[int] = []
    is_open: set[int] = set()
    found = []
    for root in sorted(among):
        work = [(root, 0)] if root not in order else []
        while work:
            node, edge = work.pop()
            if edge == 0:
                order[node] = lowest[node] = len(order)
                open_nodes.append(node)
                is_open.add(node)
            after = [each for each in followers[node] if each in among]
            if edge > 0 and after[edge - 1] in is_open:
                lowest[node] = min(lowest[node], lowest[after[edge - 1]])
            while edge < len(after) and after[edge] in order:
                if after[edge] in is_open:
                    lowest[node] = min(lowest[node], order[after[edge]])
                edge += 1
            if edge < len(after):
                work.append((node, edge + 1))
                work.append((after[edge], 0))
            elif lowest[node] == order[node]:
                component = set()
                while node not in component:
                    component.add(open_nodes.pop())
                is_open -= component
                found.append(component)
    return found


def metadata(path: pathlib.Path) -> tuple[str, str, list[dict[str, str]]]:
    """Architecture, compiler and facts about each kernel."""
    return facts_of(path, run(tool('llvm-readelf'), '--notes', '-p', '.comment', path))


def facts_of(path: pathlib.Path, text: str) -> tuple[str, str, list[dict[str, str]]]:
    target = re.search(r'^amdhsa\.target:\s+.*--(gfx[\w-]+)', text, flags=re.M)
    compiler = re.search(r'clang version (\S+)', text)
    if not target:
        raise ValueError(f'{path}: no metadata of kernels')
    kernels = []
    part = text[:target.start()].partition('amdhsa.kernels:')[2]
    for block in re.split(r'^  - ', part, flags=re.M)[1:]:
        facts = dict(re.findall(r'^(?:    )?\.(\w+): +(\S+)$', block, flags=re.M))
        if 'symbol' in facts:
            kernels.append(facts)
    return target[1], compiler[1] if compiler else '?', kernels


def disassembled(path: pathlib.Path) -> dict[str, list[Instruction]]:
    functions: dict[str, list[Instruction]] = {}
    current: list[Instruction] = []
    starts: dict[str, int] = {}
    for line in run(tool('llvm-objdump'), '-d', path).splitlines():
        if line.startswith('\t'):
            text, comment, remark = line.partition('//')
            if not comment:
                continue  # padding
            target = re.search(r'<(.+)\+0x([0-9a-f]+)>', remark)
            jumps = target is not None and 'branch' in text and target[1] in starts
            current.append(Instruction(int(remark.split(':')[0], 16), text.strip(),
                                       starts[target[1]] + int(target[2], 16) if target and jumps else None))
            continue
        head = re.fullmatch(r'([0-9a-f]+) <(.+)>:', line)
        if head:
            starts[head[2]] = int(head[1], 16)
            current = functions.setdefault(head[2], [])
    return functions


def assembled(text: str) -> dict[str, list[Instruction]]:
    """Addresses are the instructions' numbers."""
    functions: dict[str, list[Instruction]] = {}
    lines: list[tuple[str, str]] = []
    labels: dict[str, int] = {}
    name = ''
    for line in text.splitlines():
        line = line.partition(';')[0].rstrip()
        label = re.fullmatch(r'([\w.$]+):', line)
        if label:
            labels[label[1]] = len(lines)
            name = '' if label[1].startswith('.Lfunc_end') else name if label[1].startswith('.L') else label[1]
        elif name and line.startswith('\t') and not line.startswith('\t.'):
            lines.append((name, line.strip()))
    for address, (name, instruction) in enumerate(lines):
        operands = instruction.split()
        target = labels.get(operands[-1]) if operands[0].startswith(('s_branch', 's_cbranch')) else None
        functions.setdefault(name, []).append(Instruction(address, instruction, target))
    return functions


def kernels_of_assembly(path: pathlib.Path) -> list[Kernel]:
    text = path.read_text()
    compiler = re.search(r'^\t\.ident\t"(.*)"$', text, flags=re.M)
    notes = text.partition('.amdgpu_metadata')[2]
    arch, version, all_facts = facts_of(path, notes + (compiler[1] if compiler else ''))
    functions = assembled(text)
    return [Kernel(arch, version, facts, functions[facts['name'].strip("'")]) for facts in all_facts]


def kernels(path: pathlib.Path) -> list[Kernel]:
    if path.suffix == '.s':
        return kernels_of_assembly(path)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for i, code in enumerate(code_objects(path)):
            file = pathlib.Path(folder) / f'{i}.co'
            file.write_bytes(code)
            arch, compiler, all_facts = metadata(file)
            functions = disassembled(file)
            found += [Kernel(arch, compiler, facts, functions[facts['name'].strip("'")]) for facts in all_facts]
    if not found:
        raise ValueError(f'{path}: no kernels for AMD GPUs')
    return found


def demangled(symbols: list[str]) -> list[str]:
    text = subprocess.run([tool('llvm-cxxfilt')], input='\n'.join(symbols), capture_output=True, text=True, check=True)
    return text.stdout.splitlines()
