import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentOf, flagsOf } from '../../../src/features/import/mapping-file/flags.ts';
import { readMapping } from '../../../src/features/import/mapping-file/load.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const MAPPING = {
  version: 1,
  map: { userId: ['user', 'device'], event: 'kind', timestamp: 'day+time' },
  type: { n: 'number' },
  timestampFormat: 'DD/MM/YYYY HH:mm',
  timeZone: 'Europe/Berlin',
  decimalComma: true,
  null: ['-'],
  drop: ['secret'],
  where: { kind: ['view', 'buy'] },
};
const ROWS = [
  'user;device;kind;day;time;n;secret',
  'ann;d1;view;31/12/2025;13:45;1,5;x',
  '-;d2;buy;01/02/2026;00:30;;x',
  'bob;d3;ping;01/02/2026;00:30;;x',
];

/** A folder with the rows, a mapping file, and a way to run commands and to read what arrived. */
function folder(mapping: unknown = MAPPING) {
  const home = tempDir();
  writeFileSync(join(home, 'a.csv'), `${ROWS.join('\n')}\n`);
  writeFileSync(join(home, 'mapping.json'), typeof mapping === 'string' ? mapping : JSON.stringify(mapping));
  const svc = (...argv: string[]) => runSvc([...argv, '-p', 'local'], { home, cwd: home });
  const stored = async () =>
    (await svc('data', 'export', '--type', 'event')).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ userId, event, timestamp, properties }) => ({ userId, event, timestamp, properties }));
  return { home, svc, stored };
}

describe('--mapping', () => {
  test('stands for the flags it holds, and counts what --where leaves out', async () => {
    const { svc, stored } = folder();
    const run = await svc('events', 'import', 'a.csv', '--mapping', 'mapping.json', '--json');
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(JSON.parse(run.stdout)).toMatchObject({ read: 2, accepted: 2, filtered: 1 });
    expect(await stored()).toEqual([
      {
        userId: 'ann',
        event: 'view',
        timestamp: '2025-12-31T12:45:00Z',
        properties: { device: 'd1', n: 1.5 },
      },
      { userId: 'd2', event: 'buy', timestamp: '2026-01-31T23:30:00Z', properties: null },
    ]);
  });

  test('a flag overrides the file, by the name of each pair', async () => {
    const { svc, stored } = folder();
    const flags = ['--map', 'userId=device', '--where', 'kind=ping', '--time-zone', 'UTC'];
    const run = await svc('events', 'import', 'a.csv', '--mapping', 'mapping.json', ...flags);
    expect(run.code).toBe(0);
    expect(await stored()).toEqual([
      { userId: 'd3', event: 'ping', timestamp: '2026-02-01T00:30:00Z', properties: { user: 'bob' } },
    ]);
  });

  test('an import whose mapping file changed is not resumed as if it were the same', async () => {
    const { home, svc } = folder({ ...MAPPING, where: undefined });
    const argv = ['events', 'import', 'a.csv', '--mapping', 'mapping.json', '--no-preflight'];
    writeFileSync(join(home, 'a.csv'), `${[...ROWS, 'eve;d;view;bad;bad;;x'].join('\n')}\n`);
    const first = await svc(...argv, '--batch-size', '1', '--fail-fast');
    expect(first.code).toBe(7);
    writeFileSync(join(home, 'mapping.json'), JSON.stringify({ ...MAPPING, where: undefined, drop: ['n'] }));
    const second = await svc(...argv, '--batch-size', '1', '--resume');
    expect(second.code).toBe(2);
    expect(second.stderr).toContain('began with --drop secret');
  });

  test.each([
    ['{', 'mapping.json is not valid JSON'],
    ['[]', 'mapping.json is not a JSON object'],
    ['{}', 'mapping.json lacks "version": 1'],
    ['{"version":2}', 'mapping.json has version 2; this svc reads version 1'],
    ['{"version":1,"maps":{}}', 'mapping.json has the unknown key maps'],
    ['{"version":1,"type":{"a":"date"}}', 'mapping.json has an invalid value at type.a'],
    ['{"version":1,"map":{"event":"user","userId":"user"}}', '--map reads the column user twice'],
  ])('the file %s is refused: %s', async (text, message) => {
    const run = await folder(text).svc('events', 'import', 'a.csv', '--mapping', 'mapping.json');
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(message);
  });

  test('a file that is missing, and a source that is not known, are named', async () => {
    const { svc } = folder();
    expect((await svc('events', 'import', 'a.csv', '--mapping', 'no.json')).stderr).toContain('no.json');
    const run = await svc('events', 'import', 'a.csv', '--from', 'mixpanl');
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('did you mean --from mixpanel')]);
  });

  test('flags become a document and the same flags again', () => {
    const flags = flagsOf(MAPPING as never);
    expect(flagsOf(documentOf(flags))).toEqual(flags);
    const home = tempDir();
    const odd = {
      map: ['a\\=b=c\\,d,e\\+f+g', 'x=y'],
      columns: 'a,"b,c",,"d""e"',
      delimiter: 'tab',
      'no-validate': true,
    };
    writeFileSync(join(home, 'm.json'), JSON.stringify(documentOf(odd)));
    expect(flagsOf(readMapping(join(home, 'm.json')))).toEqual(odd);
  });
});

