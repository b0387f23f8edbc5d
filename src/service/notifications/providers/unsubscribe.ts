import type { Cipher } from '../../platform/crypto/cipher.ts';

/** Where a mail program unsubscribes with one click (RFC 8058), below the public address of the service. */
export const UNSUBSCRIBE_PATH = '/v1/inform/unsubscribe';

/** What a link unsubscribes from: marketing by e-mail, of one category or of all. */
export interface UnsubscribeTarget {
  readonly workspaceId: string;
  readonly hashId: string;
  readonly category: string | null;
}

const ASSOCIATED_DATA = 'unsubscribe';

/** The link of one e-mail: sealed, so that nobody can make one or read the user from it. */
export function unsubscribeUrl(
  cipher: Cipher,
  publicUrl: string,
  { workspaceId, hashId, category }: UnsubscribeTarget,
): string {
  const token = cipher.seal(JSON.stringify([workspaceId, hashId, category]), ASSOCIATED_DATA);
  return `${publicUrl}${UNSUBSCRIBE_PATH}/${token.toString('base64url')}`;
}

/** What a link of this service unsubscribes from; undefined for any other text. */
export function unsubscribeTarget(cipher: Cipher, token: string): UnsubscribeTarget | undefined {
  let text: string;
  try {
    text = cipher.open(Buffer.from(token, 'base64url'), ASSOCIATED_DATA);
  } catch (error) {
    if (!cipher.usable) throw error;
    return undefined;
  }
  const [workspaceId, hashId, category] = JSON.parse(text) as [string, string, string | null];
  return { workspaceId, hashId, category };
}

/** The headers of an e-mail with such a link. */
export const unsubscribeHeaders = (url: string): Record<string, string> => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});
