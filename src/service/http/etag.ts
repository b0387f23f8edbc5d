import { createHash } from 'node:crypto';

/** The entity tag of a text: another text has another one. */
export const tagOf = (text: string | Buffer): string =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;

/** True if the header If-None-Match of a request says that its sender has what the tag stands for (RFC 9110, 13.1.2). */
export function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return known.includes(tag) || known.includes('*');
}
