import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, runSvc } from './support/process/run-svc.ts';
import { tempDir } from './support/temp.ts';

it('the examples are taken whole, every user of every event among the users', async () => {
  const home = tempDir();
  const run = (...argv: string[]) => runSvc([...argv, '--profile', 'local', '--json'], { home });
  const users = await run('users', 'import', join(ROOT, 'examples/users.csv'));
  expect(users.code).toBe(0);
  const known = new Set(
    users.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).userId),
  );
  expect(known.size).toBe(200);
  const file = join(ROOT, 'examples/events.ndjson');
  const events = await run('events', 'import', file);
  expect(JSON.parse(events.stdout)).toMatchObject({ read: 2000, accepted: 2000, rejected: 0 });
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    expect(known).toContain(JSON.parse(line).userId);
  }
});
