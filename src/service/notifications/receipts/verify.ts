import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { fillText } from '../providers/file/fill.ts';
import type { Provider } from '../providers/file/load.ts';

/** A receipt as it arrived. */
export interface IncomingReceipt {
  /** Header by lowercase name. */
  header(name: string): string | undefined;
  readonly raw: Buffer;
  /** Path and query as requested. */
  readonly target: string;
  /** The fields of a form, in order; empty for JSON. */
  readonly form: readonly (readonly [string, string])[];
}

/** Checks the signature of a receipt, in constant time. */
export function isGenuine(provider: Provider, receipt: IncomingReceipt): boolean {
  const given = provider.file.receipts?.verify;
  if (!given) return false;
  const fill = (text: string) => fillText(text, { settings: provider.settings });
  const signature = receipt.header(given.header.toLowerCase());
  if (signature === undefined) return false;
  switch (given.type) {
    case 'hmac': {
      const { algorithm = 'sha256', encoding = 'hex', prefix = '' } = given;
      const mac = createHmac(algorithm, fill(given.secret)).update(receipt.raw).digest(encoding);
      return isSame(signature, `${prefix}${mac}`);
    }
    case 'twilio': {
      const url = `${provider.publicUrl ?? ''}${receipt.target}`;
      const mac = createHmac('sha1', fill(given.secret))
        .update(url + joined(receipt.form))
        .digest('base64');
      return isSame(signature, mac);
    }
    case 'ecdsa': {
      const timestamp = receipt.header(given.timestampHeader.toLowerCase());
      if (timestamp === undefined) return false;
      const key = createPublicKey({
        key: Buffer.from(fill(given.publicKey), 'base64'),
        format: 'der',
        type: 'spki',
      });
      return verify(
        'sha256',
        Buffer.concat([Buffer.from(timestamp), receipt.raw]),
        key,
        Buffer.from(signature, 'base64'),
      );
    }
  }
}

/** The fields of a form as Twilio signs them: sorted by name, name and value without a separator, each pair once. */
function joined(form: IncomingReceipt['form']): string {
  const pairs = new Set(form.map(([name, value]) => JSON.stringify([name, value])));
  return [...pairs]
    .map((pair) => JSON.parse(pair) as [string, string])
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => name + value)
    .join('');
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Compares in constant time. */
export function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHmac('sha256', 'compare').update(text).digest());
  return timingSafeEqual(a!, b!);
}
