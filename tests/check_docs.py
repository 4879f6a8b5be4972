# Checks the Markdown files and the comments of sources against the tree:
#   check_docs.py            what docs and comments name exists; the changelog has the ABI numbers; no source calls a
#                            kernel unmeasured that has figures; no include runs upward in docs/architecture.md;
#                            comments and docs are plain, docs' paragraphs and cells short
#   check_docs.py COMMAND    also each `libsgemm SUBCOMMAND --option` is one of COMMAND's; presets and CMake options
#                            exist; C programs compile
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = [p.name for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith('.') and p.name != 'build']
FILES = [ROOT / name for name in ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md']] + sorted((ROOT / 'docs').rglob('*.md'))
BLOCK = re.compile(r'^```(\w*)\n(.*?)^```', re.M | re.S)


def missing_paths(file, text):
    for target in re.findall(r'\]\(([^)\s]+)\)', text):
        name = target.split('#')[0]
        if not re.match(r'[a-z]+:|#', target) and not (file.parent / name).exists():
            yield f'{target} does not exist'
    named = [span for span in re.findall(r'`([^`\n]+)`', BLOCK.sub('', text))]
    # Paths below top folders are checked, not command lines or patterns.
    named = [span for span in named if span.split('/')[0] in TOP and '/' in span and not re.search(r'[\s*<>{}$]', span)]
    for _, block in BLOCK.findall(text):
        named += re.findall(r'(?:^|\s)((?:tests|bench)/[\w/.-]+)', block)
    for path in sorted(set(named)):
        if not (ROOT / path).exists():
            yield f'{path} does not exist'


ROW = re.compile(r'\b(?:sm\d+|gfx[0-9a-z]*|cpu)_[a-z0-9]+_\d+x\d+x\d+_[a-z0-9_]+')
SOURCES = [p for folder in ['backends', 'common'] for p in (ROOT / folder).rglob('*') if p.suffix in ('.h', '.cpp', '.cu', '.hip')]
ROWS = {row for p in SOURCES for row in ROW.findall(p.read_text())}


MODES = '|'.join(re.findall(r'return {"(\w+)"', (ROOT / 'common/contract/math_mode.h').read_text()))


def missing_rows(text):
    for row in sorted(set(ROW.findall(text)) - ROWS):
        # common/ref/ref.cpp composes such a name with a mode.
        if not (row.startswith('cpu_') and re.sub(f'_({MODES})$', '', row) in ROWS):
            yield f'there is no row {row}'


FOLDERS = [ROOT / name for name in TOP if name != 'shared']
KINDS = {'.h', '.cpp', '.cu', '.cuh', '.hip', '.c', '.py', '.sh', '.cmake', '.md'}
TREE = [p for folder in FOLDERS for p in folder.rglob('*') if p.suffix in KINDS]
# Names of files, alone and after any of their folders.
KNOWN = {'/'.join(parts[i:]) for p in TREE + FILES for parts in [p.relative_to(ROOT).parts] for i in range(len(parts))}
# Files of others, examples, and struct members that look like files.
FOREIGN = {'cuda.h', 'miopen.h', 'cblas.h', 'step.c', 'step.h', 'llm.c', 'script.py', 'train.py', 'gfx90a.h'}
NAMED = re.compile(r'(?<![\w./*<>$}-])((?:[\w-]+/)*[a-z][a-z0-9_-]+(?:' + '|'.join(map(re.escape, KINDS)) +
                   r'))(?![\w.(/*-])')


def missing_files(text):
    for name in sorted(set(NAMED.findall(text)) - KNOWN - FOREIGN):
        yield f'there is no file {name}'


def comments(path):
    text = path.read_text()
    if path.suffix in ('.py', '.sh', '.cmake'):
        return '\n'.join(re.findall(r'(?:^|\s)#.*', text))
    return '\n'.join(re.findall(r'//.*|/\*(?s:.*?)\*/', re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)))


