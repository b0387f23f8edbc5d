import { expect, test } from 'vitest';
import { findDialect } from '../../../../../src/features/import/formats/csv/csv-dialect.ts';
import { likelyEncodings } from '../../../../../src/features/import/guess/likely-encodings.ts';
import { suggested } from '../../../../support/suggested.ts';

const lines = (...rows: string[]) => `${rows.join('\n')}\n`;
const dialect = (...rows: string[]) => findDialect(Buffer.from(lines(...rows)), undefined);
const CONSTANTS = '--set userId=USER_ID --set event=EVENT_NAME';

test.each([
  ['::', ['1::1193::5', '6::661::3', '6::914::4']],
  ['||', ['1||Ann||5', '2||Bob||3']],
  ['|', ['1||Ann|5', '2|x|Bob|3']],
  [',', ['name,size', 'std::map::at,1', 'std::set::at,2']],
  ['\x01', ['1\x01Ann', '2\x01Bob']],
  [' ', ['a 1.5 "GET / HTTP/1.1" 200', 'b 2.5 "GET /x, y HTTP/1.1" 404', 'c 3.5 "-" 200']],
  [',', ['name,note', 'Ann,it is the "best" one', 'Bob,fine']],
])('cells are separated by %j in %j', (delimiter, rows) => {
  expect(dialect(...rows).delimiter).toBe(delimiter);
});

test('lines above a table may be shorter than it, also where rows below are', () => {
  const found = dialect(
    'Account details for:,Savings 1',
    'Balance,"1,234.00"',
    'Date,Valued,Text,Out,In',
    '18/04/2018,18/04/2018,PURCHASE,6.66,',
    ',,at the shop',
    '17/04/2018,17/04/2018,FEE,1.00,',
    '16/04/2018,16/04/2018,FEE,1.00,',
  );
  expect(found).toMatchObject({ delimiter: ',', skipLines: 2, title: 'Account details for:,Savings 1' });
});

test('titles that are padded to the width of the table are above its header, however many they are', () => {
  const found = dialect(
    'Account : Ann,,,',
    'Made on 2026-01-02,,,',
    ',,,',
    'From 2026-01-01,,,',
    'Date,Type,Text,Amount',
    '2026-01-02,fee,,1.5',
    '2026-01-03,deposit,,20',
    '2026-01-04,fee,at the shop,1.5',
    '2026-01-05,fee,,1.5',
    '2026-01-06,fee,,1.5',
  );
  expect(found).toMatchObject({ delimiter: ',', skipLines: 4, title: 'Account : Ann,,,' });
});

test('a header may end in a delimiter that the rows do not have', async () => {
  const table = lines(
    'Summary, , ,',
    '',
    'Trade date,Text,Quantity,Value (GBP),',
    '"25/01/2026","MANAGE FEE","n/a","-4.05"',
    '"26/01/2026","INTEREST","n/a","3.87"',
    '"27/01/2026","Some fund","1,000","44,988.05"',
  );
  const { flags, inspection, rejected } = await suggested(table);
  expect(flags).toBe(`${CONSTANTS} --map 'timestamp=Trade date' --timestamp-format DD/MM/YYYY --thousands ,`);
  expect(inspection).toMatchObject({ header: true, rows: 3 });
  expect(inspection.columns.map(({ name }) => name)).toEqual([
    'Trade date',
    'Text',
    'Quantity',
    'Value (GBP)',
  ]);
  expect(rejected).toBe(0);
});

test('a header that ends in a delimiter and is not UTF-8 is not guessed at', async () => {
  const rows = ['Date,Text,Value (£),', '2026-01-25,fee,1.5', '2026-01-26,fee,2.5', '2026-01-27,fee,3.5'];
  const { flags, inspection } = await suggested(Buffer.from(lines(...rows), 'latin1'));
  expect(flags).toContain('--encoding ENCODING');
  expect(inspection.columns.map(({ name }) => name)).not.toContain('Value (\uFFFD)');
});

test('the directive of the W3C format names the columns', async () => {
  const log = lines(
    '#Version: 1.0',
    '#Fields: date time cs-username c-ip cs(User-Agent) sc-status',
    '2012-04-01 00:00:13 - 192.0.2.1 Mozilla/5.0+(X11) 200',
    '2012-04-01 00:00:14 ann 192.0.2.2 curl/8 404',
    '2012-04-01 00:00:15 - 192.0.2.2 curl/8 200',
  );
  const { flags, inspection } = await suggested(log, 'access.log');
  expect(flags).toBe(
    '--map userId=USER_ID_COLUMN --set event=EVENT_NAME --map timestamp=date+time --convert-timestamps',
  );
  expect(inspection).toMatchObject({ delimiter: ' ', header: true, rows: 3 });
  expect(inspection.ambiguities[0]?.choices).toEqual(['cs-username', 'c-ip']);
});

test('an access log of a web server is a table, with the time in two cells', async () => {
  const log = lines(
    '192.0.2.1 - ann [10/Feb/2012:16:42:07 -0500] "GET / HTTP/1.0" 301 368 "-" "Mozilla (KHTML, like Gecko)"',
    '192.0.2.1 - ann [10/Feb/2012:16:42:08 -0500] "GET /a HTTP/1.0" 200 1368 "-" "Mozilla (KHTML, like Gecko)"',
    '192.0.2.2 - bob [10/Feb/2012:16:42:09 -0500] "GET /b HTTP/1.0" 200 5 "-" "curl"',
  );
  const { flags, inspection, rejected } = await suggested(log, 'access.log');
  expect(flags).toBe(
    '--map userId=user --set event=EVENT_NAME --map timestamp=time+zone --convert-timestamps ' +
      '--columns ip,ident,user,time,zone,request,status,bytes,referer,agent --null -',
  );
  expect([inspection.timestamps.first, rejected]).toEqual(['2012-02-10T21:42:07Z', 0]);
});

