import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { outboxChannel } from '../../../../src/service/notifications/providers/outbox.ts';
import { killable } from '../../../support/process/killable.ts';
import { sampleMessage } from './message.ts';

const { signal } = new AbortController();
const now = () => Date.parse('2026-03-01T10:00:00Z');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outbox-'));
});
afterEach(() => rm(folder, { recursive: true }));
const lines = async (path: string) => (await readFile(path, 'utf8')).trimEnd().split('\n');

it('writes one line per notification, with personal fields masked, readable by the owner only', async () => {
  const path = join(folder, 'outbox.ndjson');
  const outbox = outboxChannel(path, now);
  expect(await outbox.send(sampleMessage(), signal)).toEqual({ outcome: 'accepted' });
  await outbox.send(sampleMessage({ notificationId: 'ntf_2' }), signal);
  const written = await lines(path);
  expect(JSON.parse(written[0]!)).toEqual({
    at: '2026-03-01T10:00:00.000Z',
    notificationId: 'ntf_1',
    channel: 'email',
    priority: 'transactional',
    templateId: 'order_update',
    hashId: 'a'.repeat(64),
    to: { phone: '•••90' },
    subject: 'Your order',
    text: 'Hello A•••,\nyour order A-1 is here.',
  });
  expect(written.length).toBe(2);
  expect(written.join()).not.toMatch(/Lovelace|1234567|ada@/);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it('writes a notification once although it is sent again', async () => {
  const path = join(folder, 'outbox.ndjson');
  const outbox = outboxChannel(path, now);
  for (const notificationId of ['ntf_1', 'ntf_10', 'ntf_2'])
    await outbox.send(sampleMessage({ notificationId }), signal);
  for (const notificationId of ['ntf_2', 'ntf_1', 'ntf_3'])
    expect(await outbox.send(sampleMessage({ notificationId, earlierTries: 1 }), signal)).toEqual({
      outcome: 'accepted',
    });
  expect((await lines(path)).map((line) => JSON.parse(line).notificationId)).toEqual([
    'ntf_1',
    'ntf_10',
    'ntf_2',
    'ntf_3',
  ]);
});

it('asks for a retry of what it cannot write', async () => {
  const outbox = outboxChannel(join(folder, 'missing', 'outbox.ndjson'), now);
  expect(await outbox.send(sampleMessage(), signal)).toMatchObject({
    outcome: 'retryable',
    error: expect.stringContaining('ENOENT'),
  });
});

it('neither accepts nor continues a partial line', async () => {
  const path = join(folder, 'outbox.ndjson');
  const outbox = outboxChannel(path, now);
  await outbox.send(sampleMessage(), signal);
  const whole = await readFile(path, 'utf8');
  const torn = whole.replaceAll('ntf_1', 'ntf_2').slice(0, 100);
  await writeFile(path, whole + torn);
  const again = sampleMessage({ notificationId: 'ntf_2', earlierTries: 1 });
  expect(await outbox.send(again, signal)).toEqual({ outcome: 'accepted' });
  expect(await outbox.send(sampleMessage({ notificationId: 'ntf_3' }), signal)).toEqual({
    outcome: 'accepted',
  });
  const written = await lines(path);
  expect(written[1]).toBe(torn);
  expect(written.toSpliced(1, 1).map((line) => JSON.parse(line).notificationId)).toEqual([
    'ntf_1',
    'ntf_2',
    'ntf_3',
  ]);
});

it('writes a complete line or none if the disk is full, and reports it', async () => {
  const path = join(folder, 'outbox.ndjson');
  const program = await killable<string[]>(join(import.meta.dirname, 'full-disk-service.ts'));
  onTestFinished(() => program.release());
  expect(await program.start(path)).toEqual(['accepted', 'retryable', 'retryable', 'retryable', 'retryable']);
  const text = await readFile(path, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  expect((await lines(path)).map((line) => JSON.parse(line).notificationId)).toEqual(['ntf_1']);
  const outbox = outboxChannel(path, now);
  const second = sampleMessage({ notificationId: 'ntf_2', earlierTries: 2 });
  expect(await outbox.send(second, signal)).toEqual({ outcome: 'accepted' });
  expect((await lines(path)).length).toBe(2);
});

it('does not write through a symbolic link, nor to a file that is not an outbox', async () => {
  const path = join(folder, 'outbox.ndjson');
  const other = join(folder, 'authorized_keys');
  for (const content of ['ssh-ed25519 AAAA\n', undefined]) {
    await rm(other, { force: true });
    if (content !== undefined) await writeFile(other, content);
    await symlink(other, path);
    expect(await outboxChannel(path, now).send(sampleMessage(), signal)).toEqual({
      outcome: 'retryable',
      error: `${path} is a symbolic link; it was not changed`,
    });
    expect(await readFile(other, 'utf8').catch(() => undefined)).toBe(content);
    await rm(path);
  }
  await writeFile(path, 'a letter');
  expect(await outboxChannel(path, now).send(sampleMessage(), signal)).toMatchObject({
    outcome: 'retryable',
  });
  expect(await readFile(path, 'utf8')).toBe('a letter');
  await rm(path);
  execFileSync('mkfifo', [path]);
  expect(await outboxChannel(path, now).send(sampleMessage(), signal)).toMatchObject({
    outcome: 'retryable',
  });
});

it('continues an outbox whose first line is not complete', async () => {
  const path = join(folder, 'outbox.ndjson');
  await writeFile(path, '{"a');
  expect(await outboxChannel(path, now).send(sampleMessage(), signal)).toEqual({ outcome: 'accepted' });
  expect(JSON.parse((await lines(path))[1]!).notificationId).toBe('ntf_1');
});
