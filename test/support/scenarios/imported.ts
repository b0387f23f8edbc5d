import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSvc } from '../process/run-svc.ts';
import { tempDir } from '../temp.ts';

/** Imports a file of this content on fresh local data; `rejects` are field and reason of each. */
export async function imported(name: string, content: string | Buffer, ...flags: string[]) {
  const home = tempDir();
  writeFileSync(join(home, name), content);
  const run = await runSvc(['events', 'import', name, '-p', 'local', ...flags], { home, cwd: home });
  const rejects = () =>
    readFileSync(join(home, `${name}.rejects.ndjson`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ field, reason }) => `${field} ${reason}`);
  return { ...run, home, rejects };
}