test('a single row without a header is a record', async () => {
  const { flags, inspection } = await suggested(
    'https 2020-01-01T00:55:04Z "GET / HTTP/1.1" 200\n',
    'lb.log',
  );
  expect(flags).toBe(`${CONSTANTS} --map timestamp=column2 --columns column1,column2,column3,column4`);
  expect(inspection.rows).toBe(1);
});

test.each([
  [
    'errors.log',
    '[Sun Dec 04 04:47:44 2005] [notice] workerEnv.init() ok\n[Sun Dec 04 04:47:45 2005] [error] state 6\n',
    /^jq -cR /,
  ],
  [
    'notes.txt',
    'Dear all: this is a letter.\nIt has no columns at all and some more words.\nYours as before: Ann and Bob\n',
    /^head -3 /,
  ],
])('%s is text without columns', async (name, content, step) => {
  await expect(suggested(content, name)).rejects.toMatchObject({
    message: expect.stringMatching(/is text without columns.*neither JSON nor a table/),
    hint: expect.stringMatching(step),
  });
});

test('the first row of a table without a header keeps cells that are the same', async () => {
  const rows = [
    '18.09.2017;18.09.2017;-33,87',
    '19.09.2017;16.09.2017;-23,55',
    '20.09.2017;17.09.2017;-24,11',
  ];
  const { flags, inspection } = await suggested(lines(...rows));
  expect(flags).toBe(
    `${CONSTANTS} --map timestamp=TIMESTAMP_COLUMN --timestamp-format DD.MM.YYYY --columns column1,column2,column3 --decimal-comma`,
  );
  expect(inspection.columns[1]).toMatchObject({ min: '16.09.2017', max: '18.09.2017' });
});

test('numbers of a table without a header may be times, which is asked', async () => {
  const epochs = await suggested(
    lines('1::1193::5::978300760', '6::1193::2::978300761', '1::661::3::978302109'),
  );
  expect(epochs.flags).toBe(
    `${CONSTANTS} --map timestamp=TIMESTAMP_COLUMN --convert-timestamps --columns column1,column2,column3,column4`,
  );
  expect(epochs.inspection.ambiguities.at(-1)).toMatchObject({ choices: ['column4'] });
});

/** The bytes of a text in an encoding of one byte per character, by its decoder. */
function bytesIn(encoding: string, text: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const table = new Map(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]),
  );
  return Buffer.from([...text].map((character) => table.get(character)!));
}

test.each([
  ['windows-1252', 'Empfänger;Überweisung;Straße'],
  ['windows-1252', 'DÉPÔT,ÉPARGNE'],
  ['windows-1252', 'São Paulo,ação'],
  ['windows-1250', 'Datum provedení;Účet;Částka;Měna'],
  ['windows-1250', 'Łódź,Gdańsk'],
  ['windows-1254', 'İstanbul,Şişli,çağ'],
  ['ibm866', 'Привет,Москва'],
  ['windows-1253', 'Αθήνα,Ελλάδα'],
])('the encoding is %s where text reads %s', (encoding, text) => {
  expect(likelyEncodings(bytesIn(encoding, text)).map((one) => one.encoding)).toEqual([encoding]);
});

test('of several encodings the user chooses by how a word reads', () => {
  expect(likelyEncodings(bytesIn('windows-1252', 'déjà'))).toEqual([
    { encoding: 'windows-1252', example: 'déjà' },
    { encoding: 'windows-1250', example: 'déjŕ' },
  ]);
  expect(likelyEncodings(bytesIn('windows-1251', 'Привет,Москва'))[0]?.encoding).toBe('windows-1251');
});

test('inspect reads text in its encoding, also where that shows late, and asks if it is not certain', async () => {
  const row = (name: string) => `u,view,2026-01-31T12:00:00Z,${name}`;
  const header = 'userId,event,timestamp,name';
  const plain = Array.from({ length: 5000 }, () => row('plain'));
  const late = await suggested(bytesIn('windows-1252', lines(header, ...plain, row('Müller'))));
  expect([late.flags, late.rejected, late.inspection.encoding]).toEqual([
    '--encoding windows-1252',
    0,
    'windows-1252',
  ]);
  const open = await suggested(bytesIn('windows-1252', lines(header, row('déjà'))));
  expect(open.flags).toBe('--encoding ENCODING');
  expect(open.inspection.ambiguities).toEqual([
    { column: 'encoding', choices: ['windows-1252', 'windows-1250'], flag: '--encoding ENCODING' },
  ]);
  expect(open.note).toContain('ENCODING is one of windows-1252 (déjà), windows-1250 (déjŕ)');
});

test('UTF-16 without its mark is named', async () => {
  await expect(suggested(Buffer.from(lines('userId,event', 'u1,view'), 'utf16le'))).rejects.toMatchObject({
    flags: { more: ['--encoding', 'utf-16le'] },
  });
});
