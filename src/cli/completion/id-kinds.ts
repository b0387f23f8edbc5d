/** What has identifiers that are completed from the service. */
export type IdKind = 'webhooks' | 'deliveries' | 'notifications' | 'decisions' | 'contents';

const WEBHOOK_COMMANDS = ['deliveries', 'delete', 'get', 'redeliver', 'rotate', 'update'];
const NOTIFICATION_COMMANDS = ['cancel', 'get', 'outcome', 'watch'];

/** The kind of the identifiers that an argument or a flag takes, by command and name. */
export const ID_KINDS: Readonly<Record<string, IdKind>> = {
  ...Object.fromEntries(WEBHOOK_COMMANDS.map((name) => [`webhooks:${name} id`, 'webhooks' as const])),
  ...Object.fromEntries(
    NOTIFICATION_COMMANDS.map((name) => [`notifications:${name} id`, 'notifications' as const]),
  ),
  'contents:get id': 'contents',
  'decisions:get id': 'decisions',
  'decisions:list content': 'contents',
  'messages:outcome decision': 'decisions',
  'webhooks:delivery id': 'deliveries',
  'webhooks:redeliver delivery': 'deliveries',
  ...Object.fromEntries(
    ['listen', 'replay', 'send', 'sign', 'test', 'verify'].map((name) => [
      `webhooks:${name} subscription`,
      'webhooks' as const,
    ]),
  ),
};
