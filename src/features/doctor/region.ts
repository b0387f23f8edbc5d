import { SvcError } from '../../cli/errors/svc-error.ts';
import { giveSetting, type Origin } from '../../cli/invocation/origin.ts';
import { HEADERS } from '../../contract/headers.ts';
import { type Check, fail, ok, skipped } from './check.ts';

/** The region that should answer calls. */
export interface Expected {
  readonly region: string;
  readonly origin: Origin;
  /** The source of the base URL. */
  readonly addressOrigin: Origin;
  /** Returns the base URL of another profile for the same region. */
  readonly otherAddress: () => string | undefined;
}

/** Specification: a call to a mismatched region falls back to the global endpoint and is slower. */
export function checkRegion(
  { headers, tookMs }: { readonly headers: Readonly<Record<string, string>>; readonly tookMs: number },
  expected: Expected | undefined,
): Check {
  const actual = headers[HEADERS.region];
  if (actual === undefined)
    return expected === undefined
      ? skipped('region', 'neither the service nor the profile names a region')
      : skipped('region', `expected ${expected.region}; the service does not report its region`);
  if (expected === undefined)
    return ok(
      'region',
      `answered from ${actual}; no region is expected (add --region to the profile to check it)`,
    );
  if (actual === expected.region) return ok('region', `answered from ${actual}, as expected`);
  const fallback = actual === 'global' ? ', the slower fallback for a workspace of another region' : '';
  return fail(
    'region',
    new SvcError(
      'not_configured',
      `answered from ${actual}${fallback}, not from ${expected.region} (${Math.round(tookMs)} ms)`,
      { hint: regionHint(actual, expected) },
    ),
  );
}

/** Suggests a correction of the expected region and one of the address. Both keep the key. */
function regionHint(actual: string, { region, origin, addressOrigin, otherAddress }: Expected): string {
  const known = otherAddress();
  const move =
    known === undefined
      ? `ask the operator of the service for its address: ${giveSetting('base-url', 'URL', addressOrigin)}`
      : giveSetting('base-url', known, addressOrigin);
  return `if ${actual} is correct: ${giveSetting('region', actual, origin)}\nif ${region} is correct: ${move}`;
}
