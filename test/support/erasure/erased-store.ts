import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { seededRandom } from '../../../src/kit/random.ts';
import { erasures } from '../../../src/service/erasure/store.ts';
import { events } from '../../../src/service/events/store/events.ts';
import { recentEvents } from '../../../src/service/events/store/recent-events.ts';
import type { Store } from '../../../src/service/platform/store/store.ts';
import { eventBatch } from '../events/batch.ts';

export const WORKSPACE = 'ws_erased';
/** The user whose events are erased. */
export const ERASED = 'quillfeather.canary@erased-mail.example';
/** As in the case that was found: so many events, about half of them of the user, in batches of so many. */
const EVENTS = 12_000;
const BATCH = 1000;

/** Events of other users, with the user's between them by the given share. */
export function sentEvents(random: () => number, share: number, count: number) {
  return Array.from({ length: count }, () => {
    const other = `user-${Math.floor(random() * 3000)}@${'x'.repeat(random() * 20)}.example`;
    const userId = random() < share ? ERASED : other;
    return {
      userId,
      event: `event_${Math.floor(random() * 4)}`,
      timestamp: new Date(Date.UTC(2026, 0, 1) + Math.floor(random() * 1e9)).toISOString(),
      properties: { note: `${userId} ${'p'.repeat(random() * 80)}` },
    };
  });
}

/** Stores a batch of them, and indexes them. */
export async function ingest(
  store: Store,
  random: () => number,
  share: number,
  count = BATCH,
): Promise<void> {
  await store.write(async (tx) => {
    const sent = sentEvents(random, share, count);
    const { first } = await events.append(tx, WORKSPACE, eventBatch(JSON.stringify({ events: sent })));
    const recent = sent.map(({ userId, event, timestamp }, i) => ({
      number: first + i,
      userId,
      event,
      at: Date.parse(timestamp),
    }));
    await recentEvents.add(tx, WORKSPACE, recent);
  });
}

/** Stores the events and deletes those of the user, as an erasure does. */
export async function fillAndDelete(store: Store, seed: string): Promise<void> {
  const random = seededRandom(seed);
  for (let stored = 0; stored < EVENTS; stored += BATCH) await ingest(store, random, 0.5);
  for (let after = 0; after < EVENTS; ) {
    const erasure = { after, upTo: EVENTS, userId: ERASED } as Parameters<typeof erasures.scanEvents>[2];
    after = await store.write((tx) => erasures.scanEvents(tx, WORKSPACE, erasure, 5000));
  }
  await store.write((tx) => erasures.forgetEvents(tx, WORKSPACE, ERASED));
}

/** How often a text is in the files beside a database and in the database itself, whatever their names. */
export function copiesIn(database: string, text: string): number {
  const folder = dirname(database);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1').split(text).length - 1)
    .reduce((sum, found) => sum + found, 0);
}
