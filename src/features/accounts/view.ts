import { shell } from '../../kit/shell.ts';
import type { NewKey } from '../../service/admin/accounts.ts';

/** A new key as JSON. `apiKey` is what the ready line of `serve` calls the key. */
export const newKeyView = ({ keyId, key, kind, name, workspace }: NewKey) => ({
  keyId,
  key,
  apiKey: key,
  kind,
  name,
  workspace,
});

/** A new key as the lines that a shell can use. A publishable key is for an app and not for the commands of svc. */
export function newKeyText({ workspace, key, keyId, kind, name }: NewKey): string {
  const named = name === null ? '' : ` (${name})`;
  if (kind === 'publishable') return `${key}\nkey ${keyId} of ${workspace}${named}`;
  return `${shell`export SVC_WORKSPACE=${workspace} SVC_API_KEY=${key}`}\nkey ${keyId}${named}`;
}

/** Whether a key can be used at a time, in Unix ms. */
export function stateOf(endsAt: number | null, now: number): 'active' | 'ending' | 'revoked' {
  if (endsAt === null) return 'active';
  return endsAt > now ? 'ending' : 'revoked';
}
