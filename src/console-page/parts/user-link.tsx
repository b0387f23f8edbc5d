import type { VNode } from 'preact';
import { Id } from './text.tsx';

/** Where a user is shown. */
export const userPath = (hashId: string): string => `/users/${encodeURIComponent(hashId)}`;

/** A user by the beginning of the hashId, which leads to the user; `erased` for one who was. */
export function UserLink({ of }: { of: string | null | undefined }): VNode {
  if (!of) return <>erased</>;
  return (
    <a href={userPath(of)}>
      <Id of={of} short={8} />
    </a>
  );
}
