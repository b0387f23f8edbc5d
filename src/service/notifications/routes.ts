import { ServiceError } from '../../contract/errors.ts';
import { MAX_SEND_AHEAD_DAYS } from '../../contract/limits.ts';
import { firstOf } from '../../kit/first-of.ts';
import { newId } from '../../kit/id.ts';
import { nearest } from '../../kit/nearest.ts';
import type { Catalogs } from '../catalog/follow.ts';
import { variablesOf } from '../catalog/templates/template-texts.ts';
import { assertOpen } from '../http/access/authenticate.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { nextAfter, placeOf } from '../http/page-cursor.ts';
import { variablesAssociatedData } from '../platform/crypto/associated-data.ts';
import type { Platform } from '../platform/platform.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import { contacts } from '../users/store/contacts.ts';
import { users } from '../users/store/users.ts';
import { outcomeWrites, recordOutcome } from '../webhooks/store/outcomes.ts';
import { OUTBOX_NO_PROVIDER, OUTBOX_TEST } from './rules/dispatch.ts';
import type { StoredNotification } from './store/notification-rows.ts';
import { notifications } from './store/notifications.ts';

/** Maximum page size; pages with large records are shorter (store/pages.ts). */
const PAGE = 100;

/** How far from now a notification may be sent: this late, as clocks differ, in ms. */
const TOLERANCE_MS = 60_000;
const FARTHEST_MS = MAX_SEND_AHEAD_DAYS * 86_400_000 + TOLERANCE_MS;
/**
 * How long a cancellation waits for a worker that sends the notification, in ms: longer than the lease of a worker that was
 * lost. What is then still being sent may leave after the answer, which says so.
 */
const SENDING_MS = 15_000;
const PAUSE_MS = 50;

export const notificationEndpoints = (
  { cipher, store, clock }: Pick<Platform, 'cipher' | 'store' | 'clock'>,
  catalogs: Catalogs,
): Endpoints => ({
  /** Queues a notification and counts it as a contact, in one transaction (docs/design-choices.md, "Decide and render"). */
  trigger: {
    priority: 'interactive',
    handle: async ({ tx, workspace, body, requestId, trace, now }) => {
      const { hashId, templateId, channel, variables = {} } = body;
      if (!(await users.existsAndLock(tx, workspace.id, hashId)))
        throw new ServiceError('not_found', 'No user has this hashId.');
      const { templates } = await catalogs.of(tx, workspace.id);
      const template = templates.get(templateId);
      if (!template)
        throw new ServiceError('not_found', 'No template has this templateId.', [
          {
            field: 'templateId',
            message: `must name a template of the catalog${knownTemplates(templates, templateId)}`,
          },
        ]);
      if (template.activeUntil !== undefined && now >= template.activeUntil)
        throw new ServiceError('not_found', 'This template is no longer active.');
      if (template.channels.length > 0 && !template.channels.includes(channel))
        throw invalid('channel', `must be one of ${template.channels.join(', ')} for this template`);
      const missing = variablesOf(template, channel).filter((name) => !Object.hasOwn(variables, name));
      if (missing.length > 0)
        throw new ServiceError(
          'invalid_request',
          undefined,
          missing.map((name) => ({ field: `variables.${name}`, message: 'is missing' })),
        );
      const notificationId = newId('ntf');
      const sendAt = body.sendAt === undefined ? undefined : sendTime(body.sendAt, now);
      const status = await notifications.create(tx, workspace.id, {
        notificationId,
        hashId,
        templateId,
        channel,
        priority: body.priority ?? template.priority,
        variables: cipher.seal(JSON.stringify(variables), variablesAssociatedData(notificationId)),
        sendAt,
        trace,
      });
      await contacts.add(tx, workspace.id, hashId, 'notification', notificationId, sendAt);
      return { body: { notificationId, status, ...sendAtField(sendAt), requestId } };
    },
  },

  cancelNotification: {
    priority: 'interactive',
    prepare: (workspaceId, _body, params) => {
      if (!params) return undefined;
      const cancel = () =>
        store.write(
          async (tx) =>
            (
              await pipeline([assertOpen(tx, workspaceId), notifications.cancel(tx, workspaceId, params.id!)])
            )[1],
        );
      const untilEnded = async () => {
        for (let waited = 0; (await cancel())?.sending && waited < SENDING_MS; waited += PAUSE_MS)
          await clock.sleep(PAUSE_MS);
      };
      return untilEnded();
    },
    handle: async ({ tx, workspace, params, requestId }) => {
      const cancelled = await notifications.cancel(tx, workspace.id, params.id!);
      if (!cancelled) throw new ServiceError('not_found', 'No notification has this identifier.');
      const { status, sentBefore } = cancelled;
      return { body: { status, sentBefore, requestId } };
    },
  },

  getNotification: async ({ tx, workspace, params }) => {
    const found = await notifications.get(tx, workspace.id, params.id!);
    if (!found) throw new ServiceError('not_found', 'No notification has this identifier.');
    return { body: notificationView(found) };
  },

  listNotifications: async ({ tx, workspace, query }) => {
    const filter = {
      hashId: query.hashId,
      status: query.status,
      failure: query.failure,
      since: query.since === undefined ? undefined : Date.parse(query.since),
      until: query.until === undefined ? undefined : Date.parse(query.until),
    };
    const page = await notifications.list(tx, workspace.id, filter, PAGE, placeOf(query.after));
    const last = page.rows.at(-1);
    const next = nextAfter(page, last && { at: last.createdAt, id: last.notificationId });
    return {
      body: {
        notifications: page.rows.map(({ createdAt, ...record }) => notificationView(record)),
        ...(query.after === undefined
          ? {
              counts: await notifications.counts(tx, workspace.id, filter),
              failures: await notifications.failures(tx, workspace.id, filter),
            }
          : {}),
        ...next,
      },
    };
  },

  notificationOutcome: {
    priority: 'interactive',
    concurrencyKeys: ({ params }) => outcomeWrites('notification', params.id!),
    handle: async ({ tx, workspace, params, body, requestId, trace }) => {
      const found = await notifications.get(tx, workspace.id, params.id!);
      if (!found) throw new ServiceError('not_found', 'No notification has this identifier.');
      await recordOutcome(tx, {
        workspaceId: workspace.id,
        kind: 'notification',
        id: found.notificationId,
        type: body.type,
        hashId: found.hashId,
        contentId: found.templateId,
        about: { channel: found.channel },
        trace,
      });
      return { body: { requestId } };
    },
  },
});

