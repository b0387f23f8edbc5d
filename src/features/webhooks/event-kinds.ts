import type { Output } from '../../cli/terminal/output.ts';
import { EVENT_KINDS } from '../../contract/schemas.ts';

/** Warns of event kinds that the specification does not have; they are sent as they are. */
export function warnOfUnknownKinds(kinds: readonly string[], out: Output): void {
  const unknown = kinds.filter((kind) => !(EVENT_KINDS as readonly string[]).includes(kind));
  if (unknown.length > 0)
    out.warn(
      `not a kind of the specification: ${unknown.join(', ')} (it has ${EVENT_KINDS.join(', ')}); sent as given`,
    );
}
