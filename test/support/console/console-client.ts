/** The two parts of the address that a console prints. */
export interface ConsoleAddress {
  readonly origin: string;
  readonly code: string;
}

/** Takes the address of a console apart. */
export function consoleAddress(url: string): ConsoleAddress {
  const [, origin, code] = /^(http:\/\/127\.0\.0\.1:\d+)\/#code=([\w-]+)$/.exec(url)!;
  return { origin: origin!, code: code! };
}

/** Exchanges a code; undefined if it is not good. */
export async function tokenOf({ origin, code }: ConsoleAddress): Promise<string | undefined> {
  const answer = await fetch(`${origin}/console/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  return ((await answer.json()) as { token?: string }).token;
}

/** Sends a request with a token, as the page does: a GET, or with a body a PUT. */
export async function askConsole(origin: string, token: string, path: string, body?: unknown) {
  const answer = await fetch(origin + path, {
    headers: { 'x-console-token': token, origin, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'PUT', body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
