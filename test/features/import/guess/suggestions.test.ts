// cspell:ignore abonnent betrag ereignis kauf korb kunde zeitpunkt menge preis
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { InputError } from '../../../../src/features/import/input/input-error.ts';
import { suggested } from '../../../support/suggested.ts';
import { tempDir } from '../../../support/temp.ts';

const USER = '--set userId=USER_ID';
const EVENT = '--set event=EVENT_NAME';
const lines = (...rows: string[]) => `${rows.join('\n')}\n`;

test.each([
  [
    'a page is what happened, a method of the request is not',
    lines(
      '{"userId":"39","page":"Home","method":"GET","ts":1541105830796}',
      '{"userId":"8","page":"NextSong","method":"PUT","ts":1541106106796}',
    ),
    '--map event=page --map timestamp=ts --convert-timestamps --extra-fields properties',
  ],
  [
    'the zone and the unit are not part of the name of a time',
    lines('id,created_utc,available_utc', 't1,2020-01-23 08:26:29,2020-01-27 00:00:00'),
    `${USER} ${EVENT} --map timestamp=created_utc --convert-timestamps`,
  ],
  [
    'columns that are equally likely times share the form in the command, and one may decide it for all',
    lines('booked,valued,amount', '28/02/2018,01/03/2018,1.5'),
    `${USER} ${EVENT} --map timestamp=TIMESTAMP_COLUMN --timestamp-format DD/MM/YYYY`,
  ],
  [
    'the method of payment, a state and an account are no event and no user',
    lines('payment_method,state,account,date', 'card,AZ,Cash,2026-01-31T12:00:00Z'),
    `--map userId=USER_ID_COLUMN ${EVENT} --map timestamp=date`,
  ],
  [
    'an address of the network is a choice for the user',
    lines('ip,host,date', '192.0.2.1,www.example.com,2026-01-31T12:00:00Z'),
    `--map userId=USER_ID_COLUMN ${EVENT} --map timestamp=date`,
  ],
  [
    'a dash in the column of the user is nobody',
    lines('user_id,event,date', '-,view,2026-01-31T12:00:00Z', 'u1,view,2026-01-31T12:00:00Z'),
    '--map userId=user_id --map timestamp=date --null -',
  ],
  [
    'times beside a column of zones are not UTC',
    lines('Date,Time,TimeZone,Name,Type', '10/19/2019,03:46:20,PDT,Ann,Payment'),
    `${USER} --map event=Type --map timestamp=Date+Time --timestamp-format 'MM/DD/YYYY HH:mm:ss' --time-zone TIME_ZONE`,
  ],
  [
    'a date of birth is not the time of an event',
    lines('customer,birth_date', 'c1,1980-05-17'),
    `--map userId=customer ${EVENT} --map timestamp=TIMESTAMP_COLUMN --timestamp-format YYYY-MM-DD`,
  ],
  [
    'a time of day is not a time',
    lines('customer,Month,Time', 'c1,Dec,06:55:46'),
    `--map userId=customer ${EVENT} --set timestamp=TIMESTAMP`,
  ],
  [
    'a date and a time of day, both without separators, are joined',
    lines('Date,Time,Pid', '991231,203615,148', '991231,203807,222'),
    `${USER} ${EVENT} --map timestamp=Date+Time --timestamp-format 'YYMMDD HHmmss'`,
  ],
  [
    'a date and a time of day are joined where the names are Dutch',
    lines('Datum,Tijd,Valued,Sum', '19-12-2025,18:33,19-12-2025,1.5', '17-12-2025,09:51,16-12-2025,2.5'),
    `${USER} ${EVENT} --map timestamp=Datum+Tijd --timestamp-format 'DD-MM-YYYY HH:mm'`,
  ],
  [
    'a date and a time of day are joined where the names are Italian',
    lines('Data,Ora,Sum', '31/12/2025,18:33,1.5', '17/12/2025,09:51,2.5'),
    `${USER} ${EVENT} --map timestamp=Data+Ora --timestamp-format 'DD/MM/YYYY HH:mm'`,
  ],
  [
    'the address of a picture is nobody',
    lines(
      '{"type":"movie","watchedAt":"2026-01-31T12:00:00Z","poster":"https://img.example/a.webp"}',
      '{"type":"movie","watchedAt":"2026-01-31T13:00:00Z","poster":"https://img.example/a.webp"}',
    ),
    `${USER} --map event=type --map timestamp=watchedAt --extra-fields properties`,
  ],
  [
    'a lead is a person',
    lines('lead_id,device,date', '1124755,,2026-01-31T12:00:00Z', '1124756,phone,2026-01-31T12:00:00Z'),
    `--map userId=lead_id ${EVENT} --map timestamp=date`,
  ],
  [
    'a date that ends in a point',
    lines('date,amount', '2019.04.19.,-350'),
    `${USER} ${EVENT} --map timestamp=date --timestamp-format YYYY.MM.DD.`,
  ],
  [
    'a blank among numbers is no value',
    lines('customer,total,date', 'c1,29.85,2026-01-31T12:00:00Z', 'c2, ,2026-01-31T12:00:00Z'),
    `--map userId=customer ${EVENT} --map timestamp=date --null ' '`,
  ],
  [
    'cents behind a comma are certain where cells are quoted',
    lines('"date","amount"', '"2018-03-01","-2,56"', '"2018-03-09","750,00"'),
    `${USER} ${EVENT} --map timestamp=date --timestamp-format YYYY-MM-DD --decimal-comma`,
  ],
  [
    'thousands behind a comma are not',
    lines('"date","amount"', '"2018-03-01","2,560"', '"2018-03-09","750"'),
    `${USER} ${EVENT} --map timestamp=date --timestamp-format YYYY-MM-DD`,
  ],
])('%s', async (_, content, flags) => {
  const name = content.startsWith('{') ? 'a.ndjson' : 'a.csv';
  expect((await suggested(content, name)).flags).toBe(flags);
});

