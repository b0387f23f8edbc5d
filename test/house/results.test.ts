import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { outputErrors, outputOf } from '../support/outputs/check-output.ts';
import { ROOT, runSvc } from '../support/process/run-svc.ts';
import { startTestService } from '../support/process/service.ts';
import { tempDir } from '../support/temp.ts';

/** The shape of what `--json` prints, command by command: names and types, which scripts rely on. */
const RENEW = 'if this change is meant, renew the snapshot with `npm run snapshots`';

it('prints JSON of the recorded shape', async () => {
  const home = tempDir();
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const shapes: string[] = [];
  const svc = async (line: string, more: { stdin?: string; code?: number } = {}): Promise<never> => {
    const argv = line.split(' ');
    const run = await runSvc([...argv, '--json'], {
      home,
      cwd: home,
      env: service.env,
      stdin: more.stdin ?? '',
    });
    expect(`${run.code} ${run.stderr}`, line).toMatch(new RegExp(`^${more.code ?? 0} `));
    const values = run.stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    shapes.push(
      `svc ${line
        .replaceAll(/\b(ntf|dec|whk|wh|dlv|evt)_\w+/g, '$1_…')
        .replaceAll(/[0-9a-f]{32,}/g, 'HASH')
        .replaceAll(/:\d{4,5}/g, ':PORT')}`,
    );
    const id = outputOf(argv)!;
    for (const value of values) expect(outputErrors(id, value, { strict: true }), line).toBe('');
    shapes.push(...new Set(values.map((value) => `  ${JSON.stringify(shapeOf(value))}`)));
    return values[0] as never;
  };
  const event = { userId: 'u1', event: 'viewed', timestamp: '2026-01-01T00:00:00Z', properties: { n: 1 } };
  writeFileSync(join(home, 'events.ndjson'), `${JSON.stringify(event)}\n`);
  writeFileSync(
    join(home, 'users.ndjson'),
    `${JSON.stringify({ userId: 'u1', name: 'A', devices: [{ channel: 'push', token: 't' }] })}\n`,
  );

  await svc('--version');
  await svc('events send --user-id u1 --event viewed');
  await svc('events import events.ndjson');
  await svc('events import events.ndjson --dry-run');
  await svc('events inspect events.ndjson');
  await svc('events plan events.ndjson');
  await svc('events plan --status');
  const { hashId } = (await svc('users import users.ndjson')) as { hashId: string };
  const { decisionId } = (await svc(`decide --hash-id ${hashId} --channel in-app --surface home`)) as {
    decisionId: string;
  };
  await svc('decide --input -', { stdin: `${hashId}\n` });
  await svc(`messages list --hash-id ${hashId}`);
  await svc(`messages outcome ${decisionId} opened`);
  const { notificationId } = (await svc(
    `notifications trigger --hash-id ${hashId} --template welcome --channel push --priority transactional`,
  )) as { notificationId: string };
  // Its record has the same shape whatever the load: it has ended.
  await svc(`notifications watch ${notificationId}`);
  await svc(`notifications get ${notificationId}`);
  await svc(`notifications outcome ${notificationId} opened`);
  const later = await svc(
    `notifications trigger --hash-id ${hashId} --template welcome --channel push --send-at 1h`,
  );
  await svc(`notifications cancel ${(later as { notificationId: string }).notificationId}`);
  const { id } = (await svc('webhooks create --url http://127.0.0.1:1/hook --event campaign.opened')) as {
    id: string;
  };
  await svc('webhooks list');
  await svc(`webhooks get ${id}`);
  await svc(`webhooks update ${id} --status disabled`);
  await svc(`webhooks rotate ${id}`);
  await svc(`webhooks deliveries ${id}`);
  await svc(`webhooks delete ${id}`);
  await svc('decisions list');
  await svc(`decisions get ${decisionId}`);
  await svc('notifications list');
  await svc('webhooks deliveries');
  await svc('imports list');
  await svc('limits');
  await svc('profiles list');
  await svc('regions list');
  await svc('plugins list');
  await svc('doctor');
  await expect(`${shapes.join('\n')}\n`, RENEW).toMatchFileSnapshot(
    join(ROOT, 'test', 'snapshots', 'results.txt'),
  );
});

/** A value with each scalar replaced by its type, and each array by the shape of its elements. */
function shapeOf(value: unknown): unknown {
  if (value === null) return 'null';
  if (Array.isArray(value))
    return [...new Set(value.map((item) => JSON.stringify(shapeOf(item))))].map((text) => JSON.parse(text));
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shapeOf(item)]));
  return typeof value;
}
