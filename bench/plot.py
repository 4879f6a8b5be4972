# GFLOP/s over n of square products from what `libsgemm bench --sweep ... --json` wrote, against the peer and the peak:
#   plot.py RESULTS.json [-o FILE.svg] [--transposes NN]      (default: beside the input, .svg)
# Needs matplotlib (Debian: python3-matplotlib).
import argparse
import json
import pathlib
import sys

parser = argparse.ArgumentParser(prog='plot.py')
parser.add_argument('results', type=pathlib.Path)
parser.add_argument('-o', '--output', type=pathlib.Path, help='.svg or .png')
parser.add_argument('--transposes', default='NN')
options = parser.parse_args()

try:
    report = json.loads(options.results.read_text(encoding='utf-8'))
    squares = [r for r in report['results'] if r['state'] == 'measured' and r['m'] == r['n'] == r['k'] and
               r['pad'] == 0 and r['routine'] == 'sgemm' and r['transposes'] == options.transposes]
except (OSError, ValueError, TypeError, LookupError) as error:
    sys.exit(f'plot.py: {options.results}: is no report of libsgemm bench: {error}')
if not squares:
    sys.exit(f'plot.py: {options.results}: has no square product with {options.transposes}')
try:
    import matplotlib
except ImportError:
    sys.exit('plot.py: needs matplotlib (Debian: python3-matplotlib)')
matplotlib.use('Agg')
# The same input gives the same file, which is kept in the repository.
matplotlib.rcParams['svg.hashsalt'] = 'libsgemm'
import matplotlib.pyplot as plt  # noqa: E402

figure, axes = plt.subplots(figsize=(9, 5))


def draw(label, rows, key, style):
    rows = sorted(rows, key=lambda r: r['n'])
    sizes = [r['n'] for r in rows]
    work = [1e-9 * r['flops'] for r in rows]
    line, = axes.plot(sizes, [r[key]['gflops'] for r in rows], style, label=label, markersize=3)
    # Quartiles of the time, as speed.
    axes.fill_between(sizes, [w / r[key]['upper_quartile'] for w, r in zip(work, rows)],
                      [w / r[key]['lower_quartile'] for w, r in zip(work, rows)], color=line.get_color(), alpha=0.2)


for backend in dict.fromkeys(r['backend'] for r in squares):
    draw(f'libsgemm ({backend})', [r for r in squares if r['backend'] == backend], 'seconds', 'o-')
with_peer = {r['n']: r for r in squares if 'peer_seconds' in r}
if with_peer:
    draw(report['peer']['name'], with_peer.values(), 'peer_seconds', 's--')
gpu = report.get('gpu')
if gpu and gpu['peak_gflops']:
    axes.axhline(gpu['peak_gflops'], color='grey', linestyle=':', label='measured FP32 peak')
axes.set_xlabel('m = n = k')
axes.set_ylabel('GFLOP/s')
axes.set_ylim(bottom=0)
axes.grid(alpha=0.3)
axes.legend(loc='lower right')
axes.set_title(f"SGEMM {options.transposes}, {gpu['name'] if gpu else report['cpu']}, {report['date'][:10]}")
output = options.output or options.results.with_suffix('.svg')
try:
    figure.savefig(output, bbox_inches='tight', **({'metadata': {'Date': None}} if output.suffix == '.svg' else {}))
except (OSError, ValueError) as error:
    sys.exit(f'plot.py: {output}: cannot be written: {error}')
