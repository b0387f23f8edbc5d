import { shell } from '../../kit/shell.ts';

/** A new key as the lines that a shell can use. A publishable key is for an app and not for the commands of svc. */
export function newKeyText({
  workspace,
  key,
  keyId,
  kind,
}: {
  workspace: string;
  key: string;
  keyId: string;
  kind: string;
}): string {
  if (kind === 'publishable') return `${key}\nkey ${keyId} of ${workspace}`;
  return `${shell`export SVC_WORKSPACE=${workspace} SVC_API_KEY=${key}`}\nkey ${keyId}`;
}

/** Whether a key can be used at a time, in Unix ms. */
export function stateOf(endsAt: number | null, now: number): 'active' | 'ending' | 'revoked' {
  if (endsAt === null) return 'active';
  return endsAt > now ? 'ending' : 'revoked';
}
