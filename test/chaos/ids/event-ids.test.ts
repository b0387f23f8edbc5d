import { expect, test } from 'vitest';
import { sendThrice } from '../../support/events/repeated-file.ts';
import { createDatabase, startPostgres } from '../../support/postgres/postgres.ts';
import { svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

// The short form of event-ids.chaos.ts.
test.each(['SQLite', 'PostgreSQL'])(
  'a file sent three times, shuffled, through two nodes that are killed, is stored once on %s',
  async (engine) => {
    const home = tempDir();
    const server = engine === 'SQLite' ? undefined : await startPostgres({ durable: true });
    try {
      const database = server ? await createDatabase(server.admin) : `${home}/ids.db`;
      const options = { events: 1500, kills: 2, seed: 'short' };
      const { stored, fresh } = await sendThrice(await svcProgram(), { database, home }, options);
      expect(stored.length).toBe(1500);
      expect(new Set(stored).size).toBe(1500);
      // What was stored and not answered was found again.
      expect(fresh).toBeLessThanOrEqual(1500);
    } finally {
      await server?.stop();
    }
  },
  300_000,
);
