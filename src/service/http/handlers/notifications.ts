import { ServiceError } from '../../../contract/errors.ts';
import { newId } from '../../../kit/id.ts';
import { variablesAssociatedData } from '../../crypto/associated-data.ts';
import { missingVariables } from '../../domain/notifications/template.ts';
import { contacts } from '../../store/repositories/contacts.ts';
import { notifications } from '../../store/repositories/notifications.ts';
import { recordOutcome } from '../../store/repositories/outcomes.ts';
import { users } from '../../store/repositories/users.ts';
import type { Handlers } from '../call.ts';

export const notificationHandlers: Handlers = {
  /** Queues a notification and counts it as a contact, in one transaction (docs/decisions.md, "Decide and render"). */
  trigger: async ({ tx, workspace, body, requestId, deps }) => {
    const { hashId, templateId, channel, variables = {} } = body;
    if (!(await users.exists(tx, workspace.id, hashId)))
      throw new ServiceError('not_found', 'No user has this hashId.');
    const template = deps.catalog().templates.get(templateId);
    if (!template) throw new ServiceError('not_found', 'No template has this templateId.');
    if (template.channels.length > 0 && !template.channels.includes(channel))
      throw invalid('channel', `must be one of ${template.channels.join(', ')} for this template`);
    const missing = missingVariables(`${template.title ?? ''}\n${template.body}`, variables);
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
      variables: deps.cipher.seal(JSON.stringify(variables), variablesAssociatedData(notificationId)),
    });
    await contacts.add(tx, workspace.id, hashId, 'notification', notificationId);
    return { body: { notificationId, status: 'queued', requestId } };
  },

  getNotification: async ({ tx, workspace, params }) => {
    const found = await notifications.get(tx, workspace.id, params.id!);
    if (!found) throw new ServiceError('not_found', 'No notification has this identifier.');
    const { failure, heldUntil, ...record } = found;
    const held = heldUntil === null ? {} : { heldUntil: new Date(Number(heldUntil)).toISOString() };
    return { body: { ...record, ...held, ...(failure === null ? {} : { failure }) } };
  },

  notificationOutcome: async ({ tx, workspace, params, body, requestId }) => {
    const found = await notifications.get(tx, workspace.id, params.id!);
    if (!found) throw new ServiceError('not_found', 'No notification has this identifier.');
    await recordOutcome(tx, {
      workspaceId: workspace.id,
      kind: 'notification',
      id: found.notificationId,
      type: body.type,
      hashId: found.hashId,
      contentId: found.templateId,
    });
    return { body: { requestId } };
  },
};

function invalid(field: string, message: string): ServiceError {
  return new ServiceError('invalid_request', undefined, [{ field, message }]);
}
