import { onTestFinished } from 'vitest';
import { signBody } from '../../../src/contract/signature.ts';
import { Deliverer } from '../../../src/features/listen/deliverer.ts';
import { Forwarder } from '../../../src/features/listen/forwarder.ts';
import { Receiver, type ReceiverOptions, type Report } from '../../../src/features/listen/receiver.ts';
import { parseRoutes } from '../../../src/features/listen/routes.ts';
import { startTarget, type Target } from './target.ts';

export const SECRET = 'a-secret-of-the-receiver-tests';

/** Starts a receiver for one test, with a forwarder where `forwardTo` is given. */
export async function startReceiver(options: Partial<ReceiverOptions> & { forwardTo?: string[] } = {}) {
  const reports: Report[] = [];
  const notices: string[] = [];
  const deliverer = new Deliverer();
  const forwarder = options.forwardTo
    ? new Forwarder(parseRoutes(options.forwardTo), deliverer, {
        notice: (text) => notices.push(text),
        refused: ({ href }, status) => notices.push(`${href} refused with ${status}`),
      })
    : undefined;
  const receiver = new Receiver({
    secrets: () => [{ name: 'given', secret: SECRET }],
    others: [],
    now: () => Date.UTC(2026, 0, 31, 12),
    onReport: (report) => reports.push(report),
    ...(forwarder ? { forward: (delivery) => forwarder.forward(delivery) } : {}),
    ...options,
  });
  const url = await receiver.listen(0, '127.0.0.1');
  onTestFinished(async () => {
    await receiver.stop();
    deliverer.close();
  });
  return { receiver, url, reports, notices };
}

/** Starts a handler for one test. */
export async function startHandler(...args: Parameters<typeof startTarget>): Promise<Target> {
  const target = await startTarget(...args);
  onTestFinished(() => target.close());
  return target;
}

/** Returns the body of a delivery with further fields. */
export const deliveryBody = (fields: object = {}) =>
  Buffer.from(
    JSON.stringify({ type: 'campaign.clicked', decisionId: 'dec_1', contentId: 'c', hashId: 'h', ...fields }),
  );

/** Posts bytes, signed unless other headers are given. */
export function post(
  url: URL,
  bytes: Buffer,
  headers: Record<string, string> = { 'x-service-signature': signBody(bytes, SECRET) },
) {
  return fetch(url, { method: 'POST', body: new Uint8Array(bytes), headers });
}
