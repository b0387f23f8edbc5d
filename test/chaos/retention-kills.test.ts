import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/kit/clock.ts';
import { createWorkspaceRows } from '../../src/service/admin/create-workspace.ts';
import { connectStore } from '../../src/service/platform/open.ts';
import { generator } from '../support/generator.ts';
import { freshDatabase } from '../support/postgres/database.ts';
import { killable } from '../support/process/killable.ts';
import { ROOT } from '../support/process/run-svc.ts';
import { copyToRead, outside } from '../support/scenarios/outside.ts';
import { tempDir } from '../support/temp.ts';

const DAY_MS = 86_400_000;
const OLD = 8_000;
const NEW = 500;

test('a removal that is killed continues, and every kept event is there', async () => {
  const program = await killable<{ begun: true }>(join(ROOT, 'test/support/retention/removing.ts'));
  const random = generator(5);
  const database = await freshDatabase(tempDir());
  const argument = { database, workspaceId: 'ws', events: 30 * DAY_MS };
  try {
    const store = await connectStore(database, systemClock);
    await store.write((tx) => createWorkspaceRows(tx, { id: 'ws', region: null, mode: 'test' }));
    for (const [from, to, age] of [
      [1, OLD, 40 * DAY_MS],
      [OLD + 1, OLD + NEW, DAY_MS],
    ])
      await store.write(({ sql, now }) =>
        sql.run(
          `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
           INSERT INTO event (workspace_id, number, user_id, event, timestamp, received_at)
           SELECT 'ws', i, 'u', 'e', 't', ${now - age!} FROM n`,
        ),
      );
    await store.close();

    const left = new Set<number>();
    for (let kill = 0; kill < 5; kill++) {
      // The first ones while the table is divided. None comes after the end, however late it is.
      const pieces = kill < 2 ? 0 : kill;
      await program.start({ ...argument, pieces, most: pieces + 1 });
      await new Promise((resolve) => setTimeout(resolve, random() * 30));
      await program.kill();
      const { rows, close } = await outside(copyToRead(database));
      const [row] = await rows(
        `SELECT count(*) AS n, min(number) AS first, count(CASE WHEN number > ${OLD} THEN 1 END) AS kept FROM event`,
      );
      const [last] = await rows('SELECT max(number) AS removed FROM removal');
      const removed = Number(last!.removed ?? 0);
      await close();
      // What is gone is recorded, and nothing else is gone.
      expect(Number(row!.kept)).toBe(NEW);
      expect(Number(row!.first) - 1).toBe(removed);
      expect(Number(row!.n)).toBe(OLD + NEW - removed);
      left.add(Number(row!.n));
    }
    expect(left.size).toBeGreaterThan(1);

    await program.start({ ...argument, pieces: 1 });
    await program.ended();
    const { rows, close } = await outside(copyToRead(database));
    const [row] = await rows('SELECT count(*) AS n FROM event');
    const [last] = await rows('SELECT max(number) AS removed FROM removal');
    expect([Number(row!.n), Number(last!.removed)]).toEqual([NEW, OLD]);
    await close();
  } finally {
    await program.release();
  }
});
