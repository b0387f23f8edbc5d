import { expect, test } from 'vitest';
import { sendThrice } from '../../support/events/repeated-file.ts';
import { databaseOn, ENGINES } from '../../support/postgres/engines.ts';
import { svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

/** SVC_IDS_EVENTS overrides the number of events in the file, SVC_IDS_KILLS that of the kills. */
const EVENTS = Number(process.env.SVC_IDS_EVENTS ?? 60_000);
const KILLS = Number(process.env.SVC_IDS_KILLS ?? 40);

test.each(ENGINES)(
  'a file sent three times, shuffled, through two nodes that are killed, is stored once on %s',
  async (engine) => {
    const seed = process.env.SVC_SEED ?? 'ids';
    const database = await databaseOn(engine);
    const { stored, fresh, lost } = await sendThrice(
      await svcProgram(),
      { database, home: tempDir() },
      { events: EVENTS, kills: KILLS, seed },
    );
    console.log(
      `${engine}, seed ${seed}: ${EVENTS} events, ${KILLS} kills, ${lost} batches without an answer, ${fresh} events answered as stored`,
    );
    expect(stored.length).toBe(EVENTS);
    expect(new Set(stored).size).toBe(EVENTS);
  },
  1_800_000,
);