test('a placeholder for a constant has no columns as choices, but names the flag for each', async () => {
  const { inspection, note } = await suggested(
    lines('id,category,date', 't1,Bills,2026-01-31T12:00:00Z', 't2,Clothes,2026-01-31T12:00:00Z'),
  );
  expect(inspection.ambiguities).toEqual([
    { column: 'userId', choices: [], flag: USER },
    { column: 'event', choices: [], flag: EVENT },
  ]);
  expect(note).toContain('EVENT_NAME is yours to name (or a column: --map event=category)');
});

test('columns without a name are described one by one', async () => {
  const { inspection } = await suggested(
    lines('date,,,sum', '2026-01-31,EUR,1.5,3', '2026-01-30,EUR,,4', '2026-01-29,EUR,,5'),
  );
  expect(inspection.columns.map(({ name, empty, type }) => [name, empty, type])).toEqual([
    ['date', 0, 'string'],
    ['', 0, 'string'],
    ['', 2, 'string'],
    ['sum', 0, 'number'],
  ]);
});

test('columns with names in another language are offered by their contents', async () => {
  const { note } = await suggested(
    lines(
      'Abonnent;Ereignis;Zeitpunkt;Betrag',
      'K-1;kauf;05.10.2026 02:16;1,50',
      'K-2;kauf;15.10.2026 02:16;2,50',
      'K-3;korb;25.10.2026 02:16;3,50',
      'K-1;korb;26.10.2026 02:16;4,50',
    ),
  );
  expect(note).toContain(
    'USER_ID is yours to name (or a column: --map userId=Abonnent or --map userId=Ereignis)',
  );
  expect(note).toContain(
    'EVENT_NAME is yours to name (or a column: --map event=Ereignis or --map event=Abonnent)',
  );
});

test('choices are printed as a shell reads them', async () => {
  const { note } = await suggested(lines('Paid at,Sent at', '01/02/2026 10:00,02/02/2026 10:00'));
  expect(note).toContain("TIMESTAMP_COLUMN is one of 'Paid at', 'Sent at'");
  expect(note).toContain("'DD/MM/YYYY HH:mm', 'MM/DD/YYYY HH:mm'");
});

