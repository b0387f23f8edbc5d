import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

/** A home with a CSV of three rows, whose second has no user. `svc` runs a command line as it was printed. */
function place() {
  const home = tempDir();
  const rows = [
    'who,event,timestamp',
    'u1,e,2026-01-31 12:00',
    ',e,2026-01-31 12:00',
    'u3,e,2026-01-31 12:00',
  ];
  writeFileSync(join(home, 'a.csv'), `${rows.join('\n')}\n`);
  const svc = (line: string) => runSvc(line.replace(/^svc /, '').split(' '), { home, cwd: home });
  return { home, svc };
}

const IMPORT = 'svc events import a.csv -p local';
const AS_IT_BEGAN = '--map userId=who --convert-timestamps --time-zone Europe/Berlin --batch-size 1';

/** The commands that an error prints, one per line. */
const commands = (stderr: string) =>
  [...stderr.matchAll(/(svc events import .*)$/gm)].map(([, line]) => line!);

test('the printed command resumes an unfinished import, even if it was typed differently', async () => {
  const { svc } = place();
  expect((await svc(`${IMPORT} ${AS_IT_BEGAN} --fail-fast`)).code).toBe(7);

  const other = await svc(`${IMPORT} --map=userId=who --set event=x --batch-size=1 --json`);
  expect(other.code).toBe(2);
  const { error } = JSON.parse(other.stderr);
  expect(error).toMatchObject({
    code: 'unfinished_import',
    message:
      'an earlier import of this input is unfinished; it began without --set and with --convert-timestamps --time-zone Europe/Berlin',
  });
  const [rest, again] = commands(error.hint);
  expect(again).toBe(`${IMPORT} --map=userId=who --set event=x --batch-size=1 --json --restart`);

  const refused = await svc(`${IMPORT} --map=userId=who --set event=x --batch-size=1 --resume`);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(
      /^error: the unfinished import of this input began without --set and with --convert-timestamps /,
    ),
  ]);

  const resumed = await svc(rest!);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ read: 3, skipped: 2, accepted: 1 });
});

test('a finished import is reported as earlier, and --resume with other flags sends nothing', async () => {
  const { svc } = place();
  await svc(`${IMPORT} ${AS_IT_BEGAN}`);
  const run = await svc(`${IMPORT} --map userId=who --batch-size 1 --resume`);
  expect([run.code, run.stdout, run.stderr]).toEqual([
    2,
    '',
    'error: the earlier import of this input, which finished, began with --convert-timestamps --time-zone Europe/Berlin\n' +
      `  next: all of it was sent; to send it again: ${IMPORT} --map userId=who --batch-size 1 --restart\n`,
  ]);
});

test('the journal of another import is not changed', async () => {
  const { home, svc } = place();
  writeFileSync(join(home, 'b.csv'), 'userId,event,timestamp\nu,e,2026-01-31T12:00:00Z\n');
  await svc(`${IMPORT} ${AS_IT_BEGAN} --fail-fast --checkpoint the.journal`);
  for (const flags of ['', ' --resume']) {
    const run = await svc(`svc events import b.csv -p local --batch-size 1 --checkpoint the.journal${flags}`);
    expect([run.code, run.stderr]).toEqual([
      2,
      'error: the journal given by --checkpoint belongs to another import, ' +
        `of ${join(home, 'a.csv')} and with --map userId=who and with --convert-timestamps --time-zone Europe/Berlin\n` +
        '  next: use the journal of this import: svc events import b.csv -p local --batch-size 1\n',
    ]);
  }
  const rest = await svc(`${IMPORT} ${AS_IT_BEGAN} --checkpoint the.journal --json --resume`);
  expect(JSON.parse(rest.stdout)).toMatchObject({ read: 3, skipped: 2, accepted: 1 });
});

