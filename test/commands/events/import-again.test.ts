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
  [...stderr.matchAll(/(svc events import .*?)(?: # |$)/gm)].map(([, line]) => line!);

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
      `  next: what was rejected is in a.csv.rejects.ndjson, the rest was accepted; to send all of it again: ${IMPORT} --map userId=who --batch-size 1 --restart\n`,
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

test('an import that finished sends nothing again, says so with the date, and then only what was appended', async () => {
  const { home, svc } = place();
  const good = join(home, 'good.ndjson');
  const line = `${JSON.stringify({ userId: 'u', event: 'e', timestamp: '2026-01-31T12:00:00Z' })}\n`;
  writeFileSync(good, line);
  const run = async (flags = '') => {
    const { code, stdout, stderr } = await svc(`svc events import good.ndjson -p local --json${flags}`);
    expect(code, stderr).toBe(0);
    const { read, accepted, skipped } = JSON.parse(stdout);
    return { read, accepted, skipped, stderr };
  };
  const says =
    /^warning: good\.ndjson was sent to this workspace completely from this machine on \d{4}-\d\d-\d\d \d\d:\d\d UTC and did not change since: nothing is sent \(--restart sends all of it again\)\n$/;
  expect(await run()).toEqual({ read: 1, accepted: 1, skipped: 0, stderr: '' });
  for (const flags of ['', ' --resume'])
    expect(await run(flags)).toEqual({
      read: 1,
      accepted: 0,
      skipped: 1,
      stderr: expect.stringMatching(says),
    });
  writeFileSync(good, line + line);
  expect(await run()).toMatchObject({
    accepted: 1,
    skipped: 1,
    stderr: expect.stringMatching(
      /^warning: good\.ndjson was appended to since .* only the new events are sent\n$/,
    ),
  });
  expect(await run(' --restart')).toEqual({ read: 2, accepted: 2, skipped: 0, stderr: '' });
  writeFileSync(good, line.replace('"u"', '"v"'));
  expect(await run()).toMatchObject({
    accepted: 1,
    stderr: expect.stringContaining('a new import sends all of it'),
  });
  const { stdout } = await svc('svc data export -p local --json');
  expect(
    [stdout.match(/"userId":"u"/g), stdout.match(/"userId":"v"/g)].map((found) => found?.length),
  ).toEqual([4, 1]);
});

test('other flags do not send a finished import again, unless nothing of it was accepted', async () => {
  const { home, svc } = place();
  expect((await svc(`${IMPORT} --map userId=who`)).code).toBe(7);
  // Every record was rejected, for want of --convert-timestamps.
  expect((await svc(`${IMPORT} --map userId=who --convert-timestamps`)).code).toBe(7);
  for (const other of [' --set event=x', ' --batch-size 1']) {
    const run = await svc(`${IMPORT} --map userId=who --convert-timestamps${other}`);
    expect([run.code, run.stdout, run.stderr]).toEqual([
      2,
      '',
      expect.stringMatching(
        /^error: the earlier import of this input, which finished, began with(out --set| --batch-size 1000)\n {2}next: what was rejected is in a\.csv\.rejects\.ndjson, the rest was accepted; to send all of it again: .* --restart\n$/,
      ),
    ]);
  }
  writeFileSync(join(home, 'a.csv'), 'who,event,timestamp\nu9,e,2026-01-31 12:00\n');
  expect((await svc(`${IMPORT} --map userId=who --convert-timestamps --batch-size 1`)).code).toBe(0);
});

test('users are sent again, as their hashIds are printed', async () => {
  const { home, svc } = place();
  writeFileSync(join(home, 'u.csv'), 'userId\nu1\n');
  const first = await svc('svc users import u.csv -p local');
  const again = await svc('svc users import u.csv -p local');
  expect([again.code, again.stdout]).toEqual([0, first.stdout]);
  expect(again.stderr).toMatch(
    /^warning: u\.csv was imported on .* UTC and did not change since: users that changed since are overwritten \(use --resume to avoid this\)\n/,
  );
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

  // Once it finished, another size sends nothing again, unless that is asked for.
  expect((await svc(`${B} --batch-size 3`)).stderr).toContain('which finished, began with --batch-size 2');
  expect((await svc(again!)).code).toBe(7);
  expect((await svc(`${B} --batch-size 4 --restart`)).code).toBe(7);
  expect((await svc(`${B} --batch-size 2`)).stderr).toContain('which finished, began with --batch-size 4');
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
