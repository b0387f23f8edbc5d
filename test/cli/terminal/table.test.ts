import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { table } from '../../../src/cli/terminal/table.ts';
import { green } from '../../../src/cli/terminal/text.ts';

const columns = [{ title: 'ID', whole: true }, { title: 'NAME' }, { title: 'REASON' }];
const rows = [
  ['evt_1', 'short', 'because it was so for a very long time and still is, as everybody knows'],
  ['evt_22', '日本語テキスト', 'x'],
];

describe('table', () => {
  it.each([40, 60, 80, 120])('fits %i columns and truncates no identifier', (width) => {
    const lines = table(columns, rows, { width, color: false }).split('\n');
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
    expect(lines.join('\n')).toContain('evt_22');
  });

  it('prints records where columns would become too narrow', () => {
    const ids = [{ title: 'ID', whole: true }, { title: 'URL' }];
    const id = 'wh_9ffff433f4fa963f38f294c637476c';
    const made = table(
      ids,
      [
        [id, 'https://example.com/one'],
        [id, ''],
      ],
      { width: 40, color: false },
    );
    expect(made).toBe(`ID   ${id}\nURL  https://example.com/one\n\nID   ${id}\nURL`);
  });

  it('truncates nothing that fits', () => {
    expect(table(columns, rows, { width: 200, color: false })).toContain(rows[0]![2]);
  });

  it('is tab-separated and not truncated in a pipe', () => {
    expect(table(columns, rows, { width: undefined, color: false }).split('\n')).toEqual([
      'ID\tNAME\tREASON',
      rows[0]!.join('\t'),
      rows[1]!.join('\t'),
    ]);
  });

  it('sanitizes cells and keeps each on one line', () => {
    const text = table([{ title: 'A' }], [['x\u001b[2J\ny\tz']], { width: undefined, color: true });
    expect(text).toBe('A\nx\\x1b[2J\\ny\\tz');
  });

  it('keeps the styles of cells', () => {
    expect(table([{ title: 'A' }], [[green('ok')]], { width: undefined, color: true })).toBe(
      'A\n\u001b[32mok\u001b[39m',
    );
  });
});