test('rows are counted and judged while placeholders are open', async () => {
  const rows = Array.from({ length: 3000 }, (_, n) => `c${n},01/02/2026`);
  const { inspection, rejected } = await suggested(lines('customer,date', ...rows, 'c1'));
  expect([inspection.rows, inspection.rowsExact, rejected]).toEqual([3001, true, 1]);
  expect(inspection.timestamps.first).toBeNull();
});

test('a column whose later cells are no numbers is text, unless they are few', async () => {
  const rows = (count: number, cell: string) =>
    Array.from({ length: count }, () => `u,view,2026-01-31T12:00:00Z,${cell}`);
  const header = 'userId,event,timestamp,size';
  const many = await suggested(lines(header, ...rows(1000, '1'), ...rows(500, 'large')));
  expect([many.flags, many.rejected]).toEqual(['--type size=string', 0]);
  const few = await suggested(lines(header, ...rows(1000, '1'), ...rows(5, 'large')));
  expect([few.flags, few.rejected]).toEqual(['', 5]);
});

test('choices are neither times, sums nor columns that have another role, and whole numbers are some', async () => {
  const { note, flags } = await suggested(
    lines(
      'Evt Type,Begin Trip Time,Order Total €,Badge,Driver Rating',
      ...Array.from({ length: 12 }, (_, n) =>
        [
          ['start', 'stop'][n % 2],
          `+${n % 5} 10:0${n % 7} (a)`,
          `${n % 4}.5${n % 3}`,
          100 + (n % 5),
          n % 3,
        ].join(','),
      ),
    ),
  );
  expect(flags).toContain("--map 'event=Evt Type'");
  expect(note).toContain('USER_ID is yours to name (or a column: --map userId=Badge)');
});

test('the only candidate is taken, and the report says why', async () => {
  const rows = (name: (n: number) => string) =>
    Array.from({ length: 24 }, (_, n) => `${name(n)},AZ,2026-01-31T12:00:00Z`);
  const only = await suggested(lines('account,state,date', ...rows((n) => `A${n % 5}`)));
  expect(only.flags).toBe(`--map userId=account ${EVENT} --map timestamp=date`);
  const constant = await suggested(lines('account,state,date', ...rows(() => 'Cash')));
  expect(constant.flags).toBe(`${USER} ${EVENT} --map timestamp=date`);
});

const records = (id: string, made: (n: number) => unknown, count = 25) =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ [id]: made(n), userId: `u${n % 7}`, event: 'e', timestamp: '2026-01-31T12:00:00Z' }),
  ).join('\n');

test.each([
  ['messageId', (n: number) => `m${n}`, 'messageId'],
  ['event_id', (n: number) => 1000 + n, 'event_id'],
  ['$insert_id', (n: number) => `i${n}`, '$insert_id'],
  ['id', (n: number) => `evt_${n}`, 'id'],
  ['eventId', (n: number) => n + 0.5, 'eventId'],
  // The field itself needs no flag.
  ['eventId', (n: number) => `e${n}`, undefined],
  // Numbers may count the rows of each file; what comes twice, is missing, or too long identifies no event.
  ['id', (n: number) => n, undefined],
  ['messageId', (n: number) => `m${n % 24}`, undefined],
  ['messageId', (n: number) => (n === 0 ? '' : `m${n}`), undefined],
  ['messageId', (n: number) => `${'m'.repeat(128)}${n}`, undefined],
  ['order_id', (n: number) => `o${n}`, undefined],
])('a unique column named %s is proposed for the id of the event: %#', async (id, made, mapped) => {
  const { flags, inspection } = await suggested(records(id, made), 'a.ndjson');
  const rule = / ?--map '?eventId=([^ ']+)'?/.exec(flags)?.[1];
  expect(rule).toBe(mapped);
  const role = inspection.columns.find(({ name }) => name === id)!.role;
  expect(role).toBe(mapped !== undefined || id === 'eventId' ? 'eventId' : null);
});

