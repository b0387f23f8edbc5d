// cspell:ignore awsexamplebucket
import { expect, test } from 'vitest';
import { imported } from '../../../../support/scenarios/imported.ts';
import { suggested } from '../../../../support/suggested.ts';

const rows = (line: (i: number) => string) => Array.from({ length: 6 }, (_, i) => `${line(i)}\n`).join('');
const OWNER = '79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be';

const S3 = rows(
  (i) =>
    `${OWNER} bucket1 [06/Feb/2019:00:00:0${i} +0000] 192.0.2.${i % 3} - REQ${i} REST.GET.OBJECT a/b.txt "GET /bucket1/a/b.txt HTTP/1.1" 200 - 113 - 7 - "-" "S3Console/0.4" -`,
);
const ALB = rows(
  (i) =>
    `https 2018-07-02T22:23:0${i}.186641Z app/my-lb/50dc6c495c0c9188 192.168.131.39:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "GET https://www.example.com:443/ HTTP/1.1" "curl/7.46.0" - - arn:aws:x "Root=1-58337281" "-" "-" 0 2018-07-02T22:22:48.364000Z "forward" "-" "-"`,
);
const ELB = rows(
  (i) =>
    `2015-05-13T23:39:4${i}.945958Z my-lb 192.168.131.39:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29 "GET http://www.example.com:80/ HTTP/1.1" "curl/7.38.0" - -`,
);

test.each([
  [S3, 'bucket_owner,bucket,time,zone,remote_ip,requester,request_id,operation', 'time+zone', 'referer'],
  [ALB, 'type,time,elb,client:port,target:port,request_processing_time', 'time', 'ssl_cipher'],
  [ELB, 'time,elb,client:port,backend:port,request_processing_time', 'time', 'ssl_protocol'],
])('the columns of an access log have their published names', async (log, names, time, empty) => {
  const { flags, inspection } = await suggested(log, 'access.log');
  expect(flags).toContain(`--columns ${names},`);
  expect(flags).toMatch(new RegExp(`--map '?timestamp=${time.replace('+', '\\+')}'?( |$)`));
  expect(flags).toContain('--null -');
  expect(inspection.columns.find(({ name }) => name === empty)?.distinct).toBe(0);
});

test('a dash in a W3C log is an empty cell, also where flags name its columns', async () => {
  const log =
    '#Fields: date time cs-method cs-username\n2026-01-31 12:00:00 GET ann\n2026-01-31 12:00:01 GET -\n';
  const flags = ['--map', 'userId=cs-username', '--map', 'event=cs-method', '--map', 'timestamp=date+time'];
  const run = await imported('a.log', log, ...flags, '--convert-timestamps', '--json');
  expect(JSON.parse(run.stdout)).toMatchObject({ accepted: 1, rejected: 1 });
  expect(run.rejects()).toEqual(['userId is missing']);
});

test('a date and a time of day in a table without a header are joined', async () => {
  const table = rows((i) => `u${i % 2}\tlogin\t2026-01-0${i + 1}\t10:0${i}:05\t${i}`);
  const { flags, inspection } = await suggested(table, 'a.tsv');
  expect(flags).toContain('--map timestamp=column3+column4');
  expect(inspection.timestamps.first).toBe('2026-01-01T10:00:05Z');
});
