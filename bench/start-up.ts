/**
 * Compares the start-up time of `svc`, from spawn to exit, with that of `node -e 0`.
 *
 *     npm run build && npm run bench -- bench/start-up.ts [program]
 *
 * The environment contains only HOME and PATH; `svc decide` connects by a profile. Each command runs twice to fill the
 * code cache, as on a machine in use. Then they take turns, and the median of 15 runs counts. The service is a separate
 * process on a loopback address. Exits with 1 if a ratio exceeds its bound.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROUNDS = 15;
const program = resolve(process.argv[2] ?? 'bin/run.js');
const home = mkdtempSync(join(tmpdir(), 'svc-start-up-'));
const env = { HOME: home, PATH: process.env.PATH };

interface Case {
  readonly name: string;
  readonly argv: readonly string[];
  /** Maximum ratio to `node -e 0`; undefined if not bounded. */
  readonly bound?: number;
}

const CASES: readonly Case[] = [
  { name: 'node -e 0', argv: ['-e', '0'] },
  { name: 'svc --version', argv: [program, '--version'], bound: 2.5 },
  { name: 'svc --help', argv: [program, '--help'] },
  { name: 'svc profiles list', argv: [program, 'profiles', 'list'] },
  { name: 'svc decide', argv: [program, 'decide', '--hash-id', 'h', '--surface', 'home'], bound: 5 },
];

/** Runs a command and returns its duration in ms. Throws if it fails. */
async function run(argv: readonly string[], stdin = ''): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, argv, { env, stdio: ['pipe', 'ignore', 'pipe'] });
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
  [program, 'serve', '--port', '0', '--limit', 'decisions=off', '--json'],
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
  const times = CASES.map((): number[] => []);
  for (const { argv } of CASES) for (let warm = 0; warm < 2; warm++) await run(argv);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, { argv }] of CASES.entries()) times[i]!.push(await run(argv));
  }
  const base = median(times[0]!);
  console.log(`node ${process.version}, medians of ${ROUNDS}`);
  for (const [i, { name, bound }] of CASES.entries()) {
    const ratio = median(times[i]!) / base;
    const over = bound !== undefined && ratio > bound;
    failed ||= over;
    const promised = bound === undefined ? '' : `  (at most ${bound}${over ? ': MISSED' : ''})`;
    console.log(
      `${name.padEnd(20)} ${median(times[i]!).toFixed(1).padStart(6)} ms  ${ratio.toFixed(2)}x${promised}`,
    );
  }
} finally {
  service.kill('SIGTERM');
  await once(service, 'exit');
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
