import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freshDatabase } from '../../support/postgres/database.ts';
import { svcProgram } from '../../support/process/svc-process.ts';
import { readSeasoned } from '../../support/scenarios/seasoned/check.ts';
import { tempDir } from '../../support/temp.ts';

/** The long form is test/chaos/seasoned.chaos.ts. */
it('reads a seasoned store in bounded pages, while decisions continue', {
  timeout: 300_000,
}, async () => {
  const program = await svcProgram();
  onTestFinished(() => program.release());
  const folder = tempDir();
  const size = {
    hotEvents: 2000,
    bigEvents: 8,
    bigBytes: 8 * 1024 * 1024 - 200,
    contents: 300,
    subscriptions: 150,
    deliveries: 150,
    decisions: 1000,
    wideDecisions: 20,
    messages: 200,
  };
  const report = await readSeasoned(program, await freshDatabase(folder), join(folder, 'home'), size);
  expect(report.faults).toEqual([]);
  expect(report.streamed.events).toBe(size.hotEvents + size.bigEvents);
  expect(report.streamed.bytes).toBeGreaterThan(size.bigEvents * size.bigBytes);
  expect(report.exported.bytes).toBeGreaterThan(size.bigEvents * size.bigBytes);
  expect(report.delivered).toBe(size.subscriptions);
  for (const [list, { largest }] of Object.entries(report.pages))
    expect(largest, list).toBeLessThan(2 * 1024 * 1024);
  expect(report.serviceMegabytes).toBeLessThan(400);
  expect(report.exportMegabytes).toBeLessThan(400);
  // A decision that waited for all of a long read would leave none to begin during it. How long one takes depends on the
  // load of the machine; the long form limits it.
  expect(Object.keys(report.slowestDuring)).toEqual(expect.arrayContaining(['stream', 'export']));
});
