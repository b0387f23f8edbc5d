/** Where deliveries are passed on to: `[KIND=]URL`. */

export interface Route {
  /** Undefined takes every kind that no other route names. */
  readonly kind: string | undefined;
  readonly url: URL;
}

/** A route that cannot be used, in words for the user. */
export class RouteError extends Error {}

/**
 * Reads `--forward-to` values. A URL may leave out `http://`, and host too (`3000`, `:3000/path`, `localhost:3000`).
 * Throws RouteError on what is no URL, another scheme than http and https, and two routes for one kind.
 */
export function parseRoutes(values: readonly string[]): Route[] {
  const routes = values.map(parseRoute);
  const kinds = new Set<string | undefined>();
  for (const { kind } of routes) {
    if (kinds.has(kind)) {
      throw new RouteError(
        kind === undefined
          ? 'Two targets for the same deliveries: give at most one URL without a kind.'
          : `Two targets for ${kind}: give at most one URL for a kind.`,
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

/** Reads a handler's URL as people type it. Throws RouteError. `shown` is what the message quotes. */
export function parseTarget(text: string, shown = text): URL {
  const completed = /^:?\d+(\/|$)/.test(text)
    ? `http://127.0.0.1:${text.replace(/^:/, '')}`
    : /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
      ? text
      : `http://${text}`;
  let url: URL;
  try {
    url = new URL(completed);
  } catch {
    throw new RouteError(`"${shown}" is no URL to send to, such as http://localhost:3000/webhooks.`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new RouteError(`"${shown}" is neither http nor https.`);
  }
  url.hash = '';
  return url;
}

/** The route of a kind: the one that names it, else the one that takes the rest. */
export function routeFor(routes: readonly Route[], kind: string | undefined): Route | undefined {
  return (
    (kind === undefined ? undefined : routes.find((route) => route.kind === kind)) ??
    routes.find((route) => route.kind === undefined)
  );
}
