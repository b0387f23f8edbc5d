/** The service of storm.ts as a separate process that can be killed. Arguments: one JSON object. */
import { startService } from '../../../src/service/start.ts';

const { database, dataDir, port, environment } = JSON.parse(process.argv[2]!);
const service = await startService({
  database,
  dataDir,
  port,
  environment,
  limits: { ingest: null, inform: null, decisions: null, reads: null, webhooks: null },
  log: (level, message, fields) => {
    if (level === 'error') process.stderr.write(`${JSON.stringify({ message, ...fields })}\n`);
  },
});
const { url, workspace, apiKey } = service;
process.stdout.write(`${JSON.stringify({ url, workspace, apiKey })}\n`);
