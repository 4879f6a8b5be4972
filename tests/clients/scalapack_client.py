# Runs a ScaLAPACK program on 4 MPI ranks under the drop-in, and checks which calls arrive.
#   scalapack_client.py BUILD BACKEND [PROGRAM MPIRUN] [--runtime SANITIZER_RUNTIME]
# Skipped without PROGRAM and MPIRUN: ScaLAPACK is missing.
import argparse
import pathlib
import subprocess
import tempfile

import clientlib

RANKS = 4


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('backend')
    parser.add_argument('program', nargs='?')
    parser.add_argument('mpirun', nargs='?')
    parser.add_argument('--runtime', default='')
    args = parser.parse_args()
    if not args.mpirun:
        clientlib.skip('no ScaLAPACK for Open MPI (libscalapack-openmpi-dev) when this was built')
    clientlib.need_backend(args.build, args.backend)

    with tempfile.TemporaryDirectory() as stats:
        env = clientlib.environment(args.build, args.backend, stats, args.runtime, OPENBLAS_NUM_THREADS='1',
                                    OMP_NUM_THREADS='1')
        # Only ranks get the drop-in. They may outnumber the cores, and CI runs as root.
        preload = env.pop('LD_PRELOAD')
        command = [args.mpirun, '--allow-run-as-root', '--oversubscribe', '--mca', 'btl', 'self,vader', '-np', str(RANKS),
                   '-x', f'LD_PRELOAD={preload}', args.program]
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        print(done.stdout, end='')
        if done.returncode != 0:
            clientlib.fail(f'mpirun ended with {done.returncode}', done.stdout, done.stderr)
        if f'{RANKS} ranks (2 x 2): 0 elements wrong' not in done.stdout:
            clientlib.fail('no result', done.stdout, done.stderr)
        processes = len(list(pathlib.Path(stats).glob('*.stats')))
        totals = clientlib.calls_by_entry(clientlib.read_stats(stats), args.backend)
    if processes != RANKS:
        clientlib.fail(f'{processes} processes counted calls, not {RANKS}')
    # Each rank multiplies at least one block of each of four products.
    if totals.get('sgemm_', 0) < 4 * RANKS:
        clientlib.fail(f'too few calls of sgemm_ arrived: {totals}')
    print(f'psgemm over {RANKS} ranks, {args.backend}: {totals["sgemm_"]} calls arrived as sgemm_')


main()