test('times as Go prints them, and words among times', async () => {
  const rows = ['2020-02-17 04:43:38.12 +0000 UTC', '2020-02-18 04:43:38 +0100 CET', 'Pending', 'Pending'];
  const many = Array.from({ length: 8 }, (_, n) => `2020-03-0${n + 1} 04:43:38 +0000 UTC`);
  const { flags, rejected, inspection } = await suggested(
    lines('userId,event,Pickup Time', ...[...rows, ...many].map((time, n) => `u${n % 3},ride,${time}`)),
  );
  expect(flags).toBe("--map 'timestamp=Pickup Time' --convert-timestamps");
  expect([rejected, inspection.timestamps.first]).toEqual([2, '2020-02-17T04:43:38.12Z']);
});

test('numbers without a digit on one side of the point are numbers', async () => {
  const { inspection, rejected } = await suggested(
    lines(
      'userId,event,timestamp,share',
      ...['.94', '5.', '-.5', '1'].map((n) => `u,e,2026-01-31T12:00:00Z,${n}`),
    ),
  );
  expect(inspection.columns.at(-1)).toMatchObject({ name: 'share', type: 'number' });
  expect(rejected).toBe(0);
});

test('points separate thousands where another column has decimal commas', async () => {
  const german = [
    'userId;event;timestamp;menge;preis',
    ...['1.306;3,50', '976;2,00', '1.613;4,75'].map((n) => `u;e;2026-01-31T12:00:00Z;${n}`),
  ];
  expect((await suggested(lines(...german))).flags).toBe('--decimal-comma');
  const english = german.map((line) => line.replaceAll(',', '.'));
  expect((await suggested(lines(...english))).flags).toBe('');
});

test.each([
  ['--thousands ,', ['1,234,567', '12', '1,000.50']],
  ['--thousands apostrophe', ["1'234", '12', "12'345.5"]],
  ['--thousands space', ['1\u00a0234\u00a0567', '12']],
  ['--thousands .', ['1.234.567', '12']],
  // A comma before three digits may be a decimal one, and a space may be in a code.
  ['', ['1,234', '12']],
  ['', ['12 345', '12 346']],
  ['', ['1,234,567', 'unknown']],
  ['', ['12,34,567', '12']],
])('suggests %s where nothing else explains the numbers', async (flags, numbers) => {
  const rows = numbers.map((n) => `u;e;2026-01-31T12:00:00Z;${n}`);
  const found = await suggested(lines('userId;event;timestamp;amount', ...rows));
  expect(found.flags).toBe(flags);
  expect(found.rejected).toBe(0);
});

test.each([
  [
    '<!DOCTYPE html>\n<html><body>Sign in</body></html>\n',
    'a.csv is a web page (HTML), not a table or JSON.',
  ],
  ['<?xml version="1.0"?>\n<a><b>1</b></a>\n', 'a.csv is XML, not a table or JSON.'],
  [' <!-- notes, and more -->\n<a><b>1</b></a>\n', 'a.csv is XML, not a table or JSON.'],
  ['%PDF-1.7\n1 0 obj\n', 'a.csv is a PDF.'],
  ['Obj\x01\x04\x16avro.schema', 'a.csv is an Avro file, which is not read.'],
  ['ARROW1\0\0\xff', 'a.csv is an Arrow file, which is not read.'],
])('a document of another kind is called what it is: %j', async (text, message) => {
  await expect(suggested(text, 'a.csv')).rejects.toMatchObject({ message });
});

test('lines for the bulk endpoint of Elasticsearch are filtered with jq', async () => {
  const bulk = lines(
    '{"index":{"_index":"a"}}',
    '{"user":"u1"}',
    '{"index":{"_index":"a"}}',
    '{"user":"u2"}',
  );
  await expect(suggested(bulk, 'a.ndjson')).rejects.toMatchObject({
    message: 'a.ndjson is for the bulk endpoint of Elasticsearch: every second line is an action.',
  });
});

