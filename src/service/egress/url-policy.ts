import { isIP } from 'node:net';
import { type AddressPolicy, refuseAddress } from './address-policy.ts';

/** Names that stand for this machine or its network whatever a resolver says (RFC 6761, RFC 6762, RFC 8375, ICANN). */
const LOCAL_NAMES = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa'];

/**
 * Checks the URL of a webhook subscription when it is made or changed (docs/decisions.md, "Webhook URL").
 * Returns the URL in its normal form, or what is wrong with it, in words that follow the word "url".
 *
 * The WHATWG parser turns each spelling of an IPv4 address (decimal, octal, hexadecimal, short, full-width, escaped)
 * into four plain numbers, so only the parsed host is looked at, never the text. A host name is judged again when the
 * socket connects, by what it resolves to then: `guardedConnector`.
 */
export function checkWebhookUrl(
  text: string,
  policy: AddressPolicy,
): { ok: true; url: string } | { ok: false; reason: string } {
  if (!URL.canParse(text)) return refuse('is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(policy.allowLoopback && url.protocol === 'http:'))
    return refuse('must be an https URL');
  if (url.username || url.password) return refuse('must not hold user information');
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  if (host === '') return refuse('names no host');
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

/** A fragment never travels. */
function withoutFragment(url: URL): string {
  url.hash = '';
  return url.href;
}
