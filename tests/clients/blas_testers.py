# Runs a level-3 tester of the reference BLAS (Debian's libblas-test) under the drop-in: every routine passes, error
# exits included, and libsgemm serves every call that the tester counts.
#   blas_testers.py BUILD xblat3s|xscblat3 BACKEND [SANITIZER_RUNTIME]
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import clientlib

ROUTINES = ['sgemm', 'ssymm', 'strmm', 'strsm', 'ssyrk', 'ssyr2k']
SINCE_3_12 = 'sgemmtr'


def testers_folder():
    if os.environ.get('BLAS_TESTERS'):
        return pathlib.Path(os.environ['BLAS_TESTERS'])
    return next(pathlib.Path('/usr/lib').glob('*/blas/xblat3s'), pathlib.Path('/nonexistent/x')).parent


def strip_swapped_positions(output):
    """`output` without xscblat3's complaints about swapped positions: the reference's row-major calls report positions
    of the Fortran call with swapped operands, which the tester swaps back. libsgemm reports those of CBLAS, so the
    tester sees m for n, lda for ldb."""
    swapped = {'cblas_sgemm': [(4, 5), (9, 11)], 'cblas_ssymm': [(4, 5)], 'cblas_strmm': [(6, 7)],
               'cblas_strsm': [(6, 7)], 'cblas_ssyrk': [], 'cblas_ssyr2k': [],
               'cblas_sgemmtr': [(9, 11)]}
    for entry, pairs in swapped.items():
        total = 0
        for seen, meant in pairs + [(b, a) for a, b in pairs]:
            output, n = re.subn(rf'\*+ XERBLA WAS CALLED WITH INFO = {seen} INSTEAD OF {meant} in {entry} \*+\s*'
                                rf'\*+ ILLEGAL VALUE OF PARAMETER NUMBER {meant} NOT DETECTED BY {entry} \*+', '', output)
            total += n
        if total:
            output = re.sub(rf'\*+ {entry} FAILED THE TESTS OF ERROR-EXITS \*+',
                            f'{entry} PASSED THE TESTS OF ERROR-EXITS', output)
    return output


def reported_calls(tester, output):
    """Returns {entry: calls}. Every routine must pass."""
    reported = {}
    for routine in ROUTINES + ([SINCE_3_12] if SINCE_3_12 in output.lower() else []):
        if tester == 'xblat3s':
            entry, name, layouts = routine + '_', routine.upper(), ['']
        else:
            entry = name = 'cblas_' + routine
            layouts = ['COLUMN-MAJOR ', 'ROW-MAJOR +']
        counts = [re.search(rf'^ *{name} +PASSED THE {layout}COMPUTATIONAL TESTS \( *(\d+) CALLS\)', output, re.M)
                  for layout in layouts]
        if not all(counts):
            clientlib.fail(f'{tester}: {name} did not pass the computational tests', output)
        if not re.search(rf'^ *{name} +PASSED THE TESTS OF ERROR-EXITS', output, re.M):
            clientlib.fail(f'{tester}: {name} did not pass the tests of error exits', output)
        reported[entry] = sum(int(match.group(1)) for match in counts)
    if re.search('FAIL|\\*{3}', output):
        clientlib.fail(f'{tester} reports a failure', output)
    return reported


def main():
    build, tester, backend = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    runtime = sys.argv[4] if len(sys.argv) > 4 else ''
    folder = testers_folder()
    if not (folder / tester).exists():
        clientlib.skip(f'{tester} not found; install libblas-test or set BLAS_TESTERS')
    clientlib.need_backend(build, backend)

    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        stats = scratch / 'stats'
        stats.mkdir()
        env = clientlib.environment(build, backend, stats, runtime)
        if tester == 'xscblat3':
            # The tester needs the reference's variable RowMajorStrg.
            if not (folder / 'libblas.so.3').exists():
                clientlib.skip(f'{tester} needs the reference BLAS {folder}/libblas.so.3; install libblas3')
            env['LD_LIBRARY_PATH'] = str(folder)
        shipped = (folder / {'xblat3s': 'sblat3.in', 'xscblat3': 'sin3'}[tester]).read_text()
        done, bound = clientlib.bindings([folder / tester], env, cwd=scratch, input=shipped, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True)
        output = strip_swapped_positions(done.stdout)
        if tester == 'xblat3s' and (scratch / 'sblat3.out').exists():
            output = (scratch / 'sblat3.out').read_text()
        if done.returncode != 0 or 'END OF TESTS' not in output:
            clientlib.fail(f'{tester} ended with {done.returncode}', output, done.stdout, done.stderr)

        reported = reported_calls(tester, output)
        calls = clientlib.read_stats(stats)
        arrived = clientlib.calls_by_entry(calls, backend)
        if arrived != reported:
            clientlib.fail(f'{tester} counts {reported}, libsgemm {arrived}')
        for entry in reported:
            targets = {target for source, target in bound.get(entry, ()) if source == tester}
            if targets != {'libsgemm_blas.so'}:
                clientlib.fail(f'{tester}: {entry} is bound to {targets or "nothing"}')
        if set(clientlib.calls_computed(calls, backend)) != set(reported):
            clientlib.fail(f'not every routine was computed by {backend}: {calls}')

    for entry, count in reported.items():
        print(f'{tester} {backend}: {entry:13} passed, all its {count} calls arrived')


main()
