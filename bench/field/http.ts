/** The engine as an app uses it: `svc serve` on a loopback port, decisions and clicks as requests. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { serve } from '../support/serve.ts';
import type { Player } from './run.ts';
import type { World } from './worlds.ts';

/** Starts a service for one world. With `polling` the app polls before it reports. */
export async function overHttp(world: World, polling: boolean): Promise<Player & { close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-field-'));
  const catalog = join(folder, 'catalog.json');
  const offer = (t: number) =>
    writeFileSync(
      catalog,
      JSON.stringify({
        contents: world.contents(t).map((content) => ({
          ...content,
          format: 'card',
          title: content.contentId,
          body: '',
        })),
      }),
    );
  offer(0);
  const { url, headers, stop } = await serve({
    database: join(folder, 'field.db'),
    home: folder,
    flags: ['--catalog', catalog],
    program: 'bin/dev.js',
  });
  const pool = new Pool(url, { connections: 4 });
  const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const request = { path, method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    const answer = await pool.request(request);
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text);
  };

  const hashIds = await identify(world, ask);
  const poll = (hashId: string) => ask('GET', `/v1/messages?hashId=${hashId}`);
  if (polling) await poll([...hashIds.values()][0]!);
  const made: string[] = [];
  return {
    async decide(t, visit, contents) {
      if (world.changes.includes(t)) {
        offer(t);
        // The service watches the file.
        await sleep(3000);
      }
      const hashId = hashIds.get(visit.user)!;
      const body = { hashId, context: visit.context };
      const { decisionId, action } = await ask('POST', '/v1/decisioning/decide', body);
      made[t] = decisionId;
      if (polling) await poll(hashId);
      const content = contents(t).findIndex(({ contentId }) => contentId === action.contentId);
      return { content, ranking: action.ranking };
    },
    async click(_, of) {
      await ask('POST', `/v1/messages/${made[of]}/outcomes`, { type: 'actioned' });
    },
    async close() {
      await pool.close();
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Tells the service of every user that the world will bring, with traits and past events. */
async function identify(
  world: World,
  ask: (
    method: 'POST',
    path: string,
    body: object,
  ) => Promise<{ users: { userId: string; hashId: string }[] }>,
): Promise<Map<string, string>> {
  const visits = new Map(
    Array.from({ length: world.decisions }, (_, t) => world.visit(t)).map((visit) => [visit.user, visit]),
  );
  const all = [...visits.values()];
  const hashIds = new Map<string, string>();
  for (let from = 0; from < all.length; from += 1000) {
    const users = all.slice(from, from + 1000).map(({ user, traits }) => ({ userId: user, traits }));
    for (const { userId, hashId } of (await ask('POST', '/v1/users', { users })).users)
      hashIds.set(userId, hashId);
  }
  const timestamp = new Date(Date.now() - 2 * 86_400_000).toISOString();
  const events = all.flatMap(({ user, events }) =>
    Object.entries(events).flatMap(([event, count]) =>
      Array.from({ length: count }, () => ({ userId: user, event, timestamp })),
    ),
  );
  for (let from = 0; from < events.length; from += 1000)
    await ask('POST', '/v1/events', { events: events.slice(from, from + 1000) });
  return hashIds;
}