test('importing an unchanged file again warns once, with the command that avoids it', async () => {
  const { home, svc } = place();
  const good = join(home, 'good.ndjson');
  const line = `${JSON.stringify({ userId: 'u', event: 'e', timestamp: '2026-01-31T12:00:00Z' })}\n`;
  writeFileSync(good, line);
  const run = (flags = '') => svc(`svc events import good.ndjson -p local --json${flags}`);
  const says =
    /^warning: good\.ndjson was imported on \d{4}-\d\d-\d\d \d\d:\d\d UTC and did not change since: it is sent again, and the service stores each of its events a second time \(use --resume to avoid this\)\n$/;
  expect((await run()).stderr).toBe('');
  const again = await run();
  expect([JSON.parse(again.stdout), again.stderr]).toEqual([
    expect.objectContaining({ accepted: 1 }),
    expect.stringMatching(says),
  ]);
  expect((await run(' --restart')).stderr).toBe('');
  const resumed = await run(' --resume');
  expect([JSON.parse(resumed.stdout), resumed.stderr]).toEqual([expect.objectContaining({ skipped: 1 }), '']);
  writeFileSync(good, line + line);
  expect((await run()).stderr).toBe('');
  const { stdout } = await svc('svc data export -p local --json');
  expect(stdout.match(/"userId":"u"/g)).toHaveLength(5);
});

test('a file of which no record was sent counts as not imported', async () => {
  const { home, svc } = place();
  writeFileSync(join(home, 'empty.ndjson'), '');
  for (let i = 0; i < 2; i++)
    expect((await svc('svc events import empty.ndjson -p local')).stderr).toBe(
      'warning: empty.ndjson has no records: nothing was sent\n',
    );
});

test('consecutive pipes are separate inputs', async () => {
  const home = tempDir();
  const pipe = (userId: string) =>
    runSvc(['events', 'import', '-', '-p', 'local'], {
      home,
      stdin: JSON.stringify({ userId, event: 'e', timestamp: '2026-01-31T12:00:00Z' }),
    });
  expect((await pipe('a')).stderr).toBe('');
  expect((await pipe('b')).stderr).toBe('');
});

test('another batch size neither skips an unfinished import nor sends records twice', async () => {
  const { home, svc } = place();
  const lines = (count: number) =>
    Array.from(
      { length: count },
      (_, n) => `{"userId":"u${n}","event":"e","timestamp":"2026-01-31T12:00:00Z"}\n`,
    );
  writeFileSync(join(home, 'b.ndjson'), [...lines(4), 'bad\n', ...lines(4)].join(''));
  const B = 'svc events import b.ndjson -p local';
  expect((await svc(`${B} --batch-size 2 --fail-fast`)).code).toBe(7);
  for (const more of [' --resume', '', ' --resume --rejects r.ndjson']) {
    const run = await svc(`${B}${more} --batch-size 3`);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('began with --batch-size 2')]);
    const [rest] = commands(run.stderr);
    expect(rest).toMatch(/ --batch-size 2 --resume$/);
  }
  const [rest, again] = commands((await svc(`${B} --batch-size 3`)).stderr);
  const resumed = await svc(`${rest} --json`);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ skipped: 5, accepted: 4 });

  // Once it finished, or when all is to be sent again, another size is another import.
  expect((await svc(`${B} --batch-size 3`)).code).toBe(7);
  expect((await svc(`${B} --batch-size 2 --fail-fast`)).code).toBe(7);
  expect((await svc(again!)).code).toBe(7);
  expect((await svc(`${B} --batch-size 4`)).code).toBe(7);
});

test('an unfinished import without rejects does not claim a rejects file', async () => {
  const { home, svc } = place();
  const good = '{"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z"}\n';
  writeFileSync(join(home, 'b.ndjson'), `${good}bad\n`);
  // Unfinished, with nothing rejected: its rejects file is taken away by its user.
  expect((await svc('svc events import b.ndjson -p local --batch-size 1 --fail-fast')).code).toBe(7);
  rmSync(join(home, 'b.ndjson.rejects.ndjson'));
  const other = await svc('svc events import b.ndjson -p local --batch-size 1 --limit 1');
  expect([other.code, other.stderr]).toEqual([0, '']);
});
