/**
 * The provider file: how the messages of a channel are handed to a vendor, and how its receipts are read. The JSON schema in
 * `docs/provider.schema.json` is generated from this schema.
 */
import * as z from 'zod/mini';
import { described } from '../../../../contract/described.ts';
import { CHANNELS } from '../../../../contract/schemas.ts';

const text = (most = 2048) => z.string().check(z.minLength(1), z.maxLength(most));
const path = () => described(text(256), 'Names separated by dots; `*` stands for each element of an array.');
/** Fields with names of the vendor. */
const record = <T extends z.ZodMiniType>(values: T) =>
  z
    .record(text(256), values)
    .check(z.refine((fields) => Object.keys(fields).length <= 100, { error: 'has more than 100 fields' }));

const Setting = z.strictObject({
  env: described(
    text(128).check(z.regex(/^[A-Z][A-Z0-9_]*(\{CHANNEL\}[A-Z0-9_]*)?$/)),
    'Environment variable with the value; `{CHANNEL}` stands for the channel in capitals. The same name with `_FILE` names a file with the value, which nobody else may read.',
  ),
  description: text(),
  secret: z.optional(described(z.boolean(), 'The value appears in no error and no log line.')),
  json: z.optional(described(z.boolean(), 'The value is a JSON object, whose fields are read by path.')),
  default: z.optional(described(z.string().check(z.maxLength(2048)), 'Value where the variable is not set.')),
  optional: z.optional(described(z.boolean(), 'May be left out.')),
  minLength: z.optional(described(z.int().check(z.minimum(1), z.maximum(1024)), 'Fewest characters.')),
});

const Authentication = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('bearer'), token: text() }),
  z.strictObject({ type: z.literal('basic'), username: text(), password: text() }),
  z.strictObject({
    type: described(z.literal('signed'), 'Signed as webhook deliveries are (docs/webhooks.md).'),
    secret: text(),
  }),
  z.strictObject({
    type: described(
      z.literal('oauth-client-credentials'),
      'RFC 6749, 4.4. The token is kept until it expires.',
    ),
    tokenUrl: text(),
    clientId: text(),
    clientSecret: text(),
    scope: z.optional(text()),
  }),
  z.strictObject({
    type: described(
      z.literal('google-service-account'),
      'A JWT signed by the service account (RFC 7523) is exchanged for a token, which is kept until it expires.',
    ),
    account: described(text(), 'Name of the setting with the JSON key of the service account.'),
    scope: text(),
  }),
]);

const ERROR_OUTCOMES = ['retry', 'account', 'final', 'dead', 'opted-out', 'uncertain'] as const;
const ErrorRule = z.strictObject({
  status: z.optional(
    described(
      z.array(z.int().check(z.minimum(300), z.maximum(599))).check(z.minLength(1), z.maxLength(20)),
      'Statuses it applies to; left out: any.',
    ),
  ),
  codes: z.optional(
    described(
      z.array(text(128)).check(z.minLength(1), z.maxLength(100)),
      'Error codes it applies to; left out: any.',
    ),
  ),
  outcome: described(
    z.enum(ERROR_OUTCOMES),
    'retry: not accepted, may be later. account: not accepted until the operator corrects the account. final: not accepted. dead: the address does not exist any more, and is removed. opted-out: the person does not want messages. uncertain: may have been accepted.',
  ),
  category: z.optional(described(text(128), 'opted-out: the category; left out: all.')),
  reason: described(
    text(200),
    'Why it failed, in words. The text of the vendor is not used, since it may quote the address.',
  ),
});

const RECEIPT_KINDS = ['delivered', 'failed', 'bounce', 'opted-out', 'stop', 'start'] as const;
const kind = () =>
  described(
    z.enum(RECEIPT_KINDS),
    'delivered; failed; bounce: failed, and the address is dead; opted-out: failed, since the person does not want messages; stop and start: the person sent that word.',
  );
const Verification = z.discriminatedUnion('type', [
  z.strictObject({
    type: described(z.literal('hmac'), 'HMAC of the raw body.'),
    header: text(128),
    secret: text(),
    algorithm: z.optional(z.enum(['sha256', 'sha1'])),
    encoding: z.optional(z.enum(['hex', 'base64'])),
    prefix: z.optional(described(text(32), 'What the header begins with, such as `sha256=`.')),
  }),
  z.strictObject({
    type: described(
      z.literal('twilio'),
      'HMAC-SHA-1 of the public URL and the fields of the form, in base64.',
    ),
    header: text(128),
    secret: text(),
  }),
  z.strictObject({
    type: described(z.literal('ecdsa'), 'ECDSA with SHA-256 of the timestamp header and the raw body.'),
    header: text(128),
    timestampHeader: text(128),
    publicKey: described(text(4096), 'SubjectPublicKeyInfo, in base64.'),
  }),
]);
const ReceiptEvent = z.strictObject({
  each: z.optional(described(path(), 'Where the events are in the body; left out: the body is one event.')),
  id: z.optional(described(path(), 'Identifier of the event: a repeated one changes no address.')),
  notificationId: z.optional(
    described(path(), 'Our identifier, if the vendor returns it; `query.` begins a parameter of the URL.'),
  ),
  messageId: z.optional(described(path(), 'Identifier that the vendor gave the message.')),
  address: z.optional(described(path(), 'Address of the person.')),
  channel: z.optional(described(path(), 'Channel of the address; left out: the one of the provider.')),
  kind: described(
    z.array(z.strictObject({ path: path(), values: record(kind()) })).check(z.minLength(1), z.maxLength(10)),
    'What happened: the first path with a listed value decides, in any case. Without one the event is ignored.',
  ),
  code: z.optional(described(path(), 'Where the error code is.')),
  codes: z.optional(
    described(
      record(
        z.strictObject({
          kind: z.optional(kind()),
          category: z.optional(text(128)),
          reason: z.optional(text(200)),
        }),
      ),
      'What error codes mean, for a failed message.',
    ),
  ),
  category: z.optional(described(text(128), 'Category of stop and start; left out: all.')),
});

