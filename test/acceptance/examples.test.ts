import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type ManifestCommand, readManifest } from '../../src/cli/command/manifest.ts';
import { examplesOf } from '../../src/cli/help/pages.ts';
import { startHandler } from '../support/listen/handler-process.ts';
import { startFileServer } from '../support/peers/file-server.ts';
import { postgresDatabase } from '../support/postgres/database.ts';
import { installedSvc } from '../support/process/installed-svc.ts';
import { startProcess } from '../support/process/run-process.ts';
import { ROOT, runSvc } from '../support/process/run-svc.ts';
import { startTestService } from '../support/process/service.ts';
import { tempDir } from '../support/temp.ts';

/** Runs every example of the help unchanged, with the files, the service and the handler that it names. */
const svc = installedSvc();

/** GitHub's published example of a signature, which the help quotes. */
const SECRET = "It's a Secret to Everybody";
const SIGNED = 'Hello, World!';

/** Other examples need the profile `prod`, and the data that the last ones remove. */
const FIRST = ['profiles:add'];
const LAST = [
  'keys:revoke',
  'users:delete',
  'events:delete',
  'webhooks:delete',
  'profiles:rename',
  'profiles:remove',
  'profiles:use',
  'data:reset',
];

/** These need the npm registry: `npm run package` runs them with a tarball. */
const WITH_REGISTRY = ['plugins:install', 'plugins:link', 'plugins:uninstall'];

interface Lasting {
  /** The output when it is ready; `$1` in `act` is its first group. */
  readonly ready: RegExp;
  readonly act?: string;
  readonly said?: RegExp;
  readonly code: number;
}

/**
 * Lines of plain words that call the service: a shell would split them at the spaces, so they run in this process, as in
 * other command tests. The others, and all that use local data or the folder of the process, are typed into bash and run
 * the packed program.
 */
const PLAIN =
  /^svc (?!completion|data|demo|doctor|notifications preview|plugins|serve)(?!.*\blocal\b)[\w./:=@%+,… -]+$/;

/** Commands that run until Ctrl-C: their first output, the command to run then, and the output that it causes. */
function lasting(id: string, line: string): Lasting | undefined {
  switch (id) {
    case 'events:tail':
      return {
        ready: /watching/,
        act: 'svc events send --user-id u1 --event purchase --property amount=120',
        said: /purchase/,
        code: 130,
      };
    case 'limits':
      return line.includes('--watch') ? { ready: /ingest/, code: 130 } : undefined;
    case 'console':
    case 'serve':
      return { ready: /127\.0\.0\.1:\d+/, code: 0 };
    case 'webhooks:listen':
      return line.includes('--profile local')
        ? {
            ready: /http:\/\/[\w.:]+/,
            act: 'svc messages outcome $(decide) clicked --profile local',
            said: /campaign\.clicked/,
            code: line.includes('--count 1') ? 0 : 130,
          }
        : {
            ready: /listening on (\S+)/,
            act: 'svc webhooks send campaign.clicked --to $1',
            said: /campaign\.clicked/,
            code: 130,
          };
    default:
      return undefined;
  }
}

it('every example of the help does what it says', { timeout: 480_000 }, async () => {
  const stage = await setStage();
  const wrong: string[] = [];
  for (const command of inOrder(readManifest(ROOT).commands)) {
    for (const example of examplesOf(command)) {
      const line = stage.here(example);
      const runs = lasting(command.id, line);
      const failure = await (runs ? stage.watch(line, runs) : stage.type(line));
      if (failure !== null) wrong.push(`${example}\n  as ${line}\n${failure}`);
    }
  }
  expect(wrong.join('\n\n')).toBe('');
});

function inOrder(commands: readonly ManifestCommand[]): ManifestCommand[] {
  const place = ({ id }: ManifestCommand) => (FIRST.includes(id) ? -1 : LAST.indexOf(id) + 1);
  return commands.filter(({ id }) => !WITH_REGISTRY.includes(id)).sort((a, b) => place(a) - place(b));
}

/** A catalog with a template in two languages. */
const CATALOG = {
  contents: [
    {
      contentId: 'welcome-back',
      category: 'service',
      format: 'card',
      title: 'Welcome back',
      body: 'Good to see you.',
    },
  ],
  templates: [
    {
      templateId: 'order_update',
      title: 'Your order {{orderId}}',
      body: 'Hello {{user.name|there}}',
      locales: { de: { title: 'Hallo {{orderId}}', body: 'Hallo {{user.name|du}}' } },
    },
  ],
};

/** The goal of which a reward is reported. */
const GOAL = { goalId: 'order', event: 'order_completed', within: '7d' };

const EVENT = '{"userId":"u1","event":"seen","timestamp":"2026-01-31T12:00:00Z"}\n';

/** Compressed exports of other products. */
const EXPORTS = {
  'export.ndjson.gz':
    '{"event":"Signed up","properties":{"time":1769860800,"distinct_id":"u1","$insert_id":"i1","plan":"pro"}}\n',
  'export.json.gz': '[{"userId":"u1","event":"seen","timestamp":"2026-01-31T12:00:00Z"}]',
};

