import type { Output } from '../../cli/terminal/output.ts';
import { EVENT_KINDS } from '../../contract/schemas.ts';

/** Warns about event kinds that are not in the specification; they are sent unchanged. */
export function warnOfUnknownKinds(kinds: readonly string[], out: Output): void {
  const unknown = kinds.filter((kind) => !(EVENT_KINDS as readonly string[]).includes(kind));
  if (unknown.length > 0)
    out.warn(
      `unknown event kind: ${unknown.join(', ')} (known kinds: ${EVENT_KINDS.join(', ')}); sent unchanged`,
    );
}
