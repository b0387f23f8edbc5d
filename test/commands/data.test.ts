import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-svc.ts';
import { runProcess } from '../support/run-process.ts';
import { runSvc } from '../support/run-svc.ts';
import { startTestService } from '../support/service.ts';
import { tempDir } from '../support/temp.ts';

const lines = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('svc data reset', () => {
  it('removes the data and keeps workspace and key', async () => {
    // In processes of their own: data that this process has had open counts as in use until it ends.
    const svc = await builtSvc();
    const home = tempDir();
    const run = (...argv: string[]) => runProcess(svc, argv, { home, env: { SVC_PROFILE: 'local' } });
    expect((await run('events', 'send', '--user-id', 'u', '--event', 'e')).code).toBe(0);
    const data = join(home, 'data');
    const credentials = readFileSync(join(data, 'service.db.credentials.json'), 'utf8');
    expect(await run('data', 'reset')).toMatchObject({ code: 2, stdout: '' });
    expect(existsSync(join(data, 'service.db'))).toBe(true);
    expect((await run('data', 'reset', '--yes', '--json')).code).toBe(0);
    expect(readdirSync(data).filter((name) => name.startsWith('service.db'))).toEqual([
      'service.db.credentials.json',
    ]);
    await run('events', 'send', '--user-id', 'u2', '--event', 'e');
    expect(readFileSync(join(data, 'service.db.credentials.json'), 'utf8')).toBe(credentials);
    const after = lines((await run('data', 'export', '--type', 'event')).stdout);
    expect(after.map(({ userId }) => userId)).toEqual(['u2']);
  });

  it('does nothing while a service is at work on it', async () => {
    const service = await startTestService();
    const run = await runSvc(['data', 'reset', '--yes', '--database', service.database]);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/in use by another process/);
    expect((await service.fetch('/v1/webhooks')).status).toBe(200);
  });

  it('removes what is damaged, and says where there is nothing', async () => {
    const home = tempDir();
    const file = join(home, 'broken.db');
    writeFileSync(file, 'this is no database, however long it may be');
    expect((await runSvc(['data', 'reset', '--yes', '--database', file])).code).toBe(0);
    expect(existsSync(file)).toBe(false);
    const none = await runSvc(['data', 'reset', '--yes', '--database', file]);
    expect(none.stdout).toMatch(/there was no data/);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ['serve', '--port', '0'],
    ['serve', 'migrate'],
    ['data', 'export'],
  ])('%s %s names the damaged file in the next step, and not the data of `local`', async (...argv) => {
    const file = join(tempDir(), 'bro ken.db');
    writeFileSync(file, 'this is no database, however long it may be');
    const run = await runSvc([...argv.filter((word) => word !== undefined), '--database', file, '--json']);
    expect(run.code).toBe(2);
    expect(JSON.parse(run.stderr).error).toMatchObject({
      code: 'data',
      hint: `nothing was changed; \`svc data reset --database '${file}' --yes\` starts afresh`,
    });
  });
});
