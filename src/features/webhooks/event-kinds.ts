import { SvcError } from '../../cli/errors/svc-error.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { ApiError } from '../../client/errors.ts';
import { EVENT_KINDS } from '../../contract/event-kind-names.ts';
import { TAP_KINDS } from '../../contract/event-kinds.ts';

/**
 * The different kinds that --event was given, with `*` for those of the specification; undefined for `*` alone, which is also its
 * default.
 */
export function kindsIn(values: readonly string[] | undefined): string[] | undefined {
  if (!values?.some((kind) => kind !== '*')) return undefined;
  return [...new Set(values.flatMap((kind) => (kind === '*' ? TAP_KINDS : [kind])))];
}

/** Warns about event kinds that are not in the specification; they are sent unchanged. */
export function warnOfUnknownKinds(kinds: readonly string[], out: Output): void {
  const unknown = unknownOf(kinds);
  if (unknown.length > 0)
    out.warn(
      `unknown event kind: ${unknown.join(', ')} (known kinds: ${EVENT_KINDS.join(', ')}); sent unchanged`,
    );
}

/** Awaits a call with event kinds. Throws usage with the flag if the service refuses kinds that svc does not know either. */
export async function orUnknownKinds<T>(kinds: readonly string[], call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const unknown = unknownOf(kinds);
    const refused =
      error instanceof ApiError &&
      error.status === 400 &&
      error.details.some(({ field }) => /^events\b/.test(field));
    if (!refused || unknown.length === 0) throw error;
    throw new SvcError('usage', `--event ${unknown.join(', ')}: the service has no such kind of event`, {
      hint: `use ${EVENT_KINDS.join(', ')}, or '*' for ${TAP_KINDS.join(', ')}`,
      requestId: error.requestId,
      cause: error,
    });
  }
}

function unknownOf(kinds: readonly string[]): string[] {
  return kinds.filter((kind) => !(EVENT_KINDS as readonly string[]).includes(kind));
}
