import { timingSafeEqual } from 'node:crypto';
import { USER_TOKEN_SECONDS } from '../../../contract/limits.ts';
import { Lru } from '../../../kit/lru.ts';
import type { Cipher } from '../../platform/crypto/cipher.ts';

/**
 * Makes a token that speaks for one user of a workspace, for `seconds` from `now` (Unix ms). It holds the time of its end, the
 * hashed identifier and, where it is given, the userId in clear, as an app needs them, and their MAC under the data key, so
 * that nothing is stored and every node can check it. Throws DataKeyMissing.
 */
export function userToken(
  cipher: Cipher,
  workspaceId: string,
  hashId: string,
  now: number,
  seconds: number = USER_TOKEN_SECONDS.default,
  userId?: string,
): { token: string; expiresAt: string } {
  const end = Math.floor(now / 1000 + seconds);
  const claims = `${end}.${hashId}${userId === undefined ? '' : `\0${userId}`}`;
  const mac = macOf(cipher, workspaceId, claims).toString('base64url');
  return {
    token: `ut_${Buffer.from(claims).toString('base64url')}.${mac}`,
    expiresAt: new Date(end * 1000).toISOString(),
  };
}

/** Whom a genuine token speaks for, and until when, Unix ms. */
interface Genuine {
  readonly hashId: string;
  readonly end: number;
}

/** Tokens that are remembered in a process: an app shows the same one for an hour. */
const MAX_REMEMBERED = 10_000;

/**
 * Returns the user for whom a token speaks, or why it is refused: `invalid` if this workspace did not sign it as it is,
 * `expired` if its time is over. Throws DataKeyMissing.
 */
export type ReadToken = (
  workspaceId: string,
  token: string,
  now: number,
) => { readonly hashId: string } | 'invalid' | 'expired';

/** Reads tokens, and remembers those that are genuine. */
export function rememberingTokens(cipher: Cipher): ReadToken {
  const remembered = new Lru<string, Genuine>(MAX_REMEMBERED);
  return (workspaceId, token, now) => {
    const key = `${workspaceId} ${token}`;
    let genuine = remembered.get(key);
    if (!genuine) {
      genuine = genuineOf(cipher, workspaceId, token);
      if (!genuine) return 'invalid';
      remembered.set(key, genuine);
    }
    return now < genuine.end ? genuine : 'expired';
  };
}

/** What a token says, if this workspace signed it. */
function genuineOf(cipher: Cipher, workspaceId: string, token: string): Genuine | undefined {
  const [, encoded = '', mac = ''] = /^ut_([\w-]{1,2000})\.([\w-]{43})$/.exec(token) ?? [];
  const claims = Buffer.from(encoded, 'base64url').toString();
  const [, seconds, hashId] = /^(\d{1,12})\.([^\0]+)(?:\0.+)?$/s.exec(claims) ?? [];
  if (seconds === undefined || hashId === undefined) return undefined;
  if (!timingSafeEqual(macOf(cipher, workspaceId, claims), Buffer.from(mac, 'base64url'))) return undefined;
  return { hashId, end: Number(seconds) * 1000 };
}

/** No identifier holds U+0000, so the parts cannot be divided in another way. */
const macOf = (cipher: Cipher, workspaceId: string, claims: string): Buffer =>
  cipher.mac('user token', `${workspaceId}\0${claims}`);
