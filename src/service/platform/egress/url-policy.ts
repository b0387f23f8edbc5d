import { isIP } from 'node:net';
import { type AddressPolicy, refuseAddress } from './address-policy.ts';

/** Names reserved for this machine or its network (RFC 6761, RFC 6762, RFC 8375, ICANN). */
const LOCAL_NAMES = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa'];

/**
 * Checks the URL of a webhook subscription when it is created or changed (docs/design-choices.md, "Webhook URL").
 * Returns the normalized URL, or a reason that completes a sentence starting with "url".
 *
 * Checks the parsed host, not the text: the WHATWG parser normalizes every spelling of an IPv4 address (decimal, octal,
 * hexadecimal, short, full-width, escaped). The addresses of a host name are checked when the socket connects
 * (`guardedAgent`).
 */
export function checkWebhookUrl(
  text: string,
  policy: AddressPolicy,
): { ok: true; url: string } | { ok: false; reason: string } {
  if (!URL.canParse(text)) return refuse('is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(policy.allowLoopback && url.protocol === 'http:'))
    return refuse('must be an https URL');
  if (url.username || url.password) return refuse('must not contain user information');
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  if (host === '') return refuse('has no host');
  if (isIP(host)) {
    const reason = refuseAddress(host, policy);
    return reason === null ? { ok: true, url: withoutFragment(url) } : refuse(`${reason}, not a public one`);
  }
  const local = LOCAL_NAMES.find((name) => host === name || host.endsWith(`.${name}`));
  if (local !== undefined && !(policy.allowLoopback && local === 'localhost'))
    return refuse(`names a host of a private network (${local})`);
  return { ok: true, url: withoutFragment(url) };
}

function refuse(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}

/** A fragment is never sent. */
function withoutFragment(url: URL): string {
  url.hash = '';
  return url.href;
}
