/**
 * How long after its event a conversion is in the reward log, while events come in at a rate: in process, on SQLite, with a goal
 * on 1 % of the events and on all of them: `npm run bench -- bench/goals/lag.ts [EVENTS_PER_SECOND] [SECONDS]`
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { definitions } from '../../src/service/decisions/goals/store/definitions.ts';
import { eventHeads } from '../../src/service/events/store/event-heads.ts';
import { startService } from '../../src/service/start.ts';

const rate = Number(process.argv[2] ?? 5000);
const seconds = Number(process.argv[3] ?? 20);
const BATCH = 250;
const USERS = 200;
const content = {
  ...{ contentId: 'a', category: 'any', format: 'card', title: 'A', body: '', channels: [] },
};

for (const share of [0.01, 1]) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-goals-'));
  const limits = { ingest: null, inform: null, decisions: null, reads: null, webhooks: null };
  const service = await startService({ limits, dataDir, database: join(dataDir, 'data.db'), port: 0 });
  const send = async (path: string, body: object, method = 'POST') => {
    const answer = await fetch(service.url + path, {
      method,
      headers: {
        authorization: `Bearer ${service.apiKey}`,
        'x-service-workspace': service.workspace,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text === '' ? undefined : JSON.parse(text);
  };
  const goal = { goalId: 'order', event: 'order', within: '7d', value: { property: 'amount', to: 200 } };
  const catalog = { contents: [content], goals: [goal], settings: { reward: { goal: 'order' } } };
  await send('/v1/catalog', { catalog }, 'PUT');
  const decided: string[] = [];
  for (let i = 0; i < USERS; i++) {
    const { users } = await send('/v1/users', { users: [{ userId: `decided${i}` }] });
    decided.push((await send('/v1/decisioning/decide', { hashId: users[0].hashId })).decisionId);
  }
  const end = performance.now() + 1000 * seconds;
  const lags: number[] = [];
  let sent = 0;
  const began = performance.now();
  const load = (async () => {
    while (performance.now() < end) {
      const now = new Date().toISOString();
      const events = Array.from({ length: BATCH }, (_, i) => ({
        userId: `u${(7 * (sent + i)) % 50_000}`,
        event: (sent + i) % 100 < 100 * share ? 'order' : 'page_viewed',
        timestamp: now,
        properties: { amount: i % 200, path: '/a/page' },
      }));
      await send('/v1/events', { events });
      sent += BATCH;
      await sleep(Math.max(0, (1000 * sent) / rate - (performance.now() - began)));
    }
  })();
  for (let i = 0; i < USERS && performance.now() < end; i++) {
    await sleep(100);
    const at = performance.now();
    await send('/v1/events', {
      events: [
        {
          userId: `decided${i}`,
          event: 'order',
          timestamp: new Date().toISOString(),
          properties: { amount: 100 },
        },
      ],
    });
    const row = () =>
      service.platform.store.read((tx) =>
        tx.sql.get('SELECT 1 AS one FROM reward WHERE workspace_id = ? AND decision_id = ? AND reward > 0', [
          service.workspace,
          decided[i]!,
        ]),
      );
    while (!(await row()) && performance.now() < end + 30_000) await sleep(10);
    lags.push(performance.now() - at);
  }
  await load;
  const stored = performance.now() - began;
  const isBehind = () =>
    service.platform.store.read(async (tx) => {
      const { number: newest } = await eventHeads.get(tx, service.workspace);
      return (await definitions.all(tx, service.workspace)).some(({ number }) => number < newest);
    });
  while (await isBehind()) await sleep(20);
  const caughtUp = performance.now() - began - stored;
  lags.sort((a, b) => a - b);
  const at = (part: number) => lags[Math.min(lags.length - 1, Math.floor(part * lags.length))]!.toFixed(0);
  console.log(
    `goal on ${100 * share} %: ${Math.round(sent / (stored / 1000)).toLocaleString('en')} events/s for ${(stored / 1000).toFixed(0)} s; conversions in the reward log after ${at(0.5)} ms (P50), ${at(0.95)} ms (P95), ${at(1)} ms (most), of ${lags.length}; all counted ${(caughtUp / 1000).toFixed(1)} s after the last event`,
  );
  await service.close();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(0);
