import { createHmac } from 'node:crypto';

/**
 * Computes the hashed identifier of a user: lowercase hex HMAC-SHA-256 (RFC 2104) of the UTF-8 bytes of `userId` with
 * the random key of the workspace. Stable, not reversible, and different in every workspace.
 */
export function hashId(workspaceKey: Uint8Array, userId: string): string {
  return createHmac('sha256', workspaceKey).update(userId, 'utf8').digest('hex');
}

/** Whether a text has the form of a hashId. */
export const isHashId = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
