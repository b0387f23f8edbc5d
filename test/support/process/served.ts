import { once } from 'node:events';
import type { SvcProcess, SvcProgram } from './svc-process.ts';

export interface ServeOptions {
  readonly database: string;
  /** HOME and working directory. */
  readonly home: string;
  /** 0 takes a free one. */
  readonly port?: number;
  readonly argv?: readonly string[];
  /** A shell command that becomes the service, such as `exec "$@" 2>>log`. */
  readonly shell?: string;
}

/** What a request came to: an answer, or nothing to say whether it was carried out. */
export type Reply = { readonly status: number; readonly text: string; readonly headers: Headers } | undefined;

export interface Served {
  readonly pid: number;
  readonly url: string;
  readonly port: number;
  readonly apiKey: string;
  readonly workspace: string;
  /** The first line that it printed. */
  readonly line: string;
  readonly process: SvcProcess;
  /** One authenticated request. */
  send(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>;
}

/** Arguments of a service without rate limits. */
export const LIMITS_OFF = ['ingest', 'inform', 'decisions', 'reads', 'webhooks'].flatMap((group) => [
  '--limit',
  `${group}=off`,
]);

/** Starts `svc serve` in a separate process; `ready` rejects if it exits before it serves. */
export function startServing(
  program: SvcProgram,
  { database, home, port = 0, argv = LIMITS_OFF, shell }: ServeOptions,
): { readonly process: SvcProcess; readonly ready: Promise<Served> } {
  const process_ = program.start(
    ['serve', '--json', '--port', String(port), '--database', database, ...argv],
    { env: { PATH: process.env.PATH!, HOME: home }, cwd: home, ...(shell === undefined ? {} : { shell }) },
  );
  const { child } = process_;
  const gone = once(child, 'exit');
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [code] = await gone;
    return code as number | null;
  };
  const ready = new Promise<Served>((resolve, reject) => {
    let text = '';
    child.stdout!.on('data', function look(chunk) {
      text += chunk;
      const line = /^.*\n/.exec(text)?.[0];
      if (line === undefined) return;
      child.stdout!.off('data', look);
      const { url, apiKey, workspace, pid } = JSON.parse(line);
      resolve({
        pid,
        url,
        port: Number(new URL(url).port),
        apiKey,
        workspace,
        line,
        process: process_,
        send: (path, body, headers) => send({ url, apiKey, workspace }, path, body, headers),
        kill: async () => void (await end('SIGKILL')),
        stop: () => end('SIGTERM'),
      });
    });
    void process_.ended.then(({ code, signal, stderr }) =>
      reject(new Error(`svc serve ended with ${code ?? signal}: ${stderr}`)),
    );
  });
  ready.catch(() => {});
  return { process: process_, ready };
}

/** Starts `svc serve` and waits until it accepts connections. */
export function serve(program: SvcProgram, options: ServeOptions): Promise<Served> {
  return startServing(program, options).ready;
}

async function send(
  { url, apiKey, workspace }: { url: string; apiKey: string; workspace: string },
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  try {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'x-service-workspace': workspace,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  } catch {
    return undefined;
  }
}
