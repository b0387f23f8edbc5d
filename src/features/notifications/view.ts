import { SvcError } from '../../cli/errors/svc-error.ts';
import type { Invocation } from '../../cli/invocation/invocation.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { bold, green, red, type Text, yellow } from '../../cli/terminal/text.ts';
import { objectOf } from '../../kit/object-of.ts';
import type { Followed } from './follow.ts';

/** Throws `failed` (5; also for a cancelled one), `timeout` (6; also for a held one) or `interrupted` (130) unless the notification was delivered. */
export function requireDelivered(id: string, followed: Followed): void {
  const watch = (invocation: Invocation) => invocation.onSameResource(id, 'notifications', 'watch');
  switch (followed.end) {
    case 'delivered':
      return;
    case 'failed': {
      const { failure, hashId, channel } = objectOf(followed.answer.body);
      const reason = typeof failure === 'string' ? `: ${failure}` : '';
      const refused = failure === 'opted_out' || failure === 'not_opted_in';
      throw new SvcError('failed', `notification ${id} failed${reason}${refused ? REFUSED[failure] : ''}`, {
        hint: (invocation) =>
          refused && typeof hashId === 'string' && typeof channel === 'string'
            ? `what the user has said: ${invocation.onSameService('users', 'get', '--hash-id', hashId)}\nonce the user asks for it: ${invocation.onSameService('api', 'POST', `/v1/users/${encodeURIComponent(hashId)}/consent`, '-f', `optIn[]=${channel}`)}`
            : `for details: ${invocation.onSameResource(id, 'notifications', 'get')}; trigger it again only if the user was not messaged`,
      });
    }
    case 'cancelled':
      throw new SvcError('failed', `notification ${id} was cancelled`, {
        hint: (invocation) => `for details: ${invocation.onSameResource(id, 'notifications', 'get')}`,
      });
    case 'held': {
      const { heldUntil, history } = objectOf(followed.answer.body);
      const { reason } = objectOf(Array.isArray(history) ? history.at(-1) : undefined);
      const why = typeof reason === 'string' ? ` (${reason})` : '';
      throw new SvcError('timeout', `notification ${id} is held until ${String(heldUntil)}${why}`, {
        hint: (invocation) => `do not trigger it again; to wait for it: ${watch(invocation)}`,
      });
    }
    case 'timeout':
      throw new SvcError(
        'timeout',
        `notification ${id} was accepted, but was neither delivered nor failed before the timeout`,
        {
          hint: (invocation) => `do not trigger it again; to continue waiting: ${watch(invocation)}`,
        },
      );
    case 'interrupted':
      throw new SvcError('interrupted', `interrupted; the service continues to deliver notification ${id}`, {
        hint: (invocation) => `to continue waiting: ${watch(invocation)}`,
      });
  }
}

/** What a failure for want of consent means. */
const REFUSED = {
  opted_out: ', because the user refused marketing of this kind',
  not_opted_in: ', because the user has not asked for marketing of this kind, which the catalog requires',
} as const;

/** A state as text. What the outbox took (`sentBy`) was sent to nobody, so it does not look like a success. */
export function notificationStatus(status: string, sentBy?: unknown): Text {
  if (status === 'delivered') return sentBy === 'outbox' ? yellow('delivered (outbox)') : green(status);
  return status === 'failed' ? red(status) : yellow(status);
}

/** Why no provider was called for a delivery record; undefined if one was, or the service does not say. */
export function outboxWords(body: unknown, workspace: string): string | undefined {
  const { sentBy, history, channel } = objectOf(body);
  if (sentBy !== 'outbox') return undefined;
  const { reason } = objectOf(Array.isArray(history) ? history.at(-1) : undefined);
  const why =
    reason === 'written to the outbox: no provider'
      ? `the service of ${workspace} has no provider for ${String(channel)}`
      : `${workspace} is a test workspace`;
  return `written to the outbox: ${why}, no provider was called`;
}

/** Renders a delivery record of a workspace: its fields, then its history, then whether no provider was called. */
export function showNotification(body: unknown, workspace: string, out: Output): Text {
  const record = objectOf(body);
  const text = (key: string) => (typeof record[key] === 'string' ? (record[key] as string) : undefined);
  const lines: Text[] = [];
  for (const [title, key] of [
    ['notification', 'notificationId'],
    ['user', 'hashId'],
    ['template', 'templateId'],
    ['channel', 'channel'],
    ['priority', 'priority'],
    ['send at', 'sendAt'],
    ['held until', 'heldUntil'],
    ['failure', 'failure'],
  ] as const) {
    const value = text(key);
    if (value !== undefined) lines.push([bold(title.padEnd(13)), value, '\n']);
  }
  const history = Array.isArray(record.history) ? record.history.map(objectOf) : [];
  const outbox = outboxWords(record, workspace);
  if (history.length === 0) return [...lines, bold('status'.padEnd(13)), text('status') ?? 'unknown'];
  return [
    ...lines,
    out.table(
      [{ title: 'STATUS' }, { title: 'AT' }],
      history.map(({ status, at, reason }) => [
        notificationStatus(String(status ?? ''), record.sentBy),
        [at, reason].filter((part) => part !== undefined).join('  '),
      ]),
    ),
    outbox === undefined ? '' : ['\n', yellow(outbox)],
  ];
}
