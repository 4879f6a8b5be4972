# Plots reports of `libsgemm bench ... --json` and `libsgemm probe --json`:
#   plot.py RESULTS.json [-o FILE.svg] [--routine sgemm] [--transposes NN] [--side left] [--uplo upper]
# By default the picture is next to the input, as .svg. --sweep: TFLOP/s over n of square calls, with the peer and the
# peak. --accuracy: the worst error over k, a panel for each distribution. Probe: a roofline for each processor, and
# SGEMM.
# Needs matplotlib (Debian: python3-matplotlib).
import argparse
import io
import json
import pathlib
import re
import sys

parser = argparse.ArgumentParser(prog='plot.py')
parser.add_argument('results', type=pathlib.Path)
parser.add_argument('-o', '--output', type=pathlib.Path, help='.svg or .png')
parser.add_argument('--routine', default='sgemm', help='of the calls that times are plotted of')
parser.add_argument('--transposes', help='of these calls: NN, N or -, as the report has them (default: without)')
parser.add_argument('--side', help='of these calls, left or right (default: left)')
parser.add_argument('--uplo', help='of these calls, lower or upper (default: upper)')
options = parser.parse_args()


def is_chosen(row):
    """Single square calls; options that the routine does not have are ignored."""
    wanted = {'transposes': options.transposes or 'N' * len(row['transposes'].replace('-', '')) or '-',
              'side': options.side or 'left', 'uplo': options.uplo or 'upper'}
    return (row['state'] == 'measured' and row['m'] == row['n'] == row['k'] and row['pad'] == 0 and
            row['routine'] == options.routine and row.get('batch', 1) == 1 and
            all(row.get(key, value) == value for key, value in wanted.items()))


SCALES = {'GFLOP/s': 1e9, 'TFLOP/s': 1e12, 'GB/s': 1e9}


try:
    report = json.loads(options.results.read_text(encoding='utf-8'))
    is_accuracy = 'accuracy' in report
    is_probe = 'figures' in report
    if is_probe:
        chosen = [f for f in report['figures'] if f['unit'] in SCALES and f['value'] > 0]
    elif is_accuracy:
        chosen = [r for r in report['results'] if r['state'] == 'measured' and r['worst']]
    else:
        chosen = [r for r in report['results'] if is_chosen(r)]
except (OSError, ValueError, TypeError, LookupError) as error:
    sys.exit(f'plot.py: {options.results}: is no report of libsgemm bench or probe: {error}')
if not chosen:
    form = ' '.join(filter(None, [options.side, options.uplo, options.transposes]))
    nothing = 'no error that is finite' if is_accuracy else f'no square {options.routine} {form}'.rstrip()
    if is_probe:
        nothing = 'no ceiling'
    sys.exit(f'plot.py: {options.results}: has {nothing}')
try:
    import matplotlib
except ImportError:
    sys.exit('plot.py: needs matplotlib (Debian: python3-matplotlib)')
matplotlib.use('Agg')
# The repository keeps the file: equal inputs must give equal files.
matplotlib.rcParams.update({'svg.hashsalt': 'libsgemm', 'svg.fonttype': 'none', 'font.sans-serif': ['DejaVu Sans']})
import matplotlib.pyplot as plt  # noqa: E402


def distinct(values):
    return list(dict.fromkeys(values))


def describe(what):
    machine = report['gpu']['name'] if 'gpu' in report else report['cpu']
    return f"{what}, {machine}, {report['date'][:10]}"


def draw_times():
    figure, axes = plt.subplots(figsize=(9, 5))

    def draw(label, rows, key, style):
        rows = sorted(rows, key=lambda r: r['n'])
        sizes = [r['n'] for r in rows]
        work = [1e-12 * r['flops'] for r in rows]
        line, = axes.plot(sizes, [1e-3 * r[key]['gflops'] for r in rows], style, label=label,
                          markersize=3 if len(sizes) < 10 else 0)
        axes.fill_between(sizes, [w / r[key]['upper_quartile'] for w, r in zip(work, rows)],
                          [w / r[key]['lower_quartile'] for w, r in zip(work, rows)], color=line.get_color(), alpha=0.2)

    def who(row):
        return ' '.join(filter(None, [row['backend'], row.get('asked_math_mode')]))

    for name in distinct(map(who, chosen)):
        draw(f'libsgemm ({name})', [r for r in chosen if who(r) == name], 'seconds', 'o-')
    with_peer = {r['n']: r for r in chosen if 'peer_seconds' in r}
    if with_peer:
        draw(report['peer']['version'].split(',')[0], with_peer.values(), 'peer_seconds', 's--')
    peak = report.get('gpu', {}).get('peak_gflops')
    if peak:
        axes.axhline(1e-3 * peak, color='grey', linestyle=':', label='measured FP32 peak')
    axes.set_xlabel('m = n = k')
    axes.set_ylabel('TFLOP/s')
    axes.set_ylim(bottom=0)
    axes.locator_params(nbins=5)
    axes.spines[['top', 'right']].set_visible(False)
    axes.grid(alpha=0.3)
    axes.legend(loc='upper center', bbox_to_anchor=(0.5, -0.12), ncol=3, frameon=False)
    axes.set_title(describe(f"{options.routine.upper()} {chosen[0].get('form', chosen[0]['transposes'])}"))
    return figure