describe('svc events sources', () => {
  test('lists the sources, and prints a mapping file that --mapping reads', async () => {
    const { home, svc, stored } = folder();
    const { sources } = JSON.parse((await svc('events', 'sources', '--json')).stdout);
    expect(sources.map(({ source }: { source: string }) => source)).toEqual(
      expect.arrayContaining([
        'segment',
        'rudderstack',
        'mixpanel',
        'amplitude',
        'ga4',
        'posthog',
        'snowplow',
        'cloudtrail',
      ]),
    );
    expect((await svc('events', 'sources')).stdout).toContain('Mixpanel');
    const printed = await svc('events', 'sources', 'mixpanel');
    writeFileSync(join(home, 'mine.json'), printed.stdout);
    writeFileSync(
      join(home, 'raw.json'),
      '{"event":"Signed up","properties":{"time":1602611311,"distinct_id":"u","a":{"b":[1]},"c":null}}\n',
    );
    const run = await svc('events', 'import', 'raw.json', '--mapping', 'mine.json');
    expect(run.code).toBe(0);
    expect(await stored()).toEqual([
      { userId: 'u', event: 'Signed up', timestamp: '2020-10-13T17:48:31Z', properties: { 'a.b.0': 1 } },
    ]);
    const same = await svc('events', 'import', 'raw.json', '--from', 'mixpanel', '--resume');
    expect([same.code, same.stderr]).toEqual([0, expect.stringContaining('nothing is sent')]);
    expect(readFileSync(join(home, 'mine.json'), 'utf8')).toContain('"$schema"');
  });

  test('a file of Snowplow has no header, and JSON with quotes in its cells', async () => {
    const { home, svc, stored } = folder();
    const { columns } = JSON.parse((await svc('events', 'sources', 'snowplow', '--json')).stdout);
    const contexts = '{"schema":"iglu:com.snowplowanalytics.snowplow/contexts/jsonschema/1-0-0","data":[]}';
    const row = (user: string) => {
      const values: Record<string, string> = {
        platform: 'web',
        collector_tstamp: '2013-11-26 00:03:57.885',
        event: 'page_view',
        domain_userid: user,
        page_title: `"A" and "B`,
        contexts,
      };
      return columns.map((name: string) => values[name] ?? '').join('\t');
    };
    writeFileSync(join(home, 'part-0.tsv'), `${row('u1')}\n${row('u2')}\n`);
    const run = await svc('events', 'import', 'part-0.tsv', '--from', 'snowplow');
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(await stored()).toMatchObject([
      {
        userId: 'u1',
        event: 'page_view',
        timestamp: '2013-11-26T00:03:57.885Z',
        properties: { platform: 'web', page_title: '"A" and "B', contexts },
      },
      { userId: 'u2' },
    ]);
  });
});
