import { randomBytes } from 'node:crypto';
import { TAP_KINDS } from '../../contract/event-kinds.ts';
import { Receiver } from '../listen/receiver.ts';
import {
  type CalledBack,
  callBack,
  type Decided,
  decide,
  inbox,
  type Notified,
  notify,
  type Rendered,
  render,
  type Stage,
  type Tracked,
  track,
} from './steps.ts';

/** The result of each step, in the order of the steps. `move` is its name in the JSON output. */
export type Step =
  | ({ readonly move: 'track' } & Tracked)
  | ({ readonly move: 'decide' } & Decided)
  | { readonly move: 'render'; readonly message: Rendered }
  | { readonly move: 'notify'; readonly notification: Notified }
  | ({ readonly move: 'call back' } & CalledBack);

/** A step that did not have the expected result. */
export class DemoFailed extends Error {}

/**
 * Runs the five steps against a service and yields the result of each. Subscribes a webhook receiver on a free local
 * port first, and closes it at the end. Throws DemoFailed, ApiError, TransportError.
 */
export async function* runDemo(stage: Stage): AsyncGenerator<Step> {
  const secret = randomBytes(32).toString('hex');
  const box = inbox();
  const receiver = new Receiver({
    secrets: () => [{ name: 'demo', secret }],
    others: [],
    now: stage.clock.now,
    onReport: box.onReport,
  });
  const url = await receiver.listen(0, '127.0.0.1');
  try {
    const { client, signal } = stage;
    const subscription = { url: url.href, events: [...TAP_KINDS], signingSecret: secret, leaseSeconds: 60 };
    await client.call('createWebhook', { body: subscription, signal });
    const tracked = await track(stage);
    yield { move: 'track', ...tracked };
    const decided = await decide(stage, tracked.hashId);
    if (decided.answer.action.type === 'none') throw new DemoFailed('nothing was eligible for the user');
    yield { move: 'decide', ...decided };
    const message = await render(stage, tracked.hashId);
    if (message?.decisionId !== decided.answer.decisionId) throw new DemoFailed('the message did not arrive');
    yield { move: 'render', message };
    const notification = await notify(stage, tracked.hashId);
    if (notification.status !== 'delivered') {
      throw new DemoFailed(`the notification is ${notification.status}, not delivered`);
    }
    yield { move: 'notify', notification };
    yield {
      move: 'call back',
      ...(await callBack(stage, box, message.decisionId, notification.notificationId)),
    };
  } finally {
    await receiver.stop();
  }
}
