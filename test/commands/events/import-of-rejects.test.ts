import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const recipe = (stderr: string) => stderr.slice(stderr.indexOf('extract them: ')).trim();

test.each([
  ['v.csv', 'userId,event,timestamp\nu1,seen,2026-01-01T00:00:00Z\nu2,,2026-01-01T00:00:00Z\n'],
  ['v.ndjson', '{"userId":"u1","event":"seen","timestamp":"2026-01-01T00:00:00Z"}\n{"userId":"u2"}\n'],
])(
  'the import of a rejects file of %s names the recipe that the first import printed',
  async (name, text) => {
    const home = tempDir();
    writeFileSync(join(home, name), text);
    const run = (file: string) => runSvc(['events', 'import', file, '--profile', 'local'], { home });
    const first = await run(name);
    expect(first.code).toBe(7);
    const again = await run(`${name}.rejects.ndjson`);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('is a rejects file');
    expect(recipe(again.stderr)).toBe(recipe(first.stderr));
  },
);
