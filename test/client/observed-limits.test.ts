import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ObservedLimits } from '../../src/client/observed-limits.ts';

const scope = { baseUrl: 'https://eu.example.test/', workspace: 'ws_1' };
const now = 1_764_000_000_000;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-limits-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function answer(remaining: number) {
  return { status: 202, limit: 600, remaining, resetIn: 60_000 };
}

it('stores the last response of each group for the next process', () => {
  const first = new ObservedLimits(folder, scope);
  first.note('ingest', answer(599), now);
  first.note('reads', { status: 200, limit: 60, remaining: 58 }, now + 1);
  expect(new ObservedLimits(folder, { ...scope, baseUrl: 'https://eu.example.test' }).read()).toEqual([
    { group: 'ingest', limit: 600, remaining: 599, reset: now + 60_000, seenAt: now },
    { group: 'reads', limit: 60, remaining: 58, reset: undefined, seenAt: now + 1 },
  ]);
});

it('stores limits per workspace and service', () => {
  new ObservedLimits(folder, scope).note('ingest', answer(1), now);
  expect(new ObservedLimits(folder, { ...scope, workspace: 'ws_2' }).read()).toEqual([]);
  expect(new ObservedLimits(folder, { ...scope, baseUrl: 'https://us.example.test' }).read()).toEqual([]);
});

it('writes at most once a second during a stream of responses, and the last one on flush', () => {
  const writer = new ObservedLimits(folder, scope);
  const reader = new ObservedLimits(folder, scope);
  for (let index = 0; index < 500; index++) writer.note('ingest', answer(599 - index), now + index);
  expect(reader.read()).toMatchObject([{ remaining: 599 }]);
  expect(writer.read()).toMatchObject([{ remaining: 100 }]);
  writer.flush(now + 500);
  expect(reader.read()).toMatchObject([{ remaining: 100 }]);
});

it('does not replace a newer response by an older one, and recovers from a wrong clock', () => {
  const slow = new ObservedLimits(folder, scope);
  new ObservedLimits(folder, scope).note('ingest', answer(10), now + 50);
  slow.note('ingest', answer(20), now);
  slow.flush(now + 60);
  expect(slow.read()).toMatchObject([{ remaining: 20 }]);
  new ObservedLimits(folder, scope).note('ingest', answer(30), now - 3600_000);
  expect(new ObservedLimits(folder, scope).read()).toMatchObject([{ remaining: 30 }]);
});

it('stores nothing for a service that sends no headers', () => {
  const limits = new ObservedLimits(folder, scope);
  limits.note('ingest', { status: 202 }, now);
  limits.note('ingest', { status: 202, limit: 600 }, now);
  expect(limits.read()).toEqual([]);
});

it('ignores a broken file and a folder that is not writable, and leaves no temporary files', () => {
  const limits = new ObservedLimits(folder, scope);
  limits.note('ingest', answer(5), now);
  const stored = join(folder, 'limits', readdirSync(join(folder, 'limits'))[0]!);
  expect(readdirSync(stored)).toEqual(['ingest.json']);
  expect(statSync(join(stored, 'ingest.json')).mode & 0o777).toBe(0o600);
  writeFileSync(join(stored, 'ingest.json'), '{"limit": 6');
  expect(new ObservedLimits(folder, scope).read()).toEqual([]);
  const blocked = join(folder, 'file');
  writeFileSync(blocked, '');
  chmodSync(blocked, 0o400);
  expect(() => new ObservedLimits(blocked, scope).note('ingest', answer(5), now)).not.toThrow();
});
