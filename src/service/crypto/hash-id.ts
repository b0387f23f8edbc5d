import { createHmac } from 'node:crypto';

/**
 * The hashed identifier of a user: lowercase hex HMAC-SHA-256 (RFC 2104) of the UTF-8 bytes of `userId` under the
 * workspace's own random key. Stable, not reversible, not linkable from one workspace to another.
 */
export function hashId(workspaceKey: Uint8Array, userId: string): string {
  return createHmac('sha256', workspaceKey).update(userId, 'utf8').digest('hex');
}