/** Prepares everything that the examples need, and a session to type them into. */
async function setStage() {
  const service = await startTestService({
    region: 'eu',
    allowLoopbackWebhooks: true,
    testClock: true,
  });
  const handler = await startHandler('python3', [join(ROOT, 'examples/handlers/python/server.py')], SECRET);
  onTestFinished(() => handler.stop());
  const web = await startFileServer(gzipSync(EVENT), '/day.ndjson.gz');
  const database = await postgresDatabase({ empty: true });
  const folders = { SVC_CONFIG_DIR: join(tempDir(), 'config'), SVC_DATA_DIR: join(tempDir(), 'data') };
  const { home, work, bin, session } = svc.session({ ...folders, SVC_WEBHOOK_SECRET: SECRET });
  onTestFinished(() => session.close());
  symlinkSync(join(ROOT, 'test/support/jq.mjs'), join(bin, 'jq'));
  mkdirSync(join(home, '.config/fish/completions'), { recursive: true });
  for (const [name, text] of Object.entries({
    'app.log': EVENT,
    'batch.json': '{"events":[{"userId":"u1","event":"seen","timestamp":"2026-01-31T12:00:00Z"}]}',
    'body.json': '{"type":"campaign.opened","contentId":"c","hashId":"h"}',
    'delivery.json': SIGNED,
    'export.csv': 'customer,what,at\nc1,bought,2026-01-31T12:00:00Z\nc2,viewed,2026-01-31T12:01:00Z\n',
    'orders.csv': 'customer,guest,Date,Time\nc1,,31/01/2026,12:00\n,g1,01/02/2026,09:30\n',
    'catalog.json': JSON.stringify(CATALOG),
    'e2e.sh': '#!/bin/sh\nexec svc limits\n',
    'key.txt': service.apiKey,
    'package.json': '{"scripts":{"test":"svc limits"}}',
    'secret.txt': SECRET,
    'users.ndjson': '{"userId":"u1","timeZone":"Europe/Berlin"}\n',
  }))
    writeFileSync(join(work, name), text, { mode: 0o755 });
  for (const [name, text] of Object.entries(EXPORTS)) writeFileSync(join(work, name), gzipSync(text));
  cpSync(join(ROOT, 'test/fixtures/open-bandit.csv'), join(work, 'bts.csv'));
  for (const name of ['users.csv', 'events.ndjson', 'reviews.csv.gz'])
    cpSync(join(ROOT, 'examples', name), join(work, name));
  cpSync(join(ROOT, 'test/fixtures/events-two-frames.ndjson.zst'), join(work, 'events.ndjson.zst'));

  const here = { ...folders, SVC_WEBHOOK_SECRET: SECRET };
  const runPlain = async (line: string) => {
    const { code, stdout, stderr } = await runSvc(line.split(' ').slice(1), { home, cwd: work, env: here });
    return { code, output: stderr + stdout };
  };
  const type = async (line: string): Promise<string | null> => {
    const { code, output } = await (PLAIN.test(line) ? runPlain(line) : session.run(line));
    // The catalog of the file is not that of the service.
    const right = line.startsWith('svc catalog diff') ? code === 8 : code === 0 && !/^error: /m.test(output);
    return right ? null : `ended with ${code} and said\n${output}`;
  };
  const said = async (line: string) => {
    const { code, output } = await session.run(`{ ${line}\n} 2> complaints || { cat complaints; false; }`);
    expect(code, `${line}\n${output}`).toBe(0);
    return output.trim();
  };
  await said('set -o pipefail');
  const [hashId, other] = (
    await said(
      `export SVC_BASE_URL=${service.url} SVC_WORKSPACE=${service.workspace} SVC_API_KEY=${service.apiKey}
svc users import users.csv --json --quiet | jq -r .hashId`,
    )
  ).split('\n');
  // The default catalog has no goal.
  await said(`svc catalog get | jq '.goals = [${JSON.stringify(GOAL)}]' > with-goal.json
svc catalog put with-goal.json --quiet`);
  // The first user of the file has neither phone nor e-mail.
  const reachable = { userId: 'u-10000', phone: '+447700900001', traits: { email: 'tomas@example.com' } };
  await said(`echo '${JSON.stringify(reachable)}' | svc users import - --quiet`);
  const ids = {
    '3f1c…': hashId!,
    'wh_3f1c…': await said(
      `svc webhooks create --url ${handler.url} --event campaign.clicked --secret-file secret.txt --json | jq -r .id`,
    ),
    'ntf_3f1c…': await said(
      `svc notify --hash-id ${hashId} --template welcome --channel email --priority transactional --wait --json --quiet | jq -r .notificationId`,
    ),
    'ntf_77ab…': await said(
      `svc notify --hash-id ${hashId} --template welcome --channel email --send-at 1d --json --quiet | jq -r .notificationId`,
    ),
    'dec_8c1f…': await said(`svc decide --hash-id ${hashId} --surface home --json | jq -r .decisionId`),
  };
  await said(`svc notifications outcome ${ids['ntf_3f1c…']} clicked`);
  await vi.waitFor(() => expect(service.idle()).resolves.toBe(true), { timeout: 100_000 });
  const dlv = await said(
    `svc webhooks deliveries ${ids['wh_3f1c…']} --json | jq -r '.deliveries[0].deliveryId'`,
  );
  // Sent to the service, on which it is taken back.
  const runId = await said(`cp app.log sent.ndjson
svc events import sent.ndjson --quiet > /dev/null
svc imports list --json | jq -r '.imports[] | select(.inputs[0] | endswith("sent.ndjson")) | .runs[0].runId'`);
  await said(`printf '%s\\tx\\n' ${hashId} ${other} > ids.tsv; cut -f1 ids.tsv > hash-ids.txt
export BODY='{}' SIGNATURE=$(svc webhooks sign delivery.json)
decide() { svc decide --hash-id ${hashId} --surface home --profile local --json | jq -r .decisionId; }
unset SVC_BASE_URL SVC_WORKSPACE SVC_API_KEY
decide
svc users import users.ndjson --profile local --quiet
svc workspaces create ws_shop --mode live --profile local`);
  const keyId = await said(
    'svc keys create --workspace ws_shop --profile local --json --quiet | jq -r .keyId',
  );
  const importId = await said(`cp app.log kept.ndjson
svc events import kept.ndjson --profile local --quiet > /dev/null
svc imports list --json | jq -r '.imports[0].id'`);

  const names: readonly (readonly [string, string])[] = [
    ...(Object.entries(ids).reverse() as [string, string][]),
    ['dlv_77ab…', dlv],
    ['key_3f0c9a', keyId],
    ['run_3f1c02aa4be85d97c0613f2e9d4b77', runId],
    ['3f1c02aa', importId],
    ['https://eu.example.com', service.url],
    ['https://data.example.com/day.ndjson.gz', web.url],
    // Asks for the key in a terminal; here there is none.
    ['svc profiles add test', 'SVC_API_KEY=$(cat key.txt) svc profiles add test'],
    ['ws_1', service.workspace],
    ['https://example.com/raw', `file://${join(work, 'delivery.json')}`],
    ['postgres://svc@db.internal/svc', database],
    ['localhost:3000', `localhost:${handler.url.port}`],
    ['3000', handler.url.port],
    ['9090', '0'],
    ['tail -f', 'cat'],
    // The source would stay frozen.
    ['--freeze --profile local', '--dry-run --profile local'],
    // The file is another catalog than that of the service.
    ['get > catalog.json', 'get > got.json'],
    ['content:welcome-back', 'content:welcome_tour'],
    ['git show main:catalog.json', 'cat catalog.json'],
    ['--if-version 7', '--if-version 1'],
    ['revert 4 --over 7', 'revert 1 --over 3'],
  ];
  // In one pass: a random identifier may hold what is a name of something else, such as 9090.
  const named = new RegExp(names.map(([name]) => name.replace(/[.$]/g, '\\$&')).join('|'), 'g');
  const own = new Map(names);
  return {
    /** The example with what is here in place of what it names. */
    here(example: string): string {
      const line = example.replace(named, (name) => own.get(name)!);
      // The default port may be taken here.
      return /^svc (serve(?! exec| migrate)|webhooks listen)(?!.* --port)/.test(line)
        ? `${line} --port 0`
        : line;
    },
    /** Types a line; null when it did what it should, else what it did. */
    type,
    /** Starts a long-running command, causes its output, and interrupts it. */
    async watch(line: string, { ready, act, said: sees, code }: Lasting): Promise<string | null> {
      const [own = '', ...others] = line.split(' | ');
      const [, ...words] = own.match(/'[^']*'|\S+/g)!.map((word) => word.replace(/^'(.*)'$/, '$1'));
      const running = startProcess([join(bin, 'svc')], words, {
        home: work,
        env: here,
      });
      let stdout = '';
      let said = '';
      running.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        stdout += chunk;
        said += chunk;
      });
      running.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk;
      });
      const ended = once(running, 'close');
      const seen = (pattern: RegExp) => vi.waitUntil(() => pattern.exec(said), { timeout: 100_000 });
      let failure: string | null = null;
      try {
        const [, first = ''] = await seen(ready);
        if (act) failure = await type(act.replace('$1', first));
        if (sees) await seen(sees);
      } catch (error) {
        failure ??= (error as Error).message;
      }
      // A command with a count ends without an interrupt.
      if (!line.includes('--count')) running.kill('SIGINT');
      const [exit] = await ended;
      if (failure !== null || exit !== code) return `${failure ?? ''}\nended with ${exit} and said\n${said}`;
      if (others.length === 0) return null;
      writeFileSync(join(work, 'said'), stdout);
      return type(`cat said | ${others.join(' | ')}`);
    },
  };
}
