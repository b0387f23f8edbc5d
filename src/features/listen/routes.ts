/** Routes that select the target of a forwarded delivery: `[KIND=]URL`. */

export interface Route {
  /** Undefined matches every kind that has no other route. */
  readonly kind: string | undefined;
  readonly url: URL;
}

/** An invalid route or URL, with a message for the user. */
export class RouteError extends Error {}

/**
 * Parses `--forward-to` values. A URL may omit `http://` and the host (`3000`, `:3000/path`, `localhost:3000`).
 * Throws RouteError for an invalid URL, a scheme other than http and https, and two routes for one kind.
 */
export function parseRoutes(values: readonly string[]): Route[] {
  const routes = values.map(parseRoute);
  const kinds = new Set<string | undefined>();
  for (const { kind } of routes) {
    if (kinds.has(kind)) {
      throw new RouteError(
        kind === undefined
          ? 'two targets without a kind: give at most one URL without a kind'
          : `two targets for ${kind}: give at most one URL for each kind`,
      );
    }
    kinds.add(kind);
  }
  return routes;
}

function parseRoute(value: string): Route {
  const [, kind, target] = /^(?:([A-Za-z][\w.-]*)=)?(.*)$/s.exec(value) as unknown as [
    string,
    string?,
    string?,
  ];
  return { kind, url: parseTarget(target ?? '', value) };
}

/**
 * Parses the URL of a handler, which may omit the scheme and the host. Throws RouteError.
 * @param quoted text for the error message
 */
export function parseTarget(text: string, quoted = text): URL {
  const completed = /^:?\d+(\/|$)/.test(text)
    ? `http://127.0.0.1:${text.replace(/^:/, '')}`
    : /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
      ? text
      : `http://${text}`;
  let url: URL;
  try {
    url = new URL(completed);
  } catch {
    throw new RouteError(`"${quoted}" is not a valid URL`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new RouteError(`"${quoted}" is not an http or https URL`);
  }
  url.hash = '';
  return url;
}

/** Returns the route that names the kind, else the route without a kind. */
export function routeFor(routes: readonly Route[], kind: string | undefined): Route | undefined {
  return (
    (kind === undefined ? undefined : routes.find((route) => route.kind === kind)) ??
    routes.find((route) => route.kind === undefined)
  );
}
