import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { connectStore } from '../../../src/service/platform/open.ts';
import { playTwins } from '../../support/deletions/twins.ts';
import { freshDatabase } from '../../support/postgres/database.ts';
import { tempDir } from '../../support/temp.ts';

test('after deletions, a workspace is like one that never had the events', async () => {
  const database = await freshDatabase(tempDir());
  const store = await connectStore(database, systemClock);
  onTestFinished(() => store.close());
  const { seed } = fc.readConfigureGlobal();
  let deleted = 0;
  // Each round is thousands of statements, which PostgreSQL answers over a connection. More are played by twins.chaos.ts.
  const rounds = database.startsWith('postgres') ? 4 : 12;
  for (let i = 0; i < rounds; i++) {
    const played = await playTwins(store, `${seed}_${i}`);
    expect(played.differences, `round ${seed}_${i}`).toEqual([]);
    expect(played.left).toBeGreaterThan(20);
    deleted += played.deleted;
  }
  expect(deleted).toBeGreaterThan(8 * rounds);
});
