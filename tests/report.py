"""Reports a ctest run in words: report.py JUNIT.xml. Groups skipped tests by reason."""
import collections
import re
import sys
import xml.etree.ElementTree

WORDS = 'SKIPPED: '


def reason(case):
    output = case.findtext('system-out') or ''
    told = [line.split(WORDS, 1)[1].strip() for line in output.splitlines() if WORDS in line]
    return told[-1] if told else (output.strip().splitlines() or ['no reason given'])[-1]


cases = xml.etree.ElementTree.parse(sys.argv[1]).getroot().findall('testcase')
outcome = collections.Counter(case.get('status') for case in cases)
skipped = collections.defaultdict(list)
for case in cases:
    if case.get('status') in ('notrun', 'disabled'):
        skipped[re.sub(r'/\S*/', '', reason(case))].append(case.get('name'))
failed = [case.get('name') for case in cases if case.get('status') == 'fail']
seconds = sum(float(case.get('time') or 0) for case in cases)
print(f'{outcome["run"]} tests passed, {len(failed)} failed, {sum(map(len, skipped.values()))} were skipped '
      f'(their times add up to {seconds:.0f} s)')
for name in failed:
    print(f'  failed: {name}')
for why, names in sorted(skipped.items(), key=lambda item: -len(item[1])):
    shown = ', '.join(names[:4]) + (f' and {len(names) - 4} more' if len(names) > 4 else '')
    print(f'  skipped, {why}: {shown}')
