// cspell:ignore cliente ouro prata produto regiao tipo venda
/** Small files of the shapes of those in public repositories that were read wrong once. */
import { expect, test } from 'vitest';
import { suggested } from '../../../support/suggested.ts';

const lines = (...rows: string[]) => `${rows.join('\n')}\n`;
const ndjson = (count: number, record: (i: number) => object) =>
  lines(...Array.from({ length: count }, (_, i) => JSON.stringify(record(i))));

test('one account of all records is asked about, and the outcome of a login is no user', async () => {
  const log = ndjson(8, (i) => ({
    eventName: ['ConsoleLogin', 'CreateUser'][i % 2],
    eventTime: `2026-07-21T01:0${i}:00Z`,
    recipientAccountId: '111122223333',
    userIdentity: { type: 'IAMUser', arn: `arn:aws:iam::111122223333:user/u${i % 3}` },
    responseElements: { ConsoleLogin: ['Success', 'Failure'][i % 2] },
  }));
  expect((await suggested(log, 'a.ndjson')).flags).toContain('--map userId=userIdentity.arn');
  const plain = log.replace(/"userIdentity":\{.*?\},/g, '');
  const { flags, note } = await suggested(plain, 'a.ndjson');
  expect(flags).toContain('--map userId=USER_ID_COLUMN');
  expect(note).toContain('USER_ID_COLUMN is one of recipientAccountId');
});

test('the uid of a connection is no user', async () => {
  const log = ndjson(30, (i) => ({
    ts: `2026-01-31T12:00:${10 + i}Z`,
    uid: `C${i % 7}`,
    'id.orig_h': `192.0.2.${i % 5}`,
    'id.resp_p': 514,
    severity: ['INFO', 'ERR'][i % 2],
  }));
  expect((await suggested(log, 'a.ndjson')).flags).toContain('userId=id.orig_h');
});

test('a uid that is different in every record is asked about', async () => {
  const log = ndjson(30, (i) => ({ time: `2026-01-31T12:00:${10 + i}Z`, uid: `C${i}`, event: 'e' }));
  const { flags } = await suggested(log, 'a.ndjson');
  expect(flags).toContain('userId=USER_ID_COLUMN');
});

test('years of two digits that would reach over a century are asked about', async () => {
  const rows = ['25/01/24', '19/02/28', '03/02/72', '06/02/68'].map((date, i) => `u${i % 2},win,${date}`);
  const { flags, note, inspection } = await suggested(lines('user_id,event,date', ...rows));
  expect(flags).toContain('--timestamp-format TIMESTAMP_FORMAT');
  expect(note).toContain(
    'TIMESTAMP_FORMAT is DD/MM/YY, if the years of two digits are right as 1972 to 2068',
  );
  expect(inspection.timestamps.first).toBeNull();
});

test('a column of dates in an unknown form is not passed over', async () => {
  const rows = ['P2023-05-01', 'P2023-05-03', 'P2023-05-05'].map((date, i) => `C00${i},${date},Completed`);
  const { flags } = await suggested(lines('customer_id,order_date,status', ...rows));
  expect(flags).toContain('--map timestamp=order_date --timestamp-format TIMESTAMP_FORMAT');
});

test('a tab that was written as its escape separates cells', async () => {
  const rows = ['01.01.2022', '02.01.2022', '13.01.2022'].map((date) => `${date}\\tKey rate of 9\\tmoney`);
  const { inspection, flags } = await suggested(lines(...rows), 'a.tsv');
  expect(inspection).toMatchObject({ delimiter: '\\t', header: false, rows: 3 });
  expect(flags).toContain('--map timestamp=column1 --timestamp-format DD.MM.YYYY');
});

test('customers are found in other languages', async () => {
  const rows = ['12', '45', '12', '7'].map((id, i) => `2024-01-0${i + 1},10,${id},Norte`);
  const { flags } = await suggested(lines('data_venda,id_produto,id_cliente,regiao', ...rows));
  expect(flags).toContain('--map userId=id_cliente');
  const kinds = ['Ouro', 'Prata', 'Ouro', 'Prata'].map((kind, i) => `2024-01-0${i + 1},${kind}`);
  expect((await suggested(lines('data_venda,tipo_cliente', ...kinds))).flags).not.toContain(
    'userId=tipo_cliente',
  );
});

test('a rare delimiter is found where no other fits', async () => {
  const rows = ['ann', 'bob', 'eve'].map((who, i) => `${who}+buy+2026-01-31T12:00:0${i}Z+Oslo`);
  const { inspection } = await suggested(lines('user+event+time+place', ...rows), 'a.txt');
  expect(inspection).toMatchObject({ delimiter: '+', rows: 3 });
});

test('members of the record are offered before what is inside its objects', async () => {
  const log = ndjson(6, (i) => ({
    at: `2026-01-31T12:00:0${i}Z`,
    from_agent: ['planner', 'builder'][i % 2],
    tool: ['a', 'b', 'c'][i % 3],
    arguments: { title: `t${i % 5}`, icon: `i${i % 4}` },
  }));
  const { note } = await suggested(log, 'a.ndjson');
  expect(note).toContain('--map userId=tool or --map userId=from_agent or --map userId=arguments.title');
});
