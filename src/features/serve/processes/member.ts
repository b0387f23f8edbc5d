import type { World } from '../../../cli/terminal/world.ts';
import type { TlsKeyPair } from '../../../service/http/tls.ts';
import type { RunningService } from '../../../service/running-service.ts';
import type { RunningConsole } from '../../console-server/run.ts';
import type { FromMember, Question, ReadyService, ToMember } from './messages.ts';

/**
 * Serves as one process of a node until the node or a signal stops it, and closes the service. Serves the console too if
 * the node asks for it. A process whose node is gone ends at once (node:cluster): what it acknowledged is stored.
 */
export async function serveAsMember(
  service: RunningService,
  signal: AbortSignal,
  { onHangUp }: Pick<World, 'onHangUp'>,
  startConsole: () => Promise<RunningConsole>,
): Promise<void> {
  // SIGHUP is for the node, which restarts its processes.
  onHangUp(() => {});
  let console: RunningConsole | undefined;
  const answers: Record<Question, () => Promise<unknown>> = {
    ready: service.ready,
    metrics: service.metricValues,
    console: async () => {
      console ??= await startConsole();
      return console.newUrl();
    },
  };
  let closing = false;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
    process.on('message', (message: ToMember) => {
      if (message.type === 'stop') return resolve();
      if (message.type !== 'ask') return;
      const { id, question } = message;
      // The store may be closed.
      const answering = closing ? Promise.resolve(undefined) : answers[question]();
      answering.then(
        (answer) => void tell({ type: 'answer', id, answer }),
        () => void tell({ type: 'answer', id, answer: undefined }),
      );
    });
    void tell({ type: 'ready', service: readyService(service) });
  });
  closing = true;
  await console?.close();
  await service.close();
  await tell({ type: 'closed', counts: await service.metricCounts() });
}

export { countInNode } from './node-counts.ts';

/** What the node gives a process to serve https with. */
export const keyPairOfNode = (): Promise<TlsKeyPair> =>
  new Promise((resolve) => {
    const onMessage = (message: ToMember) => {
      if (message.type !== 'tls') return;
      process.off('message', onMessage);
      resolve(message.keyPair);
    };
    process.on('message', onMessage);
  });

export function readyService({ policy, ...service }: RunningService): ReadyService {
  const { url, workspace, apiKey, keyId, mode, testClock, withProvider } = service;
  return { url, workspace, apiKey, keyId, mode, testClock, withProvider, policy: policy() };
}

/** Resolves once the message was sent, or cannot be. */
function tell(message: FromMember): Promise<void> {
  return new Promise((resolve) => {
    // The node may have ended in the meantime.
    if (process.connected) process.send?.(message, () => resolve());
    else resolve();
  });
}