def draw_errors():
    names = distinct(r['distribution'] for r in chosen)
    engines = distinct(r['engine'] for r in chosen)
    figure, panels = plt.subplots(1, len(names), figsize=(3.2 * len(names), 4.5), sharey=True, squeeze=False)
    ticks = sorted({r['k'] for r in chosen})
    colors = plt.get_cmap('tab10' if len(engines) <= 10 else 'tab20').colors
    for axes, name in zip(panels[0], names):
        for i, engine in enumerate(engines):
            rows = sorted((r for r in chosen if (r['engine'], r['distribution']) == (engine, name)),
                          key=lambda r: r['k'])
            is_peer = engine in report['peers']
            axes.plot([r['k'] for r in rows], [r['worst'] for r in rows], 's--' if is_peer else 'o-', label=engine,
                      color=colors[i % len(colors)], markersize=4)
        axes.set_xscale('log', base=2)
        axes.set_yscale('log')
        axes.set_xticks(ticks, [str(k) for k in ticks])
        axes.set_xlabel('k')
        axes.set_title(name)
        axes.grid(alpha=0.3)
    panels[0][0].set_ylabel('worst |error| / (|A||B|), in units of $2^{-24}$')
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc='center left', bbox_to_anchor=(0.91, 0.5))
    figure.suptitle(describe('Error of SGEMM against FP64'))
    return figure


def highest(figures, name_of):
    """The highest rate under each name; name_of returns None for figures that do not count."""
    best = {}
    for figure in figures:
        name, rate = name_of(figure), figure['value'] * SCALES[figure['unit']]
        if name:
            best[name] = max(rate, best.get(name, 0))
    return best


def arithmetic_of(figure):
    if figure['group'] == 'fma':
        return 'FFMA' if figure['backend'] == 'cuda' else 'FMA'
    # "wgmma f16, m64n256k16, A from registers"
    return figure['what'].split(',')[0] if figure['group'] == 'tensor' else None


def memory_of(figure):
    # "device memory, read"; "L2 cache, copy, 2 threads"
    return figure['what'].split(',')[0] if figure['group'] == 'memory' else None


def product_of(figure):
    # "libsgemm, 8192 x 8192 x 8192, row", without the size
    return ', '.join(part for part in figure['what'].split(', ') if ' x ' not in part)


def draw_roofline():
    backends = distinct(f['backend'] for f in chosen)
    figure, panels = plt.subplots(1, len(backends), figsize=(7 * len(backends), 5), squeeze=False)
    for axes, backend in zip(panels[0], backends):
        own = [f for f in chosen if f['backend'] == backend]
        arithmetic, memory = highest(own, arithmetic_of), highest(own, memory_of)
        intensities = [2.0 ** i for i in range(-4, 14)]
        most = max(arithmetic.values(), default=max(memory.values(), default=0) * intensities[-1])
        for i, (name, rate) in enumerate(memory.items()):
            reached = [x for x in intensities if x * rate <= most] + [most / rate]
            axes.plot(reached, [1e-12 * x * rate for x in reached], '--', color=f'C{i}', label=f'{name}, {1e-9 * rate:.0f} GB/s')
        for i, (name, rate) in enumerate(sorted(arithmetic.items(), key=lambda item: item[1])):
            begin = rate / max(memory.values()) if memory else intensities[0]
            axes.plot([begin, intensities[-1]], [1e-12 * rate] * 2, color=f'C{len(memory) + i}',
                      label=f'{name}, {1e-12 * rate:.3g} TFLOP/s')
        for marker, f in zip('osD^v', [f for f in own if f['group'] == 'sgemm']):
            axes.plot([f['flops_per_byte']], [1e-12 * f['value'] * SCALES[f['unit']]], marker, color='black', fillstyle='none',
                      label=f"{product_of(f)}, {1e-12 * f['value'] * SCALES[f['unit']]:.3g} TFLOP/s")
        axes.set_xscale('log', base=2)
        axes.set_yscale('log')
        axes.set_xlabel('FLOP for a byte of memory')
        axes.set_ylabel('TFLOP/s')
        axes.set_title(backend)
        axes.grid(alpha=0.3)
        axes.legend(fontsize='small')
    figure.suptitle(describe('What the chip allows, and SGEMM'))
    return figure


def shorter(svg):
    """The same picture with one decimal in attributes, and without indents, names of groups and rotations by 0."""
    def shorter_tag(match):
        tag = re.sub(r'\s+', ' ', match[0])
        tag = re.sub(r'(?<=^<g) id="[^"]*"| transform="rotate\(-?0 [^"]*"', '', tag)
        return re.sub(r'\d+\.\d{3,}', lambda number: f'{round(float(number[0]), 1):g}', tag)
    return re.sub(r'<[^>]*>', shorter_tag, re.sub(r'\n +<', '\n<', svg))


picture = draw_roofline() if is_probe else draw_errors() if is_accuracy else draw_times()
output = options.output or options.results.with_suffix('.svg')
try:
    if output.suffix == '.svg':
        svg = io.StringIO()
        # None omits the element from the metadata.
        picture.savefig(svg, format='svg', bbox_inches='tight', metadata=dict.fromkeys(['Creator', 'Date', 'Format', 'Type']))
        output.write_text(shorter(svg.getvalue()), encoding='utf-8')
    else:
        picture.savefig(output, bbox_inches='tight')
except (OSError, ValueError) as error:
    sys.exit(f'plot.py: {output}: cannot be written: {error}')
