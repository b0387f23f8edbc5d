import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

describe('a database of another program', () => {
  const commands = [['serve'], ['serve', 'migrate'], ['data', 'export']];

  it.each(commands)('is never offered for removal: svc %s %s', async (...argv) => {
    const home = tempDir();
    const words = argv.filter((word) => word !== undefined);
    mkdirSync(join(home, 'folder'));
    for (const [name, content] of [
      ['users.csv', 'userId,name\nu1,Ann\n'],
      ['server.key', '-----BEGIN PRIVATE KEY-----\n'],
      ['long.txt', 'a line of text\n'.repeat(1000)],
      ['folder', undefined],
    ] as const) {
      const file = join(home, name);
      if (content !== undefined) writeFileSync(file, content);
      const run = await runSvc([...words, '--database', file], { home });
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).not.toContain('reset');
      expect(run.stderr).toMatch(/\n {2}next: .*name another file: svc .*--database svc\.db\n$/);
    }
  });
});

describe('an invalid window', () => {
  it.each(['0', '0s', '0.0001ms', '999h'])('is refused and not stored: %s', async (window) => {
    const run = await runSvc(['serve', '--port', '0', '--window', window]);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/--window .* is not between 100ms and 24h\n {2}next: .*--window 60s/);
  });
});
