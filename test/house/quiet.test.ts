import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readManifest } from '../../src/cli/command/manifest.ts';
import { ROOT, runSvc } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

/** Commands that are not run here, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  api: 'prints the answer only',
  'clock:advance': 'needs a test clock',
  'clock:show': 'needs a test clock',
  complete: 'for the completion scripts',
  console: 'runs until it is stopped',
  demo: 'tells a story',
  'plugins:install': 'needs a registry',
  'plugins:link': 'runs npm',
  'plugins:uninstall': 'runs npm',
  serve: 'runs until it is stopped',
  'serve:migrate': 'needs a shared database',
  'events:tail': 'runs until it is stopped',
  'webhooks:listen': 'runs until it is stopped',
  'webhooks:redeliver': 'needs a delivery',
  'webhooks:delivery': 'needs a delivery',
  'webhooks:replay': 'needs a recording',
  'webhooks:send': 'needs a handler',
  'webhooks:test': 'needs a handler',
  'webhooks:verify': 'needs a signature',
};

// runSvc checks that stderr is empty (see checkOutput).
it('prints nothing but errors on stderr under --quiet, in every command', { timeout: 300_000 }, async () => {
  const home = tempDir();
  const ran = new Set<string>();
  const wrong: string[] = [];
  const svc = async (line: string, stdin = '', at = home): Promise<Record<string, string>> => {
    const [own, program] = line.split(' -- ');
    const argv = [...own!.split(' '), '--quiet', '--json', ...(program ? ['--', ...program.split(' ')] : [])];
    const run = await runSvc(argv, {
      home: at,
      cwd: home,
      stdin,
      env: { SVC_PROFILE: 'local', SVC_WEBHOOK_SECRET: 'a'.repeat(64) },
    });
    if (run.code !== 0 || run.stderr !== '') wrong.push(`${line}: ${run.code} ${run.stderr}`);
    ran.add(line);
    return run.stdout.startsWith('{') ? JSON.parse(run.stdout.split('\n')[0]!) : {};
  };
  const event = { userId: 'u1', event: 'viewed', timestamp: '2026-01-01T00:00:00Z' };
  writeFileSync(join(home, 'events.ndjson'), `${JSON.stringify(event)}\n`);
  writeFileSync(join(home, 'local.csv'), 'userId,event,timestamp\nu1,viewed,2026-01-01 10:00\n');
  writeFileSync(
    join(home, 'users.ndjson'),
    `${JSON.stringify({ userId: 'u1', devices: [{ channel: 'push', token: 't' }] })}\n`,
  );
  writeFileSync(join(home, 'empty.ndjson'), '');
  const { hashId } = await svc('users import users.ndjson');
  for (const line of [
    'events send --user-id u1 --event viewed',
    'events import events.ndjson',
    'events import events.ndjson --restart',
    'events import local.csv --convert-timestamps',
    'events import empty.ndjson',
    'events inspect local.csv --save mapping.json',
    'events plan events.ndjson',
    'events plan events.ndjson --types ts',
    'events plan --from-service --limit 1',
    'events plan --status',
    'events sources',
    'imports list',
    `users get --hash-id ${hashId}`,
    `users timeline --hash-id ${hashId}`,
    'users export --user-id u1',
    `users token --hash-id ${hashId}`,
    `messages list --hash-id ${hashId}`,
    'contents list',
    'contents get card_offer',
    'model',
    'catalog versions',
    'decisions evaluate',
    'limits --refresh',
    'doctor --probe',
    'commands',
    'completion bash',
    'regions list --ping',
    'plugins list',
    'profiles list',
    'keys list',
    'data export --type event',
    'notifications preview --template welcome --channel push',
  ])
    await svc(line);
  const [journal] = JSON.parse(
    (await runSvc(['imports', 'list', '--json'], { home, env: { SVC_PROFILE: 'local' } })).stdout,
  ).imports;
  if (journal) await svc(`imports forget ${journal.id}`);
  await svc('decide --input -', `${hashId}\n`);
  const { decisionId } = await svc(`decide --hash-id ${hashId} --surface home`);
  await svc(`messages outcome ${decisionId} opened`);
  await svc('decisions list --limit 1');
  await svc(`decisions get ${decisionId}`);
  await svc(`decisions reward ${decisionId} 0.5`);
  const trigger = `notifications trigger --hash-id ${hashId} --template welcome --channel push`;
  const { notificationId } = await svc(`${trigger} --priority transactional --wait`);
  await svc(`notifications get ${notificationId}`);
  await svc(`notifications watch ${notificationId}`);
  await svc(`notifications outcome ${notificationId} opened`);
  const { notificationId: later } = await svc(`${trigger} --send-at 1h`);
  await svc(`notifications cancel ${later}`);
  await svc('notifications list --limit 1');
  const { id } = await svc('webhooks create --url https://a.example/hook --event campaign.clicked');
  await svc('webhooks list');
  for (const words of ['get', 'update', 'rotate', 'deliveries', 'delete'])
    await svc(`webhooks ${words} ${id}${words === 'update' ? ' --status disabled' : ''}`);
  await svc('webhooks sign -', 'body');
  await svc('catalog get');
  const { stdout } = await runSvc(['catalog', 'get'], { home, env: { SVC_PROFILE: 'local' } });
  writeFileSync(join(home, 'catalog.json'), stdout);
  for (const words of ['validate', 'diff']) await svc(`catalog ${words} catalog.json`);
  const { version } = await svc('catalog put catalog.json');
  writeFileSync(join(home, 'catalog.json'), stdout.replace('yearly', 'monthly'));
  await svc('catalog put catalog.json');
  await svc(`catalog revert ${version}`);
  const { workspace } = await svc('workspaces create shop');
  await svc('workspaces list');
  await svc(`workspaces update ${workspace} --origin https://a.example`);
  const { keyId } = await svc(`keys create --workspace ${workspace}`);
  await svc(`keys rotate ${keyId} --valid-for 1h`);
  await svc(`keys revoke ${keyId} --yes`);
  await svc('profiles add p --no-check --workspace w --base-url 127.0.0.1:1 --api-key-stdin', 'sk_1');
  await svc('profiles use p');
  await svc('profiles show p');
  await svc('profiles rename p q');
  await svc('profiles remove q');
  await svc(`users delete --hash-id ${hashId} --yes`);
  await svc('events delete --event none --yes');
  const list = (await svc('imports list')) as unknown as { imports: { runs: { runId: string }[] }[] };
  await svc(`imports undo ${list.imports.flatMap(({ runs }) => runs)[0]!.runId} --yes`);
  await svc('data backup svc.backup');
  await svc('data restore svc.backup --database restored.db');
  await svc('data copy --to copied.db --freeze --yes');
  await svc(`workspaces open ${workspace}`);
  await svc(`workspaces freeze ${workspace}`);
  await svc('data reset --yes', '', tempDir());
  await svc(`serve exec -- ${process.execPath} -e 0`);
  expect(wrong).toEqual([]);
  const reached = (id: string) => [...ran].some((line) => line.startsWith(id.replaceAll(':', ' ')));
  const commands = readManifest(ROOT).commands.filter(({ plugin }) => plugin === undefined);
  expect(commands.map(({ id }) => id).filter((id) => !reached(id) && !(id in NOT_RUN))).toEqual([]);
});
