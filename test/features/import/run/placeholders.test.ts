import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../../support/process/run-svc.ts';
import { imported } from '../../../support/scenarios/imported.ts';
import { tempDir } from '../../../support/temp.ts';

const TIME = '2026-01-31T12:00:00Z';
const CSV = `who,what,at\n${`u1,view,${TIME}\n`.repeat(3)}`;
const JSONL = `{"who":"u1","what":"view","at":"${TIME}"}\n`.repeat(3);
const rest = ['--map', 'event=what', '--map', 'timestamp=at'];

test.each([
  ['userId=USER_ID', [...rest]],
  ['event=EVENT_NAME', ['--map', 'userId=who', '--map', 'timestamp=at']],
  ['timestamp=TIMESTAMP', ['--map', 'userId=who', '--map', 'event=what', '--no-validate']],
])('a constant that was left as it was printed is refused: %s', async (constant, flags) => {
  for (const [name, text] of [
    ['a.csv', CSV],
    ['a.ndjson', JSONL],
  ] as const) {
    const { code, stdout, stderr } = await imported(name, text, '--set', constant, ...flags);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`--set ${constant} is as it was printed`);
  }
});

test('so is one in a mapping file', async () => {
  const home = tempDir();
  writeFileSync(join(home, 'a.csv'), CSV);
  const mapping = { version: 1, map: { event: 'what', timestamp: 'at' }, set: { userId: 'USER_ID' } };
  writeFileSync(join(home, 'm.json'), JSON.stringify(mapping));
  const run = await runSvc(['events', 'import', 'a.csv', '-p', 'local', '--mapping', 'm.json'], {
    home,
    cwd: home,
  });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain('--set userId=USER_ID is as it was printed');
});

test.each(['USER_ID_COLUMN', 'USER_ID', 'COLUMN'])(
  'a path that no record has is refused: %s',
  async (path) => {
    for (const more of [[], ['--no-preflight']]) {
      const flags = ['--map', `userId=${path}`, ...rest, ...more];
      const { code, stderr } = await imported('a.ndjson', JSONL, ...flags);
      expect(code).toBe(2);
      expect(stderr).toContain(`a.ndjson has no ${path}, which stands for one of its paths`);
      const table = await imported('a.csv', CSV, ...flags);
      expect(table.code).toBe(2);
      expect(table.stderr).toContain(`a.csv has no column ${path}`);
    }
  },
);

test('a column of such a name is one, and so is a constant of a property', async () => {
  const csv = `USER_ID,what,at\nu1,view,${TIME}\n`;
  const one = await imported('a.csv', csv, '--map', 'userId=USER_ID', ...rest, '--set', 'kind=COLUMN');
  expect(one.code).toBe(0);
  const json = `{"USER_ID":"u1","what":"LOGIN","at":"${TIME}"}\n`;
  const flags = ['--map', 'userId=USER_ID', '--map', 'timestamp=at', '--set', 'event=LOGIN'];
  expect((await imported('a.ndjson', json, ...flags, '--extra-fields', 'drop')).code).toBe(0);
});
