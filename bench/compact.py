# Compacts reports of `libsgemm bench ... --json` into the table that a page of the docs cites:
#   compact.py PAGE.csv RUN=REPORT.json[@COMMIT]...
# A run's rows replace its earlier ones. COMMIT: the measured commit, by default HEAD. Times are median microseconds,
# errors parts of the bound.
import argparse
import csv
import json
import pathlib
import subprocess
import sys

COLUMNS = ['run', 'routine', 'form', 'shape', 'what', 'direction', 'layout', 'memory', 'distribution', 'asked', 'by', 'us',
           'peer_us', 'ratio', 'loss', 'error', 'worst', 'chosen']


def number(x, digits=4):
    return '' if x is None else f'{float(f"{x:.{digits}g}"):.12g}'


def microseconds(x):
    """One time, or statistics of several."""
    return '' if x is None else number(1e6 * (x['median'] if isinstance(x, dict) else x))


def shape(row):
    """The shape as --shape takes it, or a convolution's layer."""
    if 'layer' in row:
        return row['layer']
    batch = f'*{row["batch"]}' if row.get('batch', 1) != 1 else ''
    pad = f'+{row["pad"]}' if row.get('pad') else ''
    return f'{row["m"]}x{row["n"]}x{row["k"]}{pad}{batch}'


def compact(run, row):
    """A table row from one of a report."""
    seconds = row.get('seconds', row.get('median', row.get('gpu_seconds')))
    by = row.get('kernel') or row.get('by') or row.get('way') or row.get('engine') or ('gpu' if 'gpu_seconds' in row else '')
    return {
        **{name: row.get(name, '') for name in ('routine', 'what', 'direction', 'layout', 'memory', 'distribution', 'chosen')},
        'run': run, 'form': row.get('form') or row.get('transposes', ''), 'shape': shape(row), 'asked': row.get('asked_math_mode', ''),
        'by': by, 'us': microseconds(seconds), 'peer_us': microseconds(row.get('peer_seconds', row.get('cpu_seconds'))),
        'ratio': number(row.get('ratio')), 'loss': number(row.get('loss')),
        'error': number(row.get('error_over_bound', row.get('error')), 3), 'worst': number(row.get('worst'), 3)}


def comment(run, report, commit):
    """Machine and peer of the run."""
    gpu, clocks = report.get('gpu'), report.get('clocks') or {}
    parts = [gpu['name'] + ', driver ' + gpu['driver'] if isinstance(gpu, dict) else gpu or report['cpu']]
    if clocks.get('mhz'):
        parts.append(f'{clocks["mhz"][0]:.0f} to {clocks["mhz"][1]:.0f} MHz')
    peers = [report['peer']['version']] if 'peer' in report else list(report.get('peers', {}).values())
    parts += [*peers, *report.get('notes', []), report.get('date', '')[:10], f'commit {commit}' if commit else '']
    return f'# {run}: ' + '; '.join(part for part in parts if part)


def read(path):
    """{run: comment} and rows of a table; empty for a missing file."""
    if not path.exists():
        return {}, []
    lines = path.read_text(encoding='utf-8').splitlines()
    comments = {line[2:].split(':')[0]: line for line in lines if line.startswith('# ')}
    return comments, list(csv.DictReader(line for line in lines if not line.startswith('#')))


def main():
    parser = argparse.ArgumentParser(prog='compact.py')
    parser.add_argument('table', type=pathlib.Path)
    parser.add_argument('reports', nargs='+', metavar='RUN=REPORT.json[@COMMIT]')
    options = parser.parse_args()
    comments, rows = read(options.table)
    for argument in options.reports:
        run, _, rest = argument.partition('=')
        path, _, commit = rest.partition('@')
        if not commit:
            commit = subprocess.run(['git', 'rev-parse', '--short', 'HEAD'], capture_output=True, text=True).stdout.strip()
        try:
            report = json.loads(pathlib.Path(path).read_text(encoding='utf-8'))
            measured = [row for row in report.get('results', report.get('rows')) if row.get('state', 'measured') == 'measured']
            new = [compact(run, row) for row in measured]
        except (OSError, ValueError, TypeError, LookupError) as error:
            sys.exit(f'compact.py: {argument}: is no report of libsgemm bench: {error}')
        comments[run] = comment(run, report, commit)
        rows = [row for row in rows if row['run'] != run] + new
    columns = [name for name in COLUMNS if any(row.get(name) for row in rows)]
    with options.table.open('w', encoding='utf-8', newline='') as out:
        out.write(''.join(line + '\n' for line in comments.values()))
        writer = csv.DictWriter(out, columns, restval='', extrasaction='ignore', lineterminator='\n')
        writer.writeheader()
        writer.writerows(rows)


main()
