import { timingSafeEqual } from 'node:crypto';
import { USER_TOKEN_SECONDS } from '../../contract/limits.ts';
import type { Cipher } from './cipher.ts';

/** Makes a token for one user, valid for `seconds` from `now` (Unix ms). Throws DataKeyMissing. */
export function userToken(
  cipher: Cipher,
  workspaceId: string,
  hashId: string,
  now: number,
  seconds: number = USER_TOKEN_SECONDS.default,
): { token: string; expiresAt: string } {
  const expiresAt = Math.floor(now / 1000 + seconds) * 1000;
  const token = signUserToken(cipher, workspaceId, hashId, expiresAt);
  return { token, expiresAt: new Date(expiresAt).toISOString() };
}

/**
 * Makes a token that speaks for one user of a workspace until a time (Unix ms, a whole second). It holds the
 * hashed identifier and the time in clear, and their MAC under the data key, so that nothing is stored and every node can
 * check it. Throws DataKeyMissing.
 */
export function signUserToken(
  cipher: Cipher,
  workspaceId: string,
  hashId: string,
  expiresAt: number,
): string {
  const claims = `${expiresAt / 1000}.${hashId}`;
  const mac = macOf(cipher, workspaceId, claims).toString('base64url');
  return `ut_${Buffer.from(claims).toString('base64url')}.${mac}`;
}

/**
 * Returns the user for whom a token speaks, or why it is refused: `invalid` if this workspace did not sign it as it is,
 * `expired` if its time is over. Throws DataKeyMissing.
 */
export function readUserToken(
  cipher: Cipher,
  workspaceId: string,
  token: string,
  now: number,
): { readonly hashId: string } | 'invalid' | 'expired' {
  const [, encoded = '', mac = ''] = /^ut_([\w-]{1,2000})\.([\w-]{43})$/.exec(token) ?? [];
  const claims = Buffer.from(encoded, 'base64url').toString();
  const [, seconds, hashId] = /^(\d{1,12})\.(.+)$/s.exec(claims) ?? [];
  if (seconds === undefined || hashId === undefined) return 'invalid';
  if (!timingSafeEqual(macOf(cipher, workspaceId, claims), Buffer.from(mac, 'base64url'))) return 'invalid';
  return now < Number(seconds) * 1000 ? { hashId } : 'expired';
}

/** No identifier holds U+0000, so the two parts cannot be divided in another way. */
const macOf = (cipher: Cipher, workspaceId: string, claims: string): Buffer =>
  cipher.mac('user token', `${workspaceId}\0${claims}`);
