import type { VNode } from 'preact';
import { Text } from '../../parts/text.tsx';

/** An error, and where in the entry it is: `repeat.cooldownMinutes`. */
export interface FieldIssue {
  readonly path: string;
  readonly message: string;
}

/** What the schema says of a member, in which values stand between backquotes. */
export function Hint({ of, id }: { of: string | undefined; id?: string }): VNode | null {
  if (!of) return null;
  return (
    <p class="note" id={id}>
      {of.split('`').map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))}
    </p>
  );
}

/** The errors of a member; `only` those that are at it, not at what it holds. */
export function Issues(props: {
  of: readonly FieldIssue[];
  at: string;
  id?: string;
  only?: boolean;
}): VNode | null {
  const { at, id, only = false } = props;
  const own = props.of.filter(({ path }) => (only ? path === at : within(path, at)));
  if (own.length === 0) return null;
  return (
    <p class="issue" id={id}>
      {own.map(({ path, message }) => (
        <span>
          {path !== at && <code>{path}</code>} <Text of={message} />
        </span>
      ))}
    </p>
  );
}

/** True if an error is at a field or in what it holds. */
export const within = (issue: string, path: string) =>
  issue === path || issue.startsWith(`${path}.`) || issue.startsWith(`${path}[`);
