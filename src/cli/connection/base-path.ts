import { giveSetting, type Origin } from '../invocation/origin.ts';

/** Returns the warning for a base URL that ends in /v1; undefined for any other URL. */
export function repeatedVersion(baseUrl: string, origin: Origin): string | undefined {
  const right = withoutVersion(baseUrl);
  if (right === undefined) return undefined;
  return `the base URL ${baseUrl} ends in /v1, which svc adds itself; without it: ${giveSetting('base-url', right, origin)}`;
}

/** Returns the hint for a base URL whose path may be wrong; undefined where it has no path. */
export function withoutPath(baseUrl: string, origin: Origin): string | undefined {
  const { pathname, origin: root } = new URL(baseUrl);
  if (pathname === '/') return undefined;
  const right = withoutVersion(baseUrl) ?? root;
  return `svc adds /v1/… to the base URL; if ${pathname} is too much there: ${giveSetting('base-url', right, origin)}`;
}

function withoutVersion(baseUrl: string): string | undefined {
  return /^(.*)\/v1\/*$/.exec(baseUrl)?.[1];
}
