import { answerSchema } from '../../contract/openapi.ts';
import { type JsonSchema, type Shape, schemaOf } from './shape.ts';

/** What a command writes to standard output under --json. */
export interface Output {
  /** One document, one document a line, or text that --json does not change. */
  readonly format: 'json' | 'ndjson' | 'text';
  /** The schema of the document, or of each line; undefined for text. */
  readonly schema?: JsonSchema;
}

const json = (shape: Shape): Output => ({ format: 'json', schema: schemaOf(shape) });
const lines = (...shapes: Shape[]): Output => ({
  format: 'ndjson',
  schema: shapes.length === 1 ? schemaOf(shapes[0]!) : { anyOf: shapes.map(schemaOf) },
});
const TEXT: Output = { format: 'text' };

/** The answer of the service as it came; fields in `more` are added by svc. */
function answer(operation: Parameters<typeof answerSchema>[0], more: Record<string, Shape> = {}): Output {
  const schema = answerSchema(operation);
  if (Object.keys(more).length === 0) return { format: 'json', schema };
  return { format: 'json', schema: { allOf: [schema, schemaOf(more)] } };
}

const IMPORT: Shape = {
  'dryRun?': 'boolean',
  files: 'integer',
  read: 'integer',
  accepted: 'integer',
  rejected: 'integer',
  skipped: 'integer',
  unsent: 'integer',
  batches: 'integer',
  requests: 'integer',
  retries: 'integer',
  rateLimited: 'integer',
  bytes: 'integer',
  elapsedMs: 'integer',
  eventsPerSecond: 'integer',
  rejectsFile: 'string|null',
  resumeCommand: 'string|null',
  sha256: 'string|null',
  'plan?': { batches: 'integer', bytes: 'integer', requests: 'integer' },
};

const PROFILE: Record<string, Shape> = {
  name: 'string',
  workspace: 'string|null',
  region: 'string|null',
  baseUrl: 'string|null',
  apiKey: 'string|null',
  sandbox: 'boolean',
  keysHonoured: 'boolean',
  current: 'boolean',
};

const BATCH_LINE = (operation: Parameters<typeof answerSchema>[0]): JsonSchema => ({
  anyOf: [
    {
      type: 'object',
      properties: { request: {}, response: answerSchema(operation) },
      required: ['request', 'response'],
    },
    schemaOf({ request: 'any', error: { code: 'string', message: 'string' } }),
  ],
});

/** A single request prints its answer; --input prints one line for each. */
const batch = (operation: Parameters<typeof answerSchema>[0]): Output => ({
  format: 'ndjson',
  schema: { anyOf: [answerSchema(operation), BATCH_LINE(operation)] },
});

/** The output of every command, by id. A test compares it with what commands print. */
export const OUTPUTS: Readonly<Record<string, () => Output>> = {
  api: () => ({ format: 'json', schema: {} }),
  commands: () => json({ version: 'string', exitCodes: 'object', error: 'object', commands: ['object'] }),
  completion: () => TEXT,
  'data:export': () => lines('object'),
  'data:reset': () => json({ database: 'string', removed: ['string'] }),
  decide: () => batch('decide'),
  'decisions:evaluate': () =>
    json({ decisions: 'integer', pending: 'integer', skipped: 'integer', policies: 'object' }),
  demo: () => lines({ move: 'string' }),
  doctor: () =>
    json({
      ok: 'boolean',
      probed: 'boolean',
      checks: [{ check: 'string', status: 'string', seen: 'string', 'next?': 'string|null' }],
    }),
  'events:import': () => json(IMPORT),
  'events:send': () => answer('ingestEvents'),
  'events:tail': () => lines('object'),
  limits: () =>
    json({
      limits: [
        {
          group: 'string',
          covers: 'string',
          limit: 'integer|null',
          remaining: 'integer|null',
          used: 'integer|null',
          reset: 'string|null',
          seenAt: 'string|null',
          stale: 'boolean',
          default: 'integer',
          ceiling: 'integer',
        },
      ],
    }),
  'messages:list': () => answer('listMessages'),
  'messages:outcome': () => answer('messageOutcome'),
  'notifications:get': () => answer('getNotification'),
  'notifications:outcome': () => answer('notificationOutcome'),
  'notifications:trigger': () => batch('trigger'),
  'notifications:watch': () => lines({ notificationId: 'string', status: 'string', at: 'string|null' }),
  'plugins:install': () => json({ installed: 'object|null' }),
  'plugins:link': () => json({ linked: 'string|null', root: 'string' }),
  'plugins:list': () =>
    json({ plugins: [{ name: 'string', version: 'string|null', type: 'string', root: 'string' }] }),
  'plugins:uninstall': () => json({ uninstalled: 'string' }),
  'profiles:add': () => json({ name: 'string', current: 'boolean' }),
  'profiles:list': () => json({ profiles: [PROFILE] }),
  'profiles:remove': () => json({ removed: 'string' }),
  'profiles:rename': () => json({ name: 'string', was: 'string' }),
  'profiles:show': () => json(PROFILE),
  'profiles:use': () => json({ current: 'string' }),
  'regions:list': () =>
    json({ regions: [{ region: 'string|null', baseUrl: 'string', profiles: ['string'] }] }),
  serve: () =>
    lines({ ready: 'boolean', url: 'string', workspace: 'string', apiKey: 'string|null', pid: 'integer' }),
  'serve:exec': () => TEXT,
  'serve:migrate': () => json({ from: 'integer', to: 'integer' }),
  'users:import': () => lines({ userId: 'string', hashId: 'string' }, IMPORT),
  'webhooks:create': () => answer('createWebhook', { 'signingSecret?': 'string' }),
  'webhooks:delete': () => json({ deleted: 'string' }),
  'webhooks:deliveries': () => answer('listDeliveries'),
  'webhooks:get': () => answer('getWebhook', { 'source?': 'string' }),
  'webhooks:list': () => answer('listWebhooks', { 'source?': 'string' }),
  'webhooks:listen': () =>
    lines(
      { type: 'string', url: 'string' },
      { type: 'string', receivedAt: 'string', verified: 'boolean', duplicate: 'boolean', headers: 'object' },
      { type: 'string', receivedAt: 'string', reason: 'string', diagnosis: 'object|null' },
    ),
  'webhooks:redeliver': () => answer('redeliver'),
  'webhooks:replay': () =>
    lines({
      receivedAt: 'string',
      kind: 'string|null',
      status: 'integer|null',
      durationMs: 'number',
      'error?': 'string',
    }),
  'webhooks:rotate': () => answer('rotateWebhook', { 'signingSecret?': 'string' }),
  'webhooks:send': () =>
    json({
      deliveryId: 'string',
      kind: 'string',
      url: 'string',
      status: 'integer',
      durationMs: 'number',
      body: 'string',
    }),
  'webhooks:sign': () => json({ signature: 'string' }),
  'webhooks:test': () =>
    json({
      url: 'string',
      passed: 'integer',
      failed: 'integer',
      rows: [
        {
          name: 'string',
          tries: 'string',
          passed: 'boolean',
          expected: 'string',
          status: 'integer|null',
          durationMs: 'number',
        },
      ],
    }),
  'webhooks:update': () => answer('updateWebhook'),
  'webhooks:verify': () =>
    json({ verified: 'boolean', 'secret?': 'string', 'reason?': 'string', 'diagnosis?': 'object' }),
};
