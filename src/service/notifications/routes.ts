import { ServiceError } from '../../contract/errors.ts';
import { newId } from '../../kit/id.ts';
import { nearest } from '../../kit/nearest.ts';
import type { Catalogs } from '../catalog/follow.ts';
import { variablesOf } from '../catalog/templates/template-texts.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { nextAfter, placeOf } from '../http/page-cursor.ts';
import { variablesAssociatedData } from '../platform/crypto/associated-data.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import { contacts } from '../users/store/contacts.ts';
import { users } from '../users/store/users.ts';
import { outcomeWrites, recordOutcome } from '../webhooks/store/outcomes.ts';
import { OUTBOX_NO_PROVIDER, OUTBOX_TEST } from './rules/dispatch.ts';
import { notifications, type StoredNotification } from './store/notifications.ts';

/** Maximum page size; pages with large records are shorter (store/pages.ts). */
const PAGE = 100;

export const notificationEndpoints = (cipher: Cipher, catalogs: Catalogs): Endpoints => ({
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
      await notifications.create(tx, workspace.id, {
        notificationId,
        hashId,
        templateId,
        channel,
        priority: body.priority ?? template.priority,
        variables: cipher.seal(JSON.stringify(variables), variablesAssociatedData(notificationId)),
        trace,
      });
      await contacts.add(tx, workspace.id, hashId, 'notification', notificationId);
      return { body: { notificationId, status: 'queued', requestId } };
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
      since: query.since === undefined ? undefined : Date.parse(query.since),
      until: query.until === undefined ? undefined : Date.parse(query.until),
    };
    const page = await notifications.list(tx, workspace.id, filter, PAGE, placeOf(query.after));
    const last = page.rows.at(-1);
    const next = nextAfter(page, last && { at: last.createdAt, id: last.notificationId });
    return {
      body: {
        notifications: page.rows.map(({ createdAt, ...record }) => notificationView(record)),
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

function notificationView({ failure, heldUntil, ...record }: StoredNotification): object {
  const held = heldUntil === null ? {} : { heldUntil: new Date(Number(heldUntil)).toISOString() };
  return { ...record, ...sentBy(record), ...held, ...(failure === null ? {} : { failure }) };
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
  const more = templates.size > MAX_LISTED ? ` and ${templates.size - MAX_LISTED} more` : '';
  return `: ${names.slice(0, MAX_LISTED).join(', ')}${more}`;
}

function sentBy({ status, history }: Pick<StoredNotification, 'status' | 'history'>): object {
  if (status !== 'delivered') return {};
  const reason = history.at(-1)?.reason;
  return { sentBy: reason === OUTBOX_TEST || reason === OUTBOX_NO_PROVIDER ? 'outbox' : 'provider' };
}

function invalid(field: string, message: string): ServiceError {
  return new ServiceError('invalid_request', undefined, [{ field, message }]);
}
