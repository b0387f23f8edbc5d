import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What the picture of the faults shows. */
const FAULTS = {
  seed: 1,
  requests: [
    { endpoint: 'listWebhooks', fault: 'fail', status: 503, every: 2 },
    { endpoint: 'listDecisions', fault: 'slow-answer', delayMs: 20 },
  ],
  deliveries: [{ fault: 'double', every: 3 }],
};

export interface MachineConsole {
  /** The address of the page, with its code. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * A service of two processes with its console, limits, injected faults and an import, for pictures of the views that a
 * console before a remote service cannot fill. `home` is an empty folder.
 */
export async function startMachineConsole(home: string): Promise<MachineConsole> {
  const faults = join(home, 'faults.json');
  writeFileSync(faults, JSON.stringify(FAULTS));
  const run = (argv: readonly string[], more: object = {}) =>
    spawn(process.execPath, ['bin/run.js', ...argv], {
      env: { PATH: process.env.PATH, HOME: home, ...more },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const serve = run(['serve', '--json', '--port=0', '--console', '--processes=2', '--faults', faults]);
  const { url, consoleUrl, workspace, apiKey } = JSON.parse(await firstLine(serve));
  const env = { SVC_BASE_URL: url, SVC_WORKSPACE: workspace, SVC_API_KEY: apiKey };
  const headers = { authorization: `Bearer ${apiKey}`, 'x-service-workspace': workspace };
  for (const name of ['reviews', 'payments']) {
    const file = join(home, `${name}.ndjson`);
    const line = JSON.stringify({ userId: 'u', event: 'tapped', timestamp: '2026-01-01T00:00:00Z' });
    const bad = [line.replace('tapped', ''), line.replace('T00:00:00Z', '')];
    const rejected = name === 'reviews' ? `${bad[0]}\n`.repeat(14) + `${bad[1]}\n`.repeat(9) : '';
    writeFileSync(file, `${line}\n`.repeat(2500) + rejected);
    await once(
      run(['events', 'import', file], env).on('error', () => {}),
      'exit',
    );
  }
  // More than the limit of the reads, so that some are turned away; both processes get some, as each has its connections.
  for (let i = 0; i < 100; i++)
    await fetch(`${url}/v1/${i % 3 === 0 ? 'webhooks' : 'decisions'}`, {
      headers: { ...headers, connection: 'close' },
    });
  return {
    url: consoleUrl,
    stop: async () => {
      serve.kill('SIGINT');
      await once(serve, 'exit');
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error('svc ended without an address');
}
