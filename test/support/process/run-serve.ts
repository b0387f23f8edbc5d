import { type RunningSvc, type RunOptions, startSvc } from './run-svc.ts';

/** What `svc serve --json` prints when it is ready. */
interface ReadyLine {
  readonly ready: true;
  readonly url: string;
  readonly workspace: string;
  readonly mode: 'live' | 'test';
  readonly apiKey: string;
  readonly key: string;
  readonly keyId: string;
  readonly pid: number;
  readonly metricsUrl?: string;
}

export interface RunningServe {
  readonly svc: RunningSvc;
  readonly ready: ReadyLine;
  /** The environment that points svc at it. */
  readonly env: { SVC_BASE_URL: string; SVC_WORKSPACE: string; SVC_API_KEY: string };
  /** A POST with its key. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** What Ctrl-C does; resolves once it has ended. */
  stop(): RunningSvc['done'];
}

/** Runs `svc serve` in this process on a free port, with these flags, and waits until it is ready. */
export async function runServe(
  flags: readonly string[] = [],
  options: RunOptions = {},
): Promise<RunningServe> {
  const svc = startSvc(['serve', '--port', '0', '--json', ...flags], options);
  const ready = JSON.parse((await svc.waitFor(/^.+\n/))[0]) as ReadyLine;
  const { url, workspace, apiKey } = ready;
  return {
    svc,
    ready,
    env: { SVC_BASE_URL: url, SVC_WORKSPACE: workspace, SVC_API_KEY: apiKey },
    post: (path, body, headers = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'x-service-workspace': workspace,
          'content-type': 'application/json',
          ...headers,
        },
        body: JSON.stringify(body),
      }),
    stop: () => {
      svc.interrupt();
      return svc.done;
    },
  };
}
