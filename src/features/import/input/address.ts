import { maskUrl } from '../../../kit/mask-url.ts';

/** Parameters of a signed address of an object store: they differ each time the same object is signed. */
const OF_SIGNATURE =
  /^(x-amz-.*|x-goog-.*|signature|expires|googleaccessid|awsaccesskeyid|key-pair-id|policy|sig|se|st|sp|sv|sr|spr|ske|skt|sks|skv|skoid|sktid)$/i;
const SIGNATURE = /^(x-amz-signature|x-goog-signature|signature|sig)$/i;

/** Returns whether an input is an address, and not a file. */
export function isAddress(name: string): boolean {
  return /^https?:\/\//i.test(name) && URL.canParse(name);
}

/**
 * The name of an address in messages and in the journal: without its signature, so that an object that is signed again is
 * the same input, and without user, password and tokens.
 */
export function addressName(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  url.hash = '';
  const signed = [...url.searchParams.keys()].some((name) => SIGNATURE.test(name));
  if (signed) {
    for (const name of new Set(url.searchParams.keys()))
      if (OF_SIGNATURE.test(name)) url.searchParams.delete(name);
  }
  return maskUrl(url.href);
}

/** The last part of the path of an address, as a name of a file. */
export function addressFile(address: string): string {
  const last = new URL(address).pathname.split('/').findLast((part) => part !== '') ?? '';
  return (
    last
      .replace(/%[\da-f]{2}|[^\w.-]/gi, '_')
      .replace(/^\.+/, '')
      .slice(-100) || 'download'
  );
}
