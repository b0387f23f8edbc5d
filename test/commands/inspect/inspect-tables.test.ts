import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { zipOf } from '../../support/scenarios/shaped-inputs.ts';
import { tempDir } from '../../support/temp.ts';

test('inspect names the lines that are left out, as the import does', async () => {
  const dir = tempDir();
  const file = join(dir, 'a.csv');
  const header = 'userId,event,timestamp';
  const rows = Array.from({ length: 30 }, (_, i) => `u${i},login,2026-01-01T00:00:0${i % 10}Z`);
  writeFileSync(
    file,
    ['Report of 2026', '', header, ...rows.slice(0, 15), header, ...rows.slice(15), ''].join('\n'),
  );
  const inspected = await runSvc(['events', 'inspect', file]);
  const imported = await runSvc(['events', 'import', file, '--dry-run', '--profile', 'local'], { home: dir });
  for (const { code, stderr } of [inspected, imported]) {
    expect(code).toBe(0);
    expect(stderr).toContain('left out 2 lines before the table: Report of 2026');
    expect(stderr).toContain('line 19 repeats the header; such lines are left out');
  }
});

test('an archive with different tables is asked about, with a command for each', async () => {
  const dir = tempDir();
  const file = join(dir, 'shop.zip');
  const orders =
    'order_id,customer,when\n1,c1,2026-01-01T00:00:00Z\n2,c2,2026-01-02T00:00:00Z\n3,c1,2026-01-03T00:00:00Z\n';
  const pages =
    'visitor,page,seen_at\nv1,/a,2026-01-01T00:00:00Z\nv2,/b,2026-01-02T00:00:00Z\nv1,/b,2026-01-03T00:00:00Z\n';
  writeFileSync(file, await zipOf({ 'all orders.csv': orders, 'pages.csv': pages }));
  const commands = [
    `unzip -p ${file} 'all orders.csv' | svc events inspect -`,
    `unzip -p ${file} pages.csv | svc events inspect -`,
  ];
  const inspected = await runSvc(['events', 'inspect', file]);
  expect(inspected.stdout).toContain(commands.join('\n  '));
  expect(inspected.stdout).not.toContain('import it');
  const json = await runSvc(['events', 'inspect', file, '--json']);
  expect(JSON.parse(json.stdout).command).toBe('');
  const imported = await runSvc(['events', 'import', file, '--profile', 'local'], { home: dir });
  expect(imported.code).toBe(2);
  for (const command of commands) expect(imported.stderr).toContain(command);
  expect(imported.stderr).not.toContain('USER_ID');
});
