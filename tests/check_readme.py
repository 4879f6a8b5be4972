# Checks that what the Markdown files at the top name exists: the targets of links, and the paths in `code`.
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = [p.name for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith('.') and p.name != 'build']


def named_paths(text):
    for target in re.findall(r'\]\(([^)\s]+)\)', text):
        if not re.match(r'[a-z]+:|#', target):
            yield target.split('#')[0]
    prose = re.sub(r'^```.*?^```', '', text, flags=re.M | re.S)
    for span in re.findall(r'`([^`\n]+)`', prose):
        # A path below a folder of ours; not a command line, a pattern or a <placeholder>.
        if span.split('/')[0] in TOP and '/' in span and not re.search(r'[\s*<>{}$]', span):
            yield span
    for line in re.findall(r'^```.*?^```', text, flags=re.M | re.S):
        for word in re.findall(r'(?:^|\s)((?:tests|bench)/[\w/.-]+)', line):
            yield word


missing = []
for name in ['README.md', 'CHANGELOG.md']:
    if not (ROOT / name).exists():
        sys.exit(f'{name} does not exist')
    paths = sorted(set(named_paths((ROOT / name).read_text())))
    missing += [f'{name}: {path} does not exist' for path in paths if not (ROOT / path).exists()]
print('\n'.join(missing) if missing else 'every path named exists')
sys.exit(bool(missing))
