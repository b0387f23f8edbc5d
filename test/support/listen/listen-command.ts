import { expect, onTestFinished } from 'vitest';
import { type RunningSvc, type RunOptions, startSvc } from '../process/run-svc.ts';
import type { TestService } from '../process/service.ts';

export const SECRET = '7d0c1f4be2a95836c47b1e60f8d2a3957d0c1f4be2a95836c47b1e60f8d2a395';
export const env = { SVC_WEBHOOK_SECRET: SECRET };
export const EVENT = { type: 'campaign.clicked', decisionId: 'dec_1', contentId: 'c', hashId: 'h' };
export const BODY = JSON.stringify(EVENT);

export interface Listening extends RunningSvc {
  readonly url: string;
  /** The JSON lines after the ready line. */
  lines(): Array<Record<string, unknown>>;
}

/** Starts `webhooks listen --json` on a free port for one test. */
export async function listen(argv: string[], options: RunOptions = { env }): Promise<Listening> {
  const svc = startSvc(['webhooks', 'listen', '--port', '0', '--json', ...argv], options);
  onTestFinished(async () => {
    svc.interrupt();
    await svc.done;
  });
  const ready = JSON.parse((await svc.waitFor(/^.+\n/))[0]);
  expect(ready.type).toBe('ready');
  return {
    ...svc,
    url: ready.url,
    lines: () =>
      svc
        .stdout()
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => JSON.parse(line)),
  };
}

/** Posts a body with a signature, or without one. */
export function post(url: string, body: string | Buffer, signature: string | undefined): Promise<Response> {
  const headers: Record<string, string> = signature === undefined ? {} : { 'x-service-signature': signature };
  return fetch(url, { method: 'POST', body: Buffer.from(body as string), headers });
}

/** Records the outcome of a decision in a service, which causes one delivery of `campaign.clicked`. */
export async function click(service: TestService, userId = 'u1'): Promise<void> {
  const { users } = (await (await service.fetch('/v1/users', { body: { users: [{ userId }] } })).json()) as {
    users: [{ hashId: string }];
  };
  const decided = await service.fetch('/v1/decisioning/decide', { body: { hashId: users[0].hashId } });
  const { decisionId } = (await decided.json()) as { decisionId: string };
  const outcome = await service.fetch(`/v1/messages/${decisionId}/outcomes`, { body: { type: 'clicked' } });
  expect(outcome.status).toBe(202);
}

/** Returns the subscriptions of a service. */
export async function subscriptions(service: TestService): Promise<Array<{ url: string; events: string[] }>> {
  const answer = (await (await service.fetch('/v1/webhooks')).json()) as { webhooks: [] };
  return answer.webhooks;
}
