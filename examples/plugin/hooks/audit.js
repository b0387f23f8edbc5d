import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Records which commands ran, one JSON object a line, in SVC_AUDIT_FILE or the data folder of plugins. Arguments are left
 * out: they may hold personal data.
 *
 * @type {import('@oclif/core').Hook<'prerun'>}
 */
export default async function audit({ Command, config }) {
  const file = process.env.SVC_AUDIT_FILE ?? join(config.dataDir, 'audit.ndjson');
  const entry = { at: new Date().toISOString(), command: Command.id.replaceAll(':', ' ') };
  await appendFile(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
}