HEAVY = re.compile(r'\b(as (?:it lies|they lie)|anew|on (?:its|their) way|told of|be had|nobody|somebody|so many)\b')


def passages(text):
    """Paragraphs, list items and table cells, each with its size, limit and unit."""
    for block in re.split(r'\n\s*\n|\n(?=#)', BLOCK.sub('', text)):
        if re.match(r'\s*\|', block):
            for line in block.strip().splitlines():
                yield from ((cell.strip(), len(cell.strip()), 200, 'characters') for cell in line.strip().strip('|').split('|'))
        else:
            yield from ((item.strip(), len(item.split()), 100, 'words') for item in re.split(r'\n\s*(?:[-*]|\d+\.)\s', block))


def heavy_docs(text):
    for passage, size, most, unit in passages(text):
        if size > most:
            yield f'{size} {unit} in one passage, at most {most}: {passage[:70]}'
        plain = re.sub(r'`[^`]*`', '', passage)
        if re.match('(Of|Whether|Those) ', plain) or HEAVY.search(plain):
            yield f'say it plainly: {passage[:90]}'


def heavy_comments(path):
    """Comments that must be read twice: no subject, or words that are not the field's."""
    for block in re.findall(r'(?:^[ \t]*//.*\n)+', path.read_text(), re.M):
        words = re.sub(r'\s*//\s?', ' ', block).strip()
        if re.match('(Of|Whether|Those|What) ', words) or HEAVY.search(words):
            yield f'say it plainly: {words[:90]}'


def wrong_abi(text):
    plugin = re.search(r'kBackendAbi = (\d+)', (ROOT / 'common/contract/backend.h').read_text()).group(1)
    c = re.search(r'SOVERSION (\d+)', (ROOT / 'common/CMakeLists.txt').read_text()).group(1)
    numbers = f'C ABI {c}, plugin ABI {plugin}.'
    if numbers not in text:
        yield f'it does not say: {numbers}'


# Rows with fitted figures: a share of 1 means that there are none.
MEASURED = {row for p in (ROOT / 'backends/cuda/figures').glob('sm*.h')
            for row, figures in re.findall(r'X\((\w+), ([\d.].*)\)', p.read_text()) if figures != '1'}


def untrue_measurements(path):
    if not re.search(r'speed not yet|not been measured', path.read_text()):
        return
    tile = re.match(r'sm\d+_[a-z0-9]+_\d+x\d+x\d+', path.stem)
    for row in sorted(set(ROW.findall(path.read_text())) & MEASURED):
        if row == path.stem or (tile and row == tile.group() + '_split_k'):
            yield f'{row} has been measured: backends/cuda/figures'


def shell_lines(text):
    """Lines of all command blocks, without comments."""
    for language, block in BLOCK.findall(text):
        if language == 'sh':
            for line in block.replace('\\\n', ' ').splitlines():
                yield re.sub(r'(^|\s)#.*', '', line).strip()


class Help:
    """The command's help, queried once for each subcommand."""

    def __init__(self, command):
        self.command, self.texts = command, {}

    def of(self, subcommand):
        if subcommand not in self.texts:
            run = subprocess.run([self.command, subcommand, '--help'], capture_output=True, text=True)
            self.texts[subcommand] = run.stdout if run.returncode == 0 else None
        return self.texts[subcommand]


def wrong_commands(text, known):
    for line in shell_lines(text):
        call = re.search(r'(?:^|[\s/])libsgemm ([a-z]+)(.*)', line)
        if not call or re.match(r'(cmake|ctest|cc|mpirun .* libsgemm$)', line):
            continue
        subcommand, rest = call.groups()
        rest = rest.split(' -- ')[0].split(';')[0].split('|')[0]
        if subcommand == 'run':
            rest = re.split(r'\s(?=[\w./])', rest)[0]
        if known.of(subcommand) is None:
            yield f'`{line}`: there is no subcommand {subcommand}'
            continue
        for option in re.findall(r'(?<=\s)(--?[a-z][\w-]*)', rest):
            if not re.search(r'(?<![\w-])' + re.escape(option) + r'(?![\w-])', known.of(subcommand)):
                yield f'`{line}`: {subcommand} has no option {option}'


