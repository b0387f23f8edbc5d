import { fillTemplate, maskFields, type PersonalFields } from '../domain/notifications/template.ts';
import type { Address, ChannelMessage } from './channel.ts';

/** The parts of a message. `email` is the trait of that name. */
export interface MessageParts {
  readonly notificationId: string;
  readonly hashId: string;
  readonly templateId: string;
  readonly channel: string;
  readonly priority: string;
  readonly earlierTries: number;
  readonly template: { readonly title?: string; readonly body: string };
  readonly variables: Readonly<Record<string, string>>;
  readonly personal: PersonalFields;
  readonly email: string | undefined;
}

/**
 * Fills the template twice: with the personal fields for the channel, and with masked ones for files and logs.
 * Returns the message, or why it cannot be made, without personal data.
 */
export function compose(
  parts: MessageParts,
): { ok: true; message: ChannelMessage } | { ok: false; failure: string } {
  const { template, variables, personal, email, ...rest } = parts;
  const plain = fillBoth(template, variables, personal);
  if (!plain.ok)
    return {
      ok: false,
      failure: `the user or the trigger lacks values for the template: ${plain.missing.join(', ')}`,
    };
  const maskedFields = maskFields(personal);
  const masked = fillBoth(template, variables, maskedFields);
  if (!masked.ok) return { ok: false, failure: 'the template cannot be filled' };
  return {
    ok: true,
    message: {
      ...rest,
      to: address(personal.phone, email),
      subject: plain.title,
      text: plain.body,
      masked: {
        to: address(maskedFields.phone, email === undefined ? undefined : maskEmail(email)),
        subject: masked.title,
        text: masked.body,
      },
    },
  };
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

function address(phone: string | undefined, email: string | undefined): Address {
  return { ...(phone === undefined ? {} : { phone }), ...(email === undefined ? {} : { email }) };
}

/** `ada@example.com` becomes `a•••@•••`. */
function maskEmail(email: string): string {
  return `${[...email][0] ?? ''}•••@•••`;
}
