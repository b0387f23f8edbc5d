import { SvcError } from '../../cli/errors/svc-error.ts';
import { giveSetting, type Origin } from '../../cli/invocation/origin.ts';
import { HEADERS } from '../../contract/headers.ts';
import { type Check, fail, ok, skipped } from './check.ts';

/** The region that calls should be answered from. */
export interface Expected {
  readonly region: string;
  readonly origin: Origin;
  /** Where the base URL came from. */
  readonly address: Origin;
  /** A base URL that another profile has for that region. */
  readonly elsewhere: () => string | undefined;
}

/** Specification: a call to a mismatched region falls back to the global endpoint and is slower. */
export function checkRegion(
  { headers, tookMs }: { readonly headers: Readonly<Record<string, string>>; readonly tookMs: number },
  expected: Expected | undefined,
): Check {
  const actual = headers[HEADERS.region];
  if (actual === undefined)
    return expected === undefined
      ? skipped('region', 'neither the service nor the profile names one')
      : skipped('region', `expected ${expected.region}; the service does not say where it answered`);
  if (expected === undefined)
    return ok(
      'region',
      `answered from ${actual}; nothing else is expected (add --region to the profile to be warned)`,
    );
  if (actual === expected.region) return ok('region', `answered from ${actual}, as expected`);
  const fallback = actual === 'global' ? ', the slower fallback for a workspace of another region' : '';
  return fail(
    'region',
    new SvcError(
      'not_configured',
      `answered from ${actual}${fallback}, not from ${expected.region} (${Math.round(tookMs)} ms)`,
      { hint: waysOut(actual, expected) },
    ),
  );
}

/** Either what is expected is wrong, or the address is. A key is kept in either case, so none is given here. */
function waysOut(actual: string, { region, origin, address, elsewhere }: Expected): string {
  const known = elsewhere();
  const move =
    known === undefined
      ? `ask the operator of the service for its address: ${giveSetting('base-url', 'URL', address)}`
      : giveSetting('base-url', known, address);
  return `if ${actual} is right: ${giveSetting('region', actual, origin)}\nif ${region} is right: ${move}`;
}
