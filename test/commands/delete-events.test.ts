import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../support/process/run-svc.ts';
import { startTestService } from '../support/process/service.ts';
import { settled } from '../support/process/test-clock.ts';
import { tempDir } from '../support/temp.ts';

test('counts and shows events, asks, deletes them, and says what stays', async () => {
  const service = await startTestService({ testClock: true });
  const home = tempDir();
  const svc = (...argv: string[]) => settled(service, runSvc(argv, { home, cwd: home, env: service.env }));
  writeFileSync(
    join(home, 'e.ndjson'),
    Array.from(
      { length: 8 },
      (_, n) =>
        `{"userId":"u\\u001b[31m${n}","event":"${n % 2 ? 'odd' : 'even'}","timestamp":"2026-01-31T12:00:00Z"}\n`,
    ).join(''),
  );
  expect((await svc('events', 'import', 'e.ndjson')).code).toBe(0);

  const dry = await svc('events', 'delete', '--event', 'odd', '--dry-run');
  expect(dry).toMatchObject({ code: 0 });
  expect(dry.stdout).toMatch(/^4 events\n.* odd\n/);
  expect(dry.stdout).not.toContain('\u001b[31m');
  // Without a terminal there is nobody to ask.
  const asked = await svc('events', 'delete', '--event', 'odd');
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(await svc('events', 'delete')).toMatchObject({ code: 2 });
  expect(await svc('events', 'delete', '--where', 'a:')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--where'),
  });

  const deleted = await svc('events', 'delete', '--event', 'odd', '--yes', '--json');
  expect(JSON.parse(deleted.stdout)).toMatchObject({ dryRun: false, events: 4 });
  const more = await svc('events', 'delete', '--where', 'event:even', '--until', '2026-02-01', '--yes');
  expect(more.stdout).toBe('deleted 4 events. Decisions that were made and webhooks that were sent stay.\n');
  // Repeated, it says so again, or that there is nothing left once counts of users are corrected.
  const again = await svc('events', 'delete', '--event', 'odd', '--yes');
  expect(again.stdout).toMatch(/^(deleted 4|no) events/);
  expect((await svc('events', 'delete', '--event', 'none', '--yes')).stdout).toBe('no events to delete\n');
});