test.each([
  [
    'holds log records of OpenTelemetry inside resourceLogs',
    {
      resourceLogs: [
        {
          resource: { attributes: [{ key: 'host', value: { stringValue: 'a' } }] },
          scopeLogs: [
            {
              logRecords: [
                {
                  timeUnixNano: '1544712660300000000',
                  body: { stringValue: 'paid' },
                  attributes: [
                    {
                      key: 'list',
                      value: { arrayValue: { values: [{ intValue: '1' }, { boolValue: true }] } },
                    },
                  ],
                },
                { body: { stringValue: 'no time' } },
              ],
            },
          ],
        },
      ],
    },
    [
      {
        timeUnixNano: '1544712660300000000',
        time: 1544712660300,
        body: 'paid',
        attributes: { list: ['1', true] },
        resource: { host: 'a' },
      },
      { time: null, body: 'no time', attributes: null, resource: { host: 'a' } },
    ],
  ],
  [
    'is a state of Terraform, whose resources have no times',
    {
      version: 4,
      terraform_version: '1.9.0',
      serial: 7,
      outputs: {},
      resources: [
        { mode: 'managed', type: 'aws_vpc', name: 'main', instances: [{ attributes: { id: 'vpc-1' } }] },
      ],
    },
    [{ type: 'aws_vpc', name: 'main', id: 'vpc-1' }],
  ],
  [
    'is a state of Terraform, whose resources have no times',
    {
      format_version: '1.0',
      terraform_version: '1.9.0',
      values: {
        root_module: {
          resources: [{ address: 'aws_vpc.main', type: 'aws_vpc', values: { id: 'vpc-1' } }],
          child_modules: [{ resources: [{ address: 'module.a.b', type: 'b', values: {} }] }],
        },
      },
    },
    [
      { address: 'aws_vpc.main', type: 'aws_vpc', id: 'vpc-1' },
      { address: 'module.a.b', type: 'b' },
    ],
  ],
  [
    'is a plan of Terraform, whose changes have no times',
    {
      format_version: '1.2',
      terraform_version: '1.9.0',
      planned_values: { root_module: {} },
      resource_changes: [{ address: 'a.b', type: 'a', change: { actions: ['create'] } }],
    },
    [{ address: 'a.b', type: 'a', actions: ['create'] }],
  ],
  [
    'is a table by columns, as pandas writes it',
    { name: { 0: 'ann', 1: 'bob' }, sum: { 0: 1.5, 1: null } },
    [
      { name: 'ann', sum: 1.5 },
      { name: 'bob', sum: null },
    ],
  ],
])('a document that %s is asked to be taken apart with jq', async (what, document, records) => {
  const text = JSON.stringify(document, undefined, 2);
  const error = await suggested(text, 'a.json').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: `a.json ${what}.` });
  const { by } = (error as InputError).prepare!;
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.json'), text);
  const made = execFileSync('sh', ['-c', by], { cwd, encoding: 'utf8' });
  expect(
    made
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(records);
});

test('an object with numbered fields among others is a record', async () => {
  const scored = '{"scores":{"0":1.5,"1":2},"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z"}';
  expect((await suggested(lines(scored, scored), 'a.ndjson')).rejected).toBe(0);
  expect((await suggested(scored, 'a.json')).rejected).toBe(0);
});

test('the comma before the milliseconds of a log separates no cells', async () => {
  const log = lines(
    ...['36,888] INFO paid', '37,002] WARN no answer yet (x)', '41,120] INFO sent it again'].map(
      (text) => `[2026-01-31 12:00:${text}`,
    ),
  );
  await expect(suggested(log, 'server.log')).rejects.toMatchObject({
    message: 'server.log is text without columns, such as a log: neither JSON nor a table.',
  });
});

test('numbers with spaces around them are numbers', async () => {
  const rows = ['  -0.43', ' 12.5 ', '     7'].map((sum) => `u,e,2026-01-31T12:00:00Z,${sum}`);
  const { inspection } = await suggested(lines('userId,event,timestamp,sum', ...rows));
  expect(inspection.columns.find(({ name }) => name === 'sum')).toMatchObject({ type: 'number', min: -0.43 });
});

test('0x7F is text', async () => {
  const record =
    '{"userId":"u","event":"\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f","timestamp":"2026-01-31T12:00:00Z"}';
  expect((await suggested(lines(record), 'a.ndjson')).rejected).toBe(0);
});
