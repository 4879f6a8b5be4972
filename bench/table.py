# Markdown tables from what `libsgemm bench --json` wrote, for the README: table.py RESULTS.json...
# A suite becomes one table a backend, shape by transposes; a ladder becomes one row a step.
import json
import sys


def read(path):
    try:
        with open(path, encoding='utf-8') as file:
            report = json.load(file)
        report['results'][0]['m']
    except (OSError, ValueError, TypeError, LookupError) as error:
        sys.exit(f'table.py: {path}: is no report of libsgemm bench: {error}')
    return report


def describe(report):
    """One sentence: what was measured on what, when, against what."""
    gpu = report.get('gpu')
    machine = f"{gpu['name']} ({gpu['arch']}), driver {gpu['driver']}" if gpu else f"{report['cpu']}"
    text = f"libsgemm {report['libsgemm']} on {machine}, {report['date'][:10]}"
    if 'peer' in report:
        text += f"; against {report['peer']['version']}"
    if gpu:
        text += f"; measured FP32 peak {gpu['peak_gflops'] / 1e3:.1f} TFLOP/s, copies {gpu['copy_gbytes']:.0f} GB/s"
    clocks = report.get('clocks', {})
    if clocks.get('samples'):
        text += (f"; {clocks['mhz'][0]:.0f} to {clocks['mhz'][1]:.0f} MHz, at most {clocks['watts'][1]:.0f} W"
                 + (f", clocks limited by: {clocks['throttle_reasons']}" if clocks['throttle_reasons'] else ''))
    return text + '.'


def print_rows(rows):
    print('| ' + ' | '.join(rows[0]) + ' |')
    print('|' + '---|' * len(rows[0]))
    for row in rows[1:]:
        print('| ' + ' | '.join(row) + ' |')
    print()


def speed(result, gpu):
    """TFLOP/s on a GPU, GFLOP/s elsewhere."""
    gflops = result['seconds']['gflops']
    return f'{gflops / 1e3:.2f}' if gpu else f'{gflops:.1f}'


def cell(result, gpu):
    if result is None:
        return ''
    if result['state'] != 'measured':
        return result['state']
    return speed(result, gpu) + (f" ({result['ratio']:.2f})" if 'ratio' in result else '')


def suite_tables(report):
    gpu = 'gpu' in report
    results = report['results']
    for routine, backend in dict.fromkeys((r['routine'], r['backend']) for r in results):
        own = [r for r in results if (r['routine'], r['backend']) == (routine, backend)]
        transposes = list(dict.fromkeys(r['transposes'] for r in own))
        shapes = list(dict.fromkeys((r['m'], r['n'], r['k'], r['pad'], r['what']) for r in own))
        found = {(r['m'], r['n'], r['k'], r['pad'], r['what'], r['transposes']): r for r in own}
        peer = f" (ratio to {report['peer']['name']})" if 'peer' in report else ''
        print(f"`{routine}` by `{backend}`, {'T' if gpu else 'G'}FLOP/s{peer}:\n")
        rows = [['m', 'n', 'k', ''] + transposes]
        for shape in shapes:
            m, n, k, pad, what = shape
            note = ', '.join(filter(None, [what, f'ld + {pad}' if pad else '']))
            rows.append([str(m), str(n), str(k), note] + [cell(found.get(shape + (t,)), gpu) for t in transposes])
        means = report.get('geometric_mean_ratio_by_transposes', {})
        if len({r['routine'] for r in results}) == 1 and f'{backend} {transposes[0]}' in means:
            overall = report['geometric_mean_ratio'][backend]
            rows.append(['', '', '', f'geometric mean of the ratio: {overall:.3f}'] +
                        [f"{means[f'{backend} {t}']:.3f}" for t in transposes])
        print_rows(rows)


def ladder_table(report):
    first = report['results'][0]
    peer = report.get('peer', {}).get('name')
    print(f"{first['m']} x {first['n']} x {first['k']}, {first['transposes']}:\n")
    rows = [['kernel', 'adds', 'TFLOP/s'] + ([f'of {peer}'] if peer else []) + ['of the peak']]
    for adds, result in zip(report['ladder'], report['results']):
        row = [f"`{result['kernel']}`", adds]
        if result['state'] != 'measured':
            rows.append(row + [result['state']] + [''] * (len(rows[0]) - 3))
            continue
        row.append(speed(result, True))
        if peer:
            row.append(f"{100 * result['ratio']:.1f} %" if 'ratio' in result else '')
        peak = report['gpu']['peak_gflops']  # 0: not known
        rows.append(row + [f"{100 * result['seconds']['gflops'] / peak:.1f} %" if peak else ''])
    print_rows(rows)


if len(sys.argv) < 2:
    print('usage: table.py RESULTS.json...', file=sys.stderr)
    sys.exit(2)
for name in sys.argv[1:]:
    data = read(name)
    print(describe(data) + '\n')
    ladder_table(data) if 'ladder' in data else suite_tables(data)
