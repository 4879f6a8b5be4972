# Makes Debian packages of a build's CPU parts, installs them into an empty root with dpkg, and there runs a program
# linked by pkg-config, the command, and NumPy with the drop-in.
#   packages.py BUILD CPACK CC
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import clientlib

HERE = pathlib.Path(__file__).resolve().parent
BUILD, CPACK, CC = sys.argv[1:]
BUILD = pathlib.Path(BUILD)


def run(command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        clientlib.fail(f'{shlex.join(map(str, command))} ended with {done.returncode}', done.stdout, done.stderr)
    return done.stdout


def environment(**more):
    """Drops variables that help to find a library; dpkg needs the administrator's PATH."""
    drop = ('LD_', 'LIBSGEMM_', 'PKG_CONFIG', 'CFLAGS', 'LDFLAGS')
    kept = {k: v for k, v in os.environ.items() if not k.startswith(drop)}
    return {**kept, 'PATH': os.environ['PATH'] + ':/usr/sbin:/sbin', **more}


def make(folder):
    """{package: its .deb}"""
    components = ['core', 'dev'] + (['bin'] if (BUILD / 'bin/libsgemm').exists() else [])
    run([CPACK, '--config', BUILD / 'CPackConfig.cmake', '-G', 'DEB', '-B', folder,
         '-D', f'CPACK_COMPONENTS_ALL={";".join(components)}', '-D', 'CPACK_PACKAGING_INSTALL_PREFIX=/usr'])
    debs = {run(['dpkg-deb', '--field', deb, 'Package']).strip(): deb for deb in folder.glob('*.deb')}
    expected = {'core': 'libsgemm0', 'dev': 'libsgemm-dev', 'bin': 'libsgemm-bin'}
    if set(debs) != {expected[component] for component in components}:
        clientlib.fail(f'of {components} CPack made {sorted(debs)}')
    return debs


def check_fields(debs):
    def field(package, name):
        return run(['dpkg-deb', '--field', debs[package], name]).strip()
    version = field('libsgemm0', 'Version')
    expected = [('libsgemm0', 'Depends', r'\blibc6 \(>= .*\blibstdc\+\+6 \(>= '), ('libsgemm0', 'Recommends', r'^libopenblas0 \|'),
                ('libsgemm-dev', 'Depends', rf'^libsgemm0 \(= {re.escape(version)}\)'), ('libsgemm0', 'Section', '^libs$'),
                ('libsgemm-dev', 'Section', '^libdevel$')]
    if 'libsgemm-bin' in debs:
        expected += [('libsgemm-bin', 'Depends', rf'\blibsgemm0 \(= {re.escape(version)}\).*\blibc6\b|'
                                                 rf'\blibc6\b.*\blibsgemm0 \(= {re.escape(version)}\)')]
    for package, name, pattern in expected:
        if not re.search(pattern, field(package, name)):
            clientlib.fail(f'{package}: {name} is "{field(package, name)}", expected {pattern}')
    shlibs = run(['dpkg-deb', '--info', debs['libsgemm0'], 'shlibs'])
    for library in ['libsgemm', 'libsgemm_blas']:
        if f'{library} 0 libsgemm0 (>= {version})' not in shlibs:
            clientlib.fail(f'shlibs does not tell who has {library}.so.0', shlibs)


def install(debs, root):
    """dpkg refuses a file of two packages. Only unpacks: dependencies and ldconfig are this machine's."""
    database = root / 'var/lib/dpkg'
    for folder in ['info', 'updates', 'triggers']:
        (database / folder).mkdir(parents=True)
    (database / 'status').touch()
    run(['dpkg', '--force-not-root', '--force-depends', f'--root={root}', f'--log={root}/log', '--unpack', *debs.values()],
        env=environment())
    listed = run(['dpkg-query', f'--admindir={database}', '--show', '--showformat', '${Package} ${Status}\n'])
    for package in debs:
        if f'{package} install ok unpacked' not in listed:
            clientlib.fail(f'{package} is not installed', listed)


def link_and_run(prefix, folder, backends):
    pc = next(prefix.rglob('libsgemm.pc'))
    libraries = pc.parent.parent
    for program, source, module in [('consumer_c', 'consumer.c', 'libsgemm'), ('consumer_blas', 'consumer_blas.c', 'libsgemm_blas')]:
        flags = shlex.split(run(['pkg-config', '--cflags', '--libs', module], env=environment(PKG_CONFIG_PATH=str(pc.parent))))
        run([CC, '-std=c99', HERE / 'consumer' / source, '-o', folder / program, *flags], env=environment())
        for backend in backends:
            env = environment(LD_LIBRARY_PATH=str(libraries), LIBSGEMM_BACKEND=backend, LIBSGEMM_STRICT='1', LD_DEBUG='files',
                              LD_DEBUG_OUTPUT=str(folder / f'{program}.{backend}'))
            output = run([folder / program], env=env)
            loaded = ''.join(log.read_text() for log in folder.glob(f'{program}.{backend}.*'))
            ours = set(re.findall(r'calling init: (\S*libsgemm\S*)', loaded))
            if not ours or not all(path.startswith(str(prefix)) for path in ours):
                clientlib.fail(f'{program} loaded {ours}, not what is installed below {prefix}')
            print(f'{program}: {output.strip()} ({backend}; {len(ours)} libraries of the packages)')
    return libraries


def main():
    for tool in ['dpkg', 'dpkg-deb', 'dpkg-shlibdeps', 'pkg-config']:
        if not shutil.which(tool):
            clientlib.skip(f'{tool} is not installed')
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch).resolve()
        debs = make(scratch / 'debs')
        check_fields(debs)
        root = scratch / 'root'
        install(debs, root)
        prefix = root / 'usr'
        backends = ['ref'] + (['openblas'] if clientlib.backend_missing(BUILD, 'openblas') is None else [])
        programs = scratch / 'programs'
        programs.mkdir()
        libraries = link_and_run(prefix, programs, backends)
        if 'libsgemm-bin' in debs and 'ref' not in run([prefix / 'bin/libsgemm', 'info'], env=environment()):
            clientlib.fail('libsgemm info of the packages does not name ref')
        (scratch / 'tree').mkdir()
        (scratch / 'tree/lib').symlink_to(libraries)  # as in a build
        for backend in backends:
            done = subprocess.run([sys.executable, HERE / 'numpy_client.py', scratch / 'tree', 'numpy', backend, '/usr/bin/python3'],
                                  capture_output=True, text=True)
            if done.returncode not in (0, clientlib.SKIPPED):
                clientlib.fail('NumPy with the drop-in of the packages', done.stdout, done.stderr)
            print(done.stdout.strip())


main()
