import { expect, it } from 'vitest';
import { createLog } from '../../../src/service/telemetry/log.ts';

function logged(level?: 'debug' | 'warn') {
  const lines: string[] = [];
  return {
    lines,
    log: createLog(
      (line) => lines.push(line),
      () => Date.UTC(2026, 0, 2),
      level,
    ),
  };
}

it('writes one object per line, with level, time and message', () => {
  const { lines, log } = logged();
  log('warn', 'something is late', { seconds: 3 });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 'warn', time: '2026-01-02T00:00:00.000Z', message: 'something is late', seconds: 3 },
  ]);
});

it('omits lines below its level', () => {
  const { lines, log } = logged('warn');
  log('info', 'no');
  log('error', 'yes');
  expect(lines).toHaveLength(1);
});

it('masks long texts in linear time', () => {
  const { lines, log } = logged();
  for (const part of ['a', 'a:', '://', 'x://a:', 'Bearer ', 'sk_test_', 'eyJ-'])
    log('error', 'a request failed', { reason: part.repeat(300_000 / part.length) });
  expect(lines).toHaveLength(7);
});

it('masks secrets and personal fields everywhere', () => {
  const { lines, log } = logged('debug');
  log('error', 'postgres://svc:hunter2@db/svc refused Bearer sk_test_0123abcd', {
    reason: 'at postgresql://svc:hunter2@db:5432/svc',
    apiKey: 'hunter2',
    user: { name: 'Ada Lovelace', phone: '+49 151', accountNumber: 'DE02', email: 'ada@example.com' },
    signingSecret: 'hunter2',
    key: 'sk_live_hunter2',
  });
  expect(lines.join()).not.toMatch(/hunter2|0123abcd|Lovelace|151|DE02|ada@/);
  expect(JSON.parse(lines[0]!).reason).toBe('at postgresql://svc:***@db:5432/svc');
});
