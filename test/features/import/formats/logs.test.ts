// cspell:ignore PASV Timelimit
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { InputError } from '../../../../src/features/import/input/input-error.ts';
import { runSvc } from '../../../support/process/run-svc.ts';
import { imported } from '../../../support/scenarios/imported.ts';
import { suggested } from '../../../support/suggested.ts';
import { tempDir } from '../../../support/temp.ts';

const lines = (...rows: string[]) => `${rows.join('\n')}\n`;

const SYSLOG = lines(
  'Sep  9 23:59:59 web-1 sshd[6581]: Invalid user admin from 192.0.2.7 port 30422',
  'Sep 10 00:05:39 web-1 sshd[6581]: Connection closed',
  'Sep 10 00:05:41 web-1 kernel: disk, net and fan are up',
);
const NGINX = lines(
  '2026/01/31 12:00:00 [error] 25#27: *1 open() "/srv/admin" failed (2: No such file), client: 192.0.2.7, server: a, request: "GET /admin HTTP/1.1", host: "a"',
  '2026/01/31 12:00:01 [error] 25#27: *2 open() "/srv/b" failed (2: No such file), client: 192.0.2.8, server: a, request: "GET /b HTTP/1.1", host: "a"',
  '2026/01/31 12:00:02 [notice] 25#27: signal process started',
);
const SQUID = [
  '1580740555.461    138 192.0.2.7 TCP_MISS/200 3853 GET http://a.example/ ann DIRECT/192.0.2.80 text/html',
  '1580740561.022   1138 192.0.2.8 TCP_MISS/404 53 POST http://a.example/ bob DIRECT/192.0.2.80 text/html',
  '1580740562.022     18 192.0.2.8 TCP_HIT/200 5 GET http://a.example/ bob NONE/- text/html\r\n',
].join('\r\n');

test.each([
  [
    'syslog',
    SYSLOG,
    {
      time: '2026-09-09T23:59:59Z',
      host: 'web-1',
      event: 'sshd',
      pid: '6581',
      message: 'Invalid user admin from 192.0.2.7 port 30422',
    },
    'YEAR is the year, which its times lack; USER_ID_COLUMN is one of host',
    'host',
  ],
  [
    'errors of nginx, whose commas separate no cells',
    NGINX,
    {
      time: '2026/01/31 12:00:00',
      event: 'error',
      message: '25#27: *1 open() "/srv/admin" failed (2: No such file)',
      client: '192.0.2.7',
    },
    'USER_ID_COLUMN is one of client',
    'client',
  ],
  [
    'Squid, whose columns are padded',
    SQUID,
    {
      time: '1580740555.461',
      elapsed: '138',
      client: '192.0.2.7',
      event: 'TCP_MISS/200',
      bytes: '3853',
      method: 'GET',
      url: 'http://a.example/',
      user: 'ann',
      hierarchy: 'DIRECT/192.0.2.80',
      type: 'text/html',
    },
    'USER_ID_COLUMN is one of client, user',
    'user',
  ],
])('a log is made records of with jq, and imported: %s', async (_, log, record, asked, user) => {
  const error = (await suggested(log, 'a.log').catch((thrown: unknown) => thrown)) as InputError;
  expect(error).toMatchObject({
    message: 'a.log is text without columns, such as a log: neither JSON nor a table.',
    note: `replace what is in capitals: ${asked}`,
  });
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.log'), log);
  const { by, flags = [] } = error.prepare!;
  const made = execFileSync('sh', ['-c', by.replace('YEAR', '2026')], { cwd, encoding: 'utf8' });
  expect(JSON.parse(made.split('\n')[0]!)).toEqual(record);
  const answered = flags.map((word) => word.replace('USER_ID_COLUMN', user));
  const run = await imported('a.ndjson', made, ...answered, '--json');
  // One line names no client.
  expect(JSON.parse(run.stdout)).toMatchObject({
    accepted: log === NGINX ? 2 : 3,
    rejected: log === NGINX ? 1 : 0,
  });
});

test('the command for a log imports it, with what was typed', async () => {
  const home = tempDir();
  writeFileSync(join(home, 'a.log'), SYSLOG);
  const hintOf = async (...words: string[]) => {
    const { code, stderr } = await runSvc(['events', ...words, '--json'], { home, cwd: home });
    expect(code).toBe(2);
    return (JSON.parse(stderr.trimEnd().split('\n').at(-1)!).error.hint as string).replace(/^.* \| /, '');
  };
  const fields = '--map userId=USER_ID_COLUMN --map timestamp=time --convert-timestamps';
  const shape = '--extra-fields properties --nulls drop';
  expect(await hintOf('inspect', 'a.log')).toContain(`svc events import - --json ${fields} ${shape}`);
  expect(await hintOf('import', 'a.log', '--profile', 'local')).toContain(
    `svc events import - --profile local --json ${fields} ${shape}`,
  );
  expect(await hintOf('import', 'a.log', '--map', 'userId=host', '--profile', 'local')).toContain(
    'svc events import - --map userId=host --profile local --json',
  );
});

test('lines of three words are no table of one column', async () => {
  const log = lines(
    '  0:00 InitGame: \\sv_floodProtect\\1',
    ' 15:00 Exit: Timelimit hit.',
    ' 20:34 Connect: 2',
  );
  await expect(suggested(log, 'game.log')).rejects.toMatchObject({
    message: 'game.log is text without columns: neither JSON nor a table.',
  });
});

test.each([
  [
    'of Zeek',
    lines(
      '#separator \\x09',
      '#set_separator\t,',
      '#unset_field\t-',
      '#fields\tts\tuid\tid.orig_h\tid.resp_p\tcommand',
      '#types\ttime\tstring\taddr\tport\tstring',
      ...[0, 1, 2, 3].map(
        (i) => `1521911724.69948${i}\tC${i}\t192.0.2.${i % 2}\t21\t${i === 2 ? '-' : 'PASV'}`,
      ),
      '#close\t2026-01-31',
    ),
    ['ts', 'uid', 'id.orig_h', 'id.resp_p', 'command'],
    '2018-03-24T17:15:24.699480Z',
  ],
  [
    'with blank lines between them',
    lines(
      '#Software: IIS Advanced Logging Module',
      '',
      '   ',
      '#Fields:   date-local time-local   cs-method cs-username',
      ...[0, 1, 2, 3].map((i) => `2026-01-31 12:00:0${i} GET ${i === 2 ? '-' : '"ann"'}`),
    ),
    ['date-local', 'time-local', 'cs-method', 'cs-username'],
    '2026-01-31T12:00:00Z',
  ],
])('the comments of a log name its columns: %s', async (_, log, names, first) => {
  const { inspection } = await suggested(log, 'a.log');
  expect(inspection.columns.map(({ name }) => name)).toEqual(names);
  expect(inspection).toMatchObject({ rows: 4, timestamps: { first } });
  expect(inspection.columns.at(-1)).toMatchObject({ distinct: 1, empty: 1 });
});
