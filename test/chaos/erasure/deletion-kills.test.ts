import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../support/postgres/database.ts';
import { serve } from '../../support/process/served.ts';
import { svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

const KILLS = 4;
const BATCHES = 40;

test('a deletion whose service is killed deletes what was selected, counts it once, and nothing else', async () => {
  const program = await svcProgram();
  const home = tempDir();
  const options = { database: await freshDatabase(home), home };
  let service = await serve(program, options);
  const { apiKey } = service;
  const call = async (path: string, body?: object) => {
    const answer = await fetch(service.url + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'x-service-workspace': service.workspace,
        'content-type': 'application/json',
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return (await answer.json()) as {
      deletionId: string;
      status: string;
      events: number;
      duplicates: number;
    };
  };
  const batch = (n: number) => ({
    events: Array.from({ length: 1000 }, (_, i) => ({
      userId: `u${i % 20}`,
      event: i % 2 ? 'wrong' : 'right',
      timestamp: '2026-01-01T00:00:00Z',
      eventId: `${n} ${i}`,
    })),
  });
  try {
    for (let n = 0; n < BATCHES; n++) await call('/v1/events', batch(n));
    const { deletionId } = await call('/v1/events/deletions', { event: 'wrong' });
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(30 * (kill + 1));
      await service.kill();
      service = await serve(program, options);
    }
    const read = () => call(`/v1/events/deletions/${deletionId}`);
    await expect.poll(async () => (await read()).status).toBe('done');
    expect((await read()).events).toBe((BATCHES * 1000) / 2);
    // What was deleted is unknown, and what was not is known.
    let duplicates = 0;
    for (let n = 0; n < BATCHES; n++) duplicates += (await call('/v1/events', batch(n))).duplicates;
    expect(duplicates).toBe((BATCHES * 1000) / 2);
  } finally {
    service.process.child.kill('SIGKILL');
    program.release();
  }
}, 200_000);
