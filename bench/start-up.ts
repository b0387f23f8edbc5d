/**
 * Compares the start-up time of `svc`, from spawn to exit, with that of `node -e 0`.
 *
 *     npm run build && npm run bench -- bench/start-up.ts [program]
 *
 * The environment contains only HOME and PATH; `svc decide` connects by a profile. Each command runs twice to fill the
 * code cache, as on a machine in use. Then they take turns, and the median of 15 runs counts. The service is a separate
 * process on a loopback address. The cases "with a plugin" run with examples/plugin installed, which has a hook. Exits
 * with 1 if a ratio exceeds its bound.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROUNDS = 15;
const program = resolve(process.argv[2] ?? 'bin/run.js');
const home = mkdtempSync(join(tmpdir(), 'svc-start-up-'));
const env = { HOME: home, PATH: process.env.PATH };
/** The same profiles and code cache, with a plugin in the data folder. */
const withPlugin = { ...env, SVC_DATA_DIR: join(home, 'data-with-plugin') };

interface Case {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Maximum ratio to `node -e 0`; undefined if not bounded. */
  readonly bound?: number;
}

const DECIDE = [program, 'decide', '--hash-id', 'h', '--surface', 'home'];

const CASES: readonly Case[] = [
  { name: 'node -e 0', argv: ['-e', '0'] },
  { name: 'svc --version', argv: [program, '--version'], bound: 1.3 },
  { name: 'svc --help', argv: [program, '--help'] },
  { name: 'svc profiles list', argv: [program, 'profiles', 'list'] },
  { name: 'svc decide', argv: DECIDE, bound: 3.3 },
  { name: 'svc --version, with a plugin', argv: [program, '--version'], env: withPlugin },
  { name: 'svc decide, with a plugin', argv: DECIDE, env: withPlugin },
];

/** Puts the example of a plugin where `svc plugins install` puts it. */
function installPlugin(): void {
  const folder = join(withPlugin.SVC_DATA_DIR, 'plugins');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  cpSync('examples/plugin', join(folder, 'node_modules', 'svc-plugin-brief'), { recursive: true });
  const plugins = [{ name: 'svc-plugin-brief', type: 'user' }];
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ oclif: { schema: 1, plugins } }));
}

/** Runs a command and returns its duration in ms. Throws if it fails. */
async function run(
  argv: readonly string[],
  stdin = '',
  environment: NodeJS.ProcessEnv = env,
): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, argv, { env: environment, stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.end(stdin);
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stderr}`);
  return performance.now() - startedAt;
}

const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!;

const service = spawn(
  process.execPath,
  [program, 'serve', '--port', '0', '--limit', 'decisions=off', '--log-level', 'warn', '--json'],
  {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
let failed = false;
try {
  const [line] = await once(service.stdout, 'data');
  const { url, workspace, apiKey } = JSON.parse(String(line));
  const add = ['profiles', 'add', 'here', '--workspace', workspace, '--base-url', url, '--api-key-stdin'];
  await run([program, ...add], apiKey);
  installPlugin();
  const times = CASES.map((): number[] => []);
  for (const { argv, env } of CASES) for (let warm = 0; warm < 2; warm++) await run(argv, '', env);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, { argv, env }] of CASES.entries()) times[i]!.push(await run(argv, '', env));
  }
  const base = median(times[0]!);
  console.log(`node ${process.version}, medians of ${ROUNDS}`);
  for (const [i, { name, bound }] of CASES.entries()) {
    const ratio = median(times[i]!) / base;
    const over = bound !== undefined && ratio > bound;
    failed ||= over;
    const promised = bound === undefined ? '' : `  (at most ${bound}${over ? ': MISSED' : ''})`;
    console.log(
      `${name.padEnd(30)} ${median(times[i]!).toFixed(1).padStart(6)} ms  ${ratio.toFixed(2)}x${promised}`,
    );
  }
} finally {
  service.kill('SIGTERM');
  await once(service, 'exit');
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
