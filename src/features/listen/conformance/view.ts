import type { Output } from '../../../cli/terminal/output.ts';
import { bold, green, red, type Text } from '../../../cli/terminal/text.ts';
import { wrap } from '../../../kit/wrap.ts';
import { fixLines } from '../diagnosis-view.ts';
import type { Row } from './run.ts';

/**
 * Formats the rows of a conformance run as a table, followed by the fixes for those that failed.
 * @param columns width of the terminal; undefined in a pipe
 */
export function conformanceText(
  rows: readonly Row[],
  out: Pick<Output, 'table'>,
  columns: number | undefined,
): Text {
  const table = out.table(
    [
      { title: '' },
      { title: 'DELIVERY' },
      { title: 'EXPECTED' },
      { title: 'STATUS' },
      { title: 'DESCRIPTION' },
    ],
    rows.map((row) => [
      row.passed ? green('✓') : red('✗'),
      row.name,
      row.expected,
      row.status === null ? 'no answer' : String(row.status),
      row.tries,
    ]),
  );
  return [table, ...advice(rows, columns)];
}

/** Groups failed rows by reason, so that each mistake is explained once. */
function advice(rows: readonly Row[], columns: number | undefined): Text[] {
  const reasons = new Map<string, Row[]>();
  for (const row of rows.filter(({ passed }) => !passed)) {
    const reason = `${row.mistake ? ` (${row.mistake})` : ''}: ${row.why}`;
    reasons.set(reason, [...(reasons.get(reason) ?? []), row]);
  }
  const explained = new Set<string>();
  return [...reasons].flatMap(([reason, failed]): Text[] => {
    const names = failed.map(({ name }) => name).join(', ');
    const [first = '', ...more] = wrap(names + reason, columns, '');
    const heading: Text = [
      '\n',
      red(bold(first.slice(0, names.length))),
      first.slice(names.length),
      ...more.map((line) => `\n${line}`),
    ];
    const fix = failed[0]?.fix;
    const lines = fix ? fixLines({ fix }) : [];
    if (lines.length === 0 || explained.has(lines.join())) return [heading];
    explained.add(lines.join());
    return [heading, ...lines.map((line) => `\n  ${line}`)];
  });
}
