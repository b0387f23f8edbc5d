import { fillTemplate, maskFields, type PersonalFields } from '../domain/notifications/template.ts';
import type { Address, ChannelMessage } from './channel.ts';

/** What a message is made of. `email` is the user's trait of that name. */
export interface Ingredients {
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
 * Fills the template twice: with the personal fields for the channel, and with masked ones for what is written down.
 * Returns the message, or why there is none, in words that hold nothing personal.
 */
export function compose(
  of: Ingredients,
): { ok: true; message: ChannelMessage } | { ok: false; failure: string } {
  const { template, variables, personal, email, ...rest } = of;
  const clear = fillBoth(template, variables, personal);
  if (!clear.ok)
    return {
      ok: false,
      failure: `the template needs what the user or the trigger lacks: ${clear.missing.join(', ')}`,
    };
  const masked = maskFields(personal);
  const shown = fillBoth(template, variables, masked);
  if (!shown.ok) return { ok: false, failure: 'the template cannot be filled' };
  return {
    ok: true,
    message: {
      ...rest,
      to: address(personal.phone, email),
      subject: clear.title,
      text: clear.body,
      shown: {
        to: address(masked.phone, email === undefined ? undefined : maskEmail(email)),
        subject: shown.title,
        text: shown.body,
      },
    },
  };
}

function fillBoth(
  template: Ingredients['template'],
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
