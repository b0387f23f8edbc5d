/** Records the examples of the API description from the service: `npm run examples`, then `npm run generate`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../../../src/service/start.ts';
import { recordExamples } from './record-examples.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-examples-'));
const service = await startService({ database: join(folder, 'service.db'), allowLoopbackWebhooks: true });
try {
  const recorded = Object.entries(await recordExamples(service))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { status: _, headers: __, ...example }]) => [name, example]);
  writeFileSync(
    'src/contract/openapi/examples.json',
    `${JSON.stringify(Object.fromEntries(recorded), null, 2)}\n`,
  );
} finally {
  await service.close(0);
  rmSync(folder, { recursive: true, force: true });
}