def wrong_builds(text):
    presets = json.loads((ROOT / 'CMakePresets.json').read_text())
    names = {p['name'] for p in presets['configurePresets'] if not p.get('hidden')}
    listed = [ROOT / 'CMakeLists.txt', *(p for name in TOP for p in (ROOT / name).rglob('CMakeLists.txt'))]
    settings = ' '.join(p.read_text() for p in listed)
    for line in shell_lines(text):
        for preset in re.findall(r'--preset[ =](\w+)', line):
            if preset not in names:
                yield f'`{line}`: there is no preset {preset}'
        for setting in re.findall(r'-D(LIBSGEMM_\w+)', line):
            if not re.search(rf'\b{setting}\b', settings):
                yield f'`{line}`: there is no setting {setting}'


def wrong_programs(text):
    """Programs begin with a comment that names their file."""
    for language, block in BLOCK.findall(text):
        if language != 'c' or not re.match(r'/\* \w+\.c', block):
            continue
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / 'program.c'
            source.write_text(block)
            run = subprocess.run(['cc', '-std=c99', '-Wall', '-Wextra', '-Werror', '-fsyntax-only', f'-I{ROOT}/include', source],
                                 capture_output=True, text=True)
            if run.returncode:
                yield f'{block.splitlines()[0]}: {run.stderr}'


def upward_includes():
    """Includes that docs/architecture.md forbids: of a folder above, or on the same line."""
    layers = re.search(r'```layers\n(.*?)```', (ROOT / 'docs/architecture.md').read_text(), re.S).group(1)
    floor = {folder: i for i, line in enumerate(reversed(layers.splitlines())) for folder in re.match(r'(\S+ )+', line)[0].split()}
    for file in TREE:
        folder = '/'.join(file.relative_to(ROOT).parts[:2])
        if folder not in floor or file.suffix == '.md':
            continue
        for name in re.findall(r'#include "([^"]+/[^"]+)"', file.read_text()):
            other = next((f'{top}/{name.split("/")[0]}' for top in ('bench', 'common', 'backends') if (ROOT / top / name).is_file()), folder)
            if other != folder and floor.get(other, -1) >= floor[folder]:
                yield f'{file.relative_to(ROOT)}: includes "{name}", which docs/architecture.md has above {folder}'


wrong = [*upward_includes()]
for file in FILES:
    text = file.read_text()
    faults = [*missing_paths(file, text), *heavy_docs(text)]
    if file.name == 'CHANGELOG.md':
        faults += wrong_abi(text)
    else:
        faults += [*missing_rows(text), *missing_files(BLOCK.sub('', text))]
    if len(sys.argv) > 1:
        faults += [*wrong_commands(text, Help(sys.argv[1])), *wrong_builds(text), *wrong_programs(text)]
    wrong += [f'{file.relative_to(ROOT)}: {fault}' for fault in faults]
for file in sorted(p for p in TREE if p.suffix != '.md'):
    faults = [*missing_files(comments(file)), *untrue_measurements(file)]
    if file.suffix in ('.h', '.c', '.cpp', '.cu', '.cuh', '.hip'):
        faults += heavy_comments(file)
    wrong += [f'{file.relative_to(ROOT)}: {fault}' for fault in faults]
for file in sorted((ROOT / 'docs/results').iterdir()):
    wrong += [f'{file.relative_to(ROOT)}: {fault}' for fault in missing_rows(file.read_text())]
print('\n'.join(wrong) if wrong else f'{len(FILES)} files: what they name exists')
sys.exit(bool(wrong))