const Receipts = z.strictObject({
  enabledBy: z.optional(described(text(64), 'Receipts are used only where this setting is 1.')),
  verify: Verification,
  challenge: z.optional(
    described(
      z.strictObject({ type: z.literal('hub'), token: text() }),
      'The GET with hub.mode, hub.verify_token and hub.challenge.',
    ),
  ),
  format: z.enum(['json', 'form']),
  events: z.array(ReceiptEvent).check(z.minLength(1), z.maxLength(20)),
  answer: z.optional(
    described(
      z.strictObject({ type: text(128), body: z.string().check(z.maxLength(1024)) }),
      'What is answered; left out: nothing.',
    ),
  ),
});

/** A JSON value with placeholders, `$when` and `$each`. */
const Template = described(
  z.unknown(),
  'Strings contain placeholders: {{to}}, {{phone}}, {{phoneDigits}}, {{text}}, {{subject}}, {{html}}, {{push.title}}, {{push.body}}, {{push.data}}, {{whatsapp.name}}, {{whatsapp.language}}, {{whatsapp.parameters}}, {{notificationId}}, {{templateId}}, {{hashId}}, {{channel}}, {{priority}}, {{addresses}}, {{receiptsUrl}}, {{unsubscribeUrl}} and {{settings.NAME}}. A member whose value is a placeholder with `?`, as {{html?}}, is left out where there is none. {"$when": NAME, "value": …} is left out where NAME has no value or is empty. {"$each": NAME, "value": …} is repeated for each element, {{item}}.',
);

export const ProviderFile = z.strictObject({
  $schema: z.optional(text()),
  name: described(text(64).check(z.regex(/^[a-z0-9][a-z0-9-]*$/)), 'Name, as in the URL of its receipts.'),
  channels: z.array(z.enum(CHANNELS)).check(z.minLength(1), z.maxLength(4)),
  settings: z
    .record(text(64).check(z.regex(/^[A-Za-z]\w*$/)), Setting)
    .check(
      z.refine((settings) => Object.keys(settings).length <= 50, { error: 'has more than 50 settings' }),
    ),
  network: z.optional(
    described(
      z.enum(['public', 'private']),
      'public: only https, and only public addresses. private: any address, for a provider in your own network. Default: public.',
    ),
  ),
  request: z.strictObject({
    method: z.optional(z.enum(['POST', 'PUT'])),
    url: described(text(), 'Only a setting at its beginning may decide on the host.'),
    headers: z.optional(record(text())),
    json: z.optional(Template),
    form: z.optional(record(text(4096))),
  }),
  authentication: Authentication,
  idempotency: z.optional(
    described(
      z.strictObject({
        header: text(128),
        setting: z.optional(described(text(64), 'The vendor drops repeats only where this setting is 1.')),
      }),
      'The vendor ignores a second request with the same value of this header.',
    ),
  ),
  answer: z.optional(
    z.strictObject({
      messageId: z.optional(
        described(path(), 'Where the identifier of the message is; `header.` begins the name of a header.'),
      ),
      errorCode: z.optional(
        described(
          z.array(path()).check(z.minLength(1), z.maxLength(5)),
          'Where the error code is: the first path with a value.',
        ),
      ),
    }),
  ),
  errors: z.optional(
    described(
      z.array(ErrorRule).check(z.maxLength(100)),
      'What errors mean: the first rule that applies. Otherwise a 429 is a retry, a status from 500 on is uncertain, any other final.',
    ),
  ),
  receipts: z.optional(
    described(
      Receipts,
      'Used where every setting that it names has a value; without, an accepted message counts as delivered.',
    ),
  ),
});
export type ProviderFile = z.infer<typeof ProviderFile>;
export type ReceiptKind = (typeof RECEIPT_KINDS)[number];

/** The JSON schema (draft 2020-12) of a provider file, as published. */
export function providerJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(ProviderFile, { io: 'input' });
  return { $schema, $id: 'provider.schema.json', title: 'Provider of svc serve', ...rest };
}
