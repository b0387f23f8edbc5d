import { expect, test } from 'vitest';
import { sendThrice } from '../../support/events/repeated-file.ts';
import { createDatabase, startPostgres } from '../../support/postgres/postgres.ts';
import { svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

test.each(['SQLite', 'PostgreSQL'])(
  'a file sent three times, shuffled, through two nodes that are killed, is stored once on %s',
  async (engine) => {
    const home = tempDir();
    const seed = process.env.SVC_SEED ?? 'ids';
    const server = engine === 'SQLite' ? undefined : await startPostgres({ durable: true });
    try {
      const database = server ? await createDatabase(server.admin) : `${home}/ids.db`;
      const { stored, fresh, lost } = await sendThrice(
        await svcProgram(),
        { database, home },
        { events: 60_000, kills: 40, seed },
      );
      console.log(`seed ${seed}: ${lost} batches without an answer, ${fresh} events answered as stored`);
      expect(stored.length).toBe(60_000);
      expect(new Set(stored).size).toBe(60_000);
    } finally {
      await server?.stop();
    }
  },
  1_800_000,
);
