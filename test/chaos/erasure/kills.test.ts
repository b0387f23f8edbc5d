import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { copiesIn, ERASED, sentEvents } from '../../support/erasure/erased-store.ts';
import { generator } from '../../support/generator.ts';
import { type Served, serve } from '../../support/process/served.ts';
import { svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

/** How long after its start the service is killed, in ms; the second pass of an erasure is 15 s after the first. */
const KILLS = [100, 600, 15_500];

test('an erasure whose service is killed leaves nothing of the user in any file once it has ended', async () => {
  const program = await svcProgram();
  const random = generator(7);
  const home = tempDir();
  const options = { database: join(home, 'service.db'), home };
  let service = await serve(program, options);
  const { apiKey } = service;
  const statusOf = async ({ url, workspace }: Served, method: string, hashId: string) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'x-service-workspace': workspace };
    const answer = await fetch(`${url}/v1/users/${hashId}`, { method, headers });
    await answer.text();
    return answer.status;
  };
  try {
    const others = Array.from({ length: 50 }, (_, i) => ({ userId: `other-${i}`, name: `Other ${i}` }));
    const answer = await service.send('/v1/users', { users: [{ userId: ERASED, name: 'Quill' }, ...others] });
    const { hashId } = JSON.parse(answer!.text).users[0];
    for (let batch = 0; batch < 12; batch++) {
      const stored = await service.send('/v1/events', { events: sentEvents(random, 0.5, 1000) });
      expect(stored!.status).toBe(202);
    }
    expect(await statusOf(service, 'DELETE', hashId)).toBe(200);
    for (const after of KILLS) {
      await sleep(after + random() * 500);
      await service.kill();
      service = await serve(program, options);
      await service.send('/v1/events', { events: sentEvents(random, 0, 200) });
    }
    await expect.poll(() => statusOf(service, 'GET', hashId), { interval: 50 }).toBe(404);
    expect(copiesIn(options.database, ERASED)).toBe(0);
    expect(await service.stop()).toBe(0);
    expect(copiesIn(options.database, ERASED)).toBe(0);
    expect(copiesIn(options.database, 'user-')).toBeGreaterThan(6000);
  } finally {
    service.process.child.kill('SIGKILL');
    program.release();
  }
}, 300_000);
