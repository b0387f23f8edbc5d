import { expect, test } from 'vitest';
import { KeyedService, lost } from '../../../support/peers/keyed-service.ts';
import { importer, MAPPING } from '../../../support/scenarios/importer.ts';

const line = (n: number) =>
  `{"userId":"u${n}","event":"${n % 3 === 0 ? 'keep' : 'leave'}","timestamp":"2026-01-31T12:00:00Z"}`;
const lines = (count: number, from = 0) => Array.from({ length: count }, (_, n) => line(n + from));
const mapping = { ...MAPPING, where: new Map([['event', new Set(['keep'])]]) };
const kept = (count: number) => lines(count).filter((text) => text.includes('keep'));

test('an import with --where that lost answers is resumed: every record that matches arrives once', async () => {
  const service = new KeyedService({ after: (count) => (count % 2 === 0 ? lost() : undefined) });
  const { run } = importer({ 'a.ndjson': `${lines(90).join('\n')}\n` }, service);
  const first = await run({ mapping });
  expect(first.failure).toBeDefined();
  service.habits = {};
  const second = await run({ mapping, mode: 'resume' });
  expect(second.failure).toBeUndefined();
  expect(service.stored.sort()).toEqual(kept(90).sort());
  expect(second.result).toMatchObject({ read: 30, filtered: 60, unsent: 0 });
  const again = await run({ mapping, mode: 'resume' });
  expect(again.result).toMatchObject({
    read: 30,
    skipped: 30,
    filtered: 60,
    requests: service.bodies.length,
  });
});

test('--limit counts the records that match, and each shard takes its part of them', async () => {
  const files = { 'a.ndjson': `${lines(90).join('\n')}\n` };
  const limited = importer(files);
  const { result } = await limited.run({ mapping, name: { ...limited.name, limit: 4 } });
  expect(result).toMatchObject({ read: 4, accepted: 4, filtered: 6 });
  const service = new KeyedService();
  for (const index of [0, 1]) {
    const { run, name } = importer(files, service);
    await run({ mapping, name: { ...name, shard: { index, count: 2 } } });
  }
  expect(service.stored.sort()).toEqual(kept(90).sort());
});