function notificationView({ failure, heldUntil, sendAt, ...record }: StoredNotification): object {
  const held = heldUntil === null ? {} : { heldUntil: new Date(Number(heldUntil)).toISOString() };
  const later = sendAtField(sendAt ?? undefined);
  return { ...record, ...sentBy(record), ...later, ...held, ...(failure === null ? {} : { failure }) };
}

const sendAtField = (sendAt: number | undefined) =>
  sendAt === undefined ? {} : { sendAt: new Date(sendAt).toISOString() };

/** When a notification is to be sent, Unix ms; undefined for at once. Throws invalid_request. */
function sendTime(text: string, now: number): number | undefined {
  const at = Date.parse(text);
  if (at < now - TOLERANCE_MS) throw invalid('sendAt', 'must not be in the past');
  if (at > now + FARTHEST_MS) throw invalid('sendAt', `must be within ${MAX_SEND_AHEAD_DAYS} days`);
  return at <= now ? undefined : at;
}

/** Templates that are compared with a name, and that are listed, at most. */
const MAX_COMPARED = 1000;
const MAX_LISTED = 10;

/** Names the template that was probably meant, or else the first templates. */
function knownTemplates(templates: ReadonlyMap<string, unknown>, typed: string): string {
  const names = [...templates.keys()].slice(0, MAX_COMPARED);
  const near = nearest(
    names,
    (name) => [typed.toLowerCase(), name.toLowerCase()],
    (name) => Math.max(1, Math.min(3, name.length / 3)),
  );
  if (near !== undefined) return `; the nearest is ${near}`;
  if (names.length === 0) return ', which has none';
  return `: ${firstOf([...templates.keys()], MAX_LISTED)}`;
}

function sentBy({ status, history }: Pick<StoredNotification, 'status' | 'history'>): object {
  if (status !== 'delivered') return {};
  const reason = history.at(-1)?.reason;
  return { sentBy: reason === OUTBOX_TEST || reason === OUTBOX_NO_PROVIDER ? 'outbox' : 'provider' };
}

function invalid(field: string, message: string): ServiceError {
  return new ServiceError('invalid_request', undefined, [{ field, message }]);
}
