import type { Row } from '../../listen/conformance/run.ts';
import { fixLines } from '../../listen/render.ts';
import type { Output } from '../output.ts';
import { bold, green, red, type Text } from '../render/text.ts';

/** The rows of a conformance run, and under them how each failed one is mended. */
export function conformanceText(rows: readonly Row[], out: Pick<Output, 'table'>): Text {
  const table = out.table(
    [
      { title: '' },
      { title: 'DELIVERY' },
      { title: 'WANTED' },
      { title: 'ANSWERED' },
      { title: 'WHAT IS TRIED' },
    ],
    rows.map((row) => [
      row.passed ? green('✓') : red('✗'),
      row.name,
      row.expected,
      row.status === null ? 'nothing' : String(row.status),
      row.tries,
    ]),
  );
  return [table, ...advice(rows)];
}

function advice(rows: readonly Row[]): Text[] {
  const shown = new Set<string>();
  return rows
    .filter(({ passed }) => !passed)
    .flatMap(({ name, mistake, why, fix }): Text[] => {
      const heading: Text = ['\n', red(bold(name)), mistake ? ` (${mistake})` : '', `: ${why}`];
      const lines = fix ? fixLines({ fix }) : [];
      if (lines.length === 0 || shown.has(lines.join())) return [heading];
      shown.add(lines.join());
      return [heading, ...lines.map((line) => `\n  ${line}`)];
    });
}
