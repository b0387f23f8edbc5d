/**
 * The service of test/support/scenarios/decide-storm.ts, as a separate process that can be killed. Its clock runs
 * faster than real time and continues after a restart. Arguments: one JSON object.
 */
import { systemClock } from '../../../src/kit/clock.ts';
import { startService } from '../../../src/service/start.ts';

const { database, catalog, virtualStart, realStart, speed, port } = JSON.parse(process.argv[2]!);
const service = await startService({
  database,
  catalog,
  port,
  limits: { ingest: null, inform: null, decisions: null, reads: null, webhooks: null },
  clock: {
    now: () => Math.floor(virtualStart + (systemClock.now() - realStart) * speed),
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  },
  log: (level, message, fields) => {
    if (level === 'error') process.stderr.write(`${JSON.stringify({ message, ...fields })}\n`);
  },
});
process.stdout.write(
  `${JSON.stringify({ url: service.url, workspace: service.workspace, apiKey: service.apiKey })}\n`,
);
