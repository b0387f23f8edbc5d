import type { ChannelTexts } from '../../catalog/templates/channel-texts.ts';
import { fillTemplate, maskFields, type PersonalFields } from '../../catalog/templates/render.ts';
import type { Address, ChannelMessage } from './channel.ts';
import { channelTexts } from './texts.ts';

/** The parts of a message. `email` is the trait of that name. */
export interface MessageParts {
  readonly workspaceId: string;
  readonly notificationId: string;
  readonly hashId: string;
  readonly templateId: string;
  readonly channel: string;
  readonly priority: string;
  readonly earlierTries: number;
  readonly trace: string | null;
  /** Where it is sent, and the keyed hash of that. */
  readonly address: string;
  readonly addressHash: string;
  readonly template: ChannelTexts & { readonly title?: string; readonly body: string };
  readonly variables: Readonly<Record<string, string>>;
  readonly personal: PersonalFields;
  readonly email: string | undefined;
  readonly unsubscribeUrl?: string | undefined;
}

/**
 * Fills the template twice: with the personal fields for the channel, and with masked ones for files and logs.
 * Returns the message, or why it cannot be made, without personal data.
 */
export function compose(
  parts: MessageParts,
): { ok: true; message: ChannelMessage } | { ok: false; failure: string } {
  const { template: whole, variables, personal, email, addressHash, ...rest } = parts;
  const texts = channelTexts(whole, rest.channel);
  const template = { ...(texts.title === undefined ? {} : { title: texts.title }), body: texts.body };
  const plain = fillBoth(template, variables, personal);
  if (!plain.ok)
    return {
      ok: false,
      failure: missingValues(plain.missing),
    };
  const maskedFields = maskFields(personal);
  const masked = fillBoth(template, variables, maskedFields);
  if (!masked.ok) return { ok: false, failure: 'the template cannot be filled' };
  const more = texts.fill(variables, personal);
  if (!more.ok) return { ok: false, failure: missingValues(more.missing) };
  const isDevice = rest.channel === 'push';
  const to = reached(rest.channel, rest.address, personal.phone, email);
  const maskedPhone = to.phone === undefined ? undefined : maskFields({ phone: to.phone }).phone;
  const maskedEmail = to.email === undefined ? undefined : maskEmail(to.email);
  return {
    ok: true,
    message: {
      ...rest,
      ...more.parts,
      // A user has several devices, and the message to each is another one for the provider.
      idempotencyKey: isDevice ? `${rest.notificationId}-${addressHash.slice(0, 16)}` : rest.notificationId,
      to,
      subject: plain.title,
      text: plain.body,
      masked: {
        to: {
          ...address(maskedPhone, maskedEmail),
          ...(isDevice ? { token: '•••' } : {}),
        },
        subject: masked.title,
        text: masked.body,
      },
    },
  };
}

function missingValues(missing: readonly string[]): string {
  return `the user or the trigger lacks values for the template: ${missing.join(', ')}`;
}

function fillBoth(
  template: MessageParts['template'],
  variables: Readonly<Record<string, string>>,
  personal: PersonalFields,
): { ok: true; title: string | undefined; body: string } | { ok: false; missing: string[] } {
  const title = template.title === undefined ? undefined : fillTemplate(template.title, variables, personal);
  const body = fillTemplate(template.body, variables, personal);
  const missing = [...(title?.ok === false ? title.missing : []), ...(body.ok ? [] : body.missing)];
  if (!body.ok || title?.ok === false) return { ok: false, missing: [...new Set(missing)] };
  return { ok: true, title: title?.text, body: body.text };
}

/** Where a user is reached: the address that was chosen, and what is known for other channels. */
function reached(channel: string, chosen: string, phone: string | undefined, email: string | undefined) {
  const byPhone = channel === 'sms' || channel === 'whatsapp';
  return {
    ...address(byPhone ? chosen : phone, channel === 'email' ? chosen : email),
    ...(channel === 'push' ? { token: chosen } : {}),
  };
}

function address(phone: string | undefined, email: string | undefined): Address {
  return { ...(phone === undefined ? {} : { phone }), ...(email === undefined ? {} : { email }) };
}

/** `ada@example.com` becomes `a•••@•••`. */
function maskEmail(email: string): string {
  return `${[...email][0] ?? ''}•••@•••`;
}
