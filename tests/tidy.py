"""clang-tidy over a build's files: tidy.py BUILD FILE... Skips a file that passed earlier with the same preprocessed
text, command, checks and clang-tidy, so CI analyses only what a change touches."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache') / 'libsgemm-tidy'
VERSION = subprocess.run(['clang-tidy', '--version'], capture_output=True, check=True).stdout
CHECKS = (ROOT / '.clang-tidy').read_bytes()


def key(entries):
    """Hash of clang-tidy's input, independent of the sources' location."""
    text = hashlib.sha256(VERSION + CHECKS)
    for entry in entries:
        words = shlex.split(re.sub(r' -o \S+ -c ', ' -E ', entry['command']))
        done = subprocess.run(words, cwd=entry['directory'], capture_output=True, check=True)
        text.update(' '.join(words).replace(str(ROOT), '').encode())
        text.update(done.stdout.replace(str(ROOT).encode(), b''))
    return text.hexdigest()


def analyse(file):
    passed = CACHE / key(commands[file])
    if passed.exists():
        return ''
    done = subprocess.run(['clang-tidy', '--quiet', '--warnings-as-errors=*', '-p', build, file], capture_output=True, text=True)
    if done.returncode:
        return f'{done.stdout}{done.stderr}'
    CACHE.mkdir(parents=True, exist_ok=True)
    passed.touch()
    return ''


build = pathlib.Path(sys.argv[1])
commands = {}
for entry in json.loads((build / 'compile_commands.json').read_text()):
    commands.setdefault(entry['file'], []).append(entry)
files = [str(pathlib.Path(name).resolve()) for name in sys.argv[2:]]
unknown = [file for file in files if file not in commands]
if unknown:
    sys.exit(f'{build} compiles no {" ".join(unknown)}')
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    found = [text for text in pool.map(analyse, files) if text]
print('\n'.join(found))
sys.exit(bool(found))
