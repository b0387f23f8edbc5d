import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { GROUPS } from '../../src/contract/limits.ts';

/** A service that runs as a process of its own. */
export interface Served {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly url: string;
  readonly workspace: string;
  readonly apiKey: string;
  /** Those of a request with a JSON body. */
  readonly headers: Readonly<Record<'authorization' | 'x-service-workspace' | 'content-type', string>>;
  /** Ends it by SIGTERM. */
  readonly stop: () => Promise<void>;
}

interface Options {
  readonly database: string;
  /** Its home folder. */
  readonly home: string;
  readonly flags?: readonly string[];
  readonly program?: string;
}

/** Starts `svc serve` on a free port, without limits. Rejects if it ends before it is ready. */
export async function serve({
  database,
  home,
  flags = [],
  program = 'bin/run.js',
}: Options): Promise<Served> {
  const limits = GROUPS.flatMap((group) => ['--limit', `${group}=off`]);
  const options = [
    '--port',
    '0',
    '--json',
    '--log-level',
    'warn',
    '--database',
    database,
    ...limits,
    ...flags,
  ];
  const child = spawn(process.execPath, [resolve(program), 'serve', ...options], {
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) => {
    throw new Error(`svc serve ended with ${code}`);
  });
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), failed]);
  failed.catch(() => {});
  const { url, workspace, apiKey } = JSON.parse(line) as Record<'url' | 'workspace' | 'apiKey', string>;
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'x-service-workspace': workspace,
    'content-type': 'application/json',
  };
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { child, pid: child.pid!, url, workspace, apiKey, headers, stop };
}
