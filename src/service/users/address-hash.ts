import { createHmac } from 'node:crypto';

/**
 * Computes the keyed hash of an address of a channel: hex HMAC-SHA-256 with the random key of the workspace. It finds the
 * same address again, also after the address itself was erased. Spellings of one address have the same hash.
 */
export function addressHash(workspaceKey: Uint8Array, channel: string, address: string): string {
  return createHmac('sha256', workspaceKey)
    .update(`address\0${normalized(channel, address)}`)
    .digest('hex');
}

/** A phone number by its digits, an e-mail address in lower case, a token as it is. */
function normalized(channel: string, address: string): string {
  if (channel === 'email') return `email\0${address.trim().toLowerCase()}`;
  if (channel === 'sms' || channel === 'whatsapp') return `phone\0${phoneDigits(address)}`;
  return `${channel}\0${address}`;
}

/** The digits of a phone number in international form: `+44 (0)` notation and the prefix `00` are not kept. */
export function phoneDigits(phone: string): string {
  return phone.replace(/\(0\)/g, '').replace(/\D/g, '').replace(/^00/, '');
}
