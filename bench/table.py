# Markdown tables for docs/speed.md from `libsgemm bench --json`:
#   table.py RESULTS.json...
#   table.py --modes RESULTS.json...    one table of times (of --math) and errors (of --accuracy) by math mode
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
    """One sentence: machine, date, peer."""
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


def who_of(result):
    """An engine's name, as in --accuracy."""
    return ' '.join(filter(None, [result['backend'], result.get('asked_math_mode')]))


def form_of(result):
    """A call's form: "NT", "left lower N x 16"."""
    return result.get('form', result['transposes'])


def suite_tables(report):
    gpu = 'gpu' in report
    results = report['results']
    def group(result):
        return result['routine'], who_of(result)

    for routine, who in dict.fromkeys(map(group, results)):
        own = [r for r in results if group(r) == (routine, who)]
        forms = list(dict.fromkeys(form_of(r) for r in own))
        shapes = list(dict.fromkeys((r['m'], r['n'], r['k'], r['pad'], r['what']) for r in own))
        found = {(r['m'], r['n'], r['k'], r['pad'], r['what'], form_of(r)): r for r in own}
        peer = f" (ratio to {report['peer']['name']})" if 'peer' in report else ''
        print(f"`{routine}` by `{who}`, {'T' if gpu else 'G'}FLOP/s{peer}:\n")
        rows = [['m', 'n', 'k', ''] + forms]
        for shape in shapes:
            m, n, k, pad, what = shape
            note = ', '.join(filter(None, [what, f'ld + {pad}' if pad else '']))
            rows.append([str(m), str(n), str(k), note] + [cell(found.get(shape + (f,)), gpu) for f in forms])
        means = report.get('geometric_mean_ratio_by_transposes', {})
        if len({r['routine'] for r in results}) == 1 and f'{who} {forms[0]}' in means:
            overall = report['geometric_mean_ratio'][who]
            rows.append(['', '', '', f'geometric mean of the ratio: {overall:.3f}'] +
                        [f"{means[f'{who} {f}']:.3f}" if f'{who} {f}' in means else '' for f in forms])
        print_rows(rows)
        for text in dict.fromkeys(r['peer_stand_in'] for r in own if 'peer_stand_in' in r):
            print(f"{report['peer']['name']}: {text}.\n")


def ladder_table(report):
    first = report['results'][0]
    peer = report.get('peer', {}).get('name')
    print(f"`{first['routine']}`, {first['m']} x {first['n']} x {first['k']}, {first['transposes']}:\n")
    rows = [['kernel', 'adds', 'TFLOP/s'] + ([f'of {peer}'] if peer else []) +
            ['of the peak' if first['routine'] == 'sgemm' else 'of the FP32 peak']]
    for adds, result in zip(report['ladder'], report['results']):
        row = [f"`{result['kernel']}`", adds]
        if result['state'] != 'measured':
            rows.append(row + [result['state']] + [''] * (len(rows[0]) - 3))
            continue
        row.append(speed(result, True))
        if peer:
            row.append(f"{100 * result['ratio']:.1f} %" if 'ratio' in result else '')
        peak = report['gpu']['peak_gflops']  # 0: unknown
        rows.append(row + [f"{100 * result['seconds']['gflops'] / peak:.1f} %" if peak else ''])
    print_rows(rows)


def error_text(result):
    if result['state'] == 'not supported' or 'worst' not in result:
        return result['problem']
    if result['worst'] is None:
        return f"{100 * result['not_finite'] / result['elements']:.3g} % overflow"
    ratio = f" ({result['worst_over_reference']:.2f})" if 'worst_over_reference' in result else ''
    worst = result['worst']
    return (f'{worst:.0f}' if worst >= 100 else f'{worst:.3g}') + ratio


def accuracy_tables(report):
    results = report['results']
    distributions = report['accuracy']['distributions']
    reference = report['accuracy'].get('reference')
    beside = f' (over that of {reference})' if reference else ''
    print(' '.join(f'{name.capitalize()}: {text}.' for name, text in distributions.items()) + '\n')
    for shape in dict.fromkeys((r['m'], r['n'], r['k'], r['pad'], r['transposes']) for r in results):
        own = [r for r in results if (r['m'], r['n'], r['k'], r['pad'], r['transposes']) == shape]
        print(f"{shape[0]} x {shape[1]} x {shape[2]}{f', ld + {shape[3]}' if shape[3] else ''} {shape[4]}: worst error in "
              f'units of 2^-24{beside}, of {max(r.get("elements", 0) for r in own)} elements:\n')
        rows = [[''] + list(distributions)]
        for engine in dict.fromkeys(r['engine'] for r in own):
            found = {r['distribution']: r for r in own if r['engine'] == engine}
            rows.append([engine] + [error_text(found[name]) for name in distributions])
        print_rows(rows)


def modes_table(reports):
    """A row for each engine, a column for each square size or distribution; errors are of the largest shape."""
    speeds, errors = {}, {}  # by engine, then by column
    sizes, shape = set(), None
    for report in reports:
        results = [r for r in report['results'] if r['m'] == r['n'] == r['k'] and r['pad'] == 0]
        if 'accuracy' in report:
            shape = max(r['k'] for r in results)
            for r in results:
                if r['k'] == shape:
                    errors.setdefault(r['engine'], {})[r['distribution']] = error_text(r)
            continue
        gpu = 'gpu' in report
        for r in results:
            if r['routine'] != 'sgemm' or r['state'] != 'measured':
                continue
            sizes.add(r['n'])
            missing = r.get('asked_math_mode', r['math_mode']) != r['math_mode']
            speeds.setdefault(who_of(r), {})[r['n']] = f"{r['math_mode']} ran" if missing else cell(r, gpu)
            if 'peer_seconds' in r:
                peer = {'seconds': r['peer_seconds']}
                speeds.setdefault(report['peer']['name'], {})[r['n']] = speed(peer, gpu)
    columns = [n for report in reports if 'accuracy' in report for n in report['accuracy']['distributions']]
    unit = 'T' if any('gpu' in report for report in reports) else 'G'
    rows = [[''] + [f'{n}, {unit}FLOP/s' for n in sorted(sizes)] +
            [f'error at {shape}, {name}' for name in dict.fromkeys(columns)]]
    peers = {name for report in reports for name in [report.get('peer', {}).get('name'), *report.get('peers', {})]}
    for engine in sorted(dict.fromkeys([*errors, *speeds]), key=lambda name: name in peers):
        rows.append([engine] + [speeds.get(engine, {}).get(n, '') for n in sorted(sizes)] +
                    [errors.get(engine, {}).get(name, '') for name in dict.fromkeys(columns)])
    print_rows(rows)


if len(sys.argv) < 2 or sys.argv[1:] == ['--modes']:
    print('usage: table.py [--modes] RESULTS.json...', file=sys.stderr)
    sys.exit(2)
if sys.argv[1] == '--modes':
    every = [read(name) for name in sys.argv[2:]]
    for data in every:
        print(describe(data) + '\n')
    modes_table(every)
    sys.exit(0)
for name in sys.argv[1:]:
    data = read(name)
    print(describe(data) + '\n')
    if 'accuracy' in data:
        accuracy_tables(data)
    elif 'ladder' in data:
        ladder_table(data)
    else:
        suite_tables(data)
