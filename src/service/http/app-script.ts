import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Context } from 'hono';
import { isKnown } from './etag.ts';

/** The script of web pages without a bundler, as it is served. */
interface AppScript {
  /** The paths at which it is served: by its name, and by its hash. */
  readonly paths: readonly string[];
  /** `now`, Unix ms, is told to apps, which correct their clock by it. */
  answer(c: Context, now: number): Response;
}

/** How long a browser may use the script by its name without asking, in seconds; by its hash, a year. */
const BY_NAME = 'public, max-age=300';
const BY_HASH = 'public, max-age=31536000, immutable';

/**
 * Reads the script that the build made; undefined where it was not built. It is public, so that any page may load it, and
 * check it by its hash (SRI), which needs CORS.
 */
export function readAppScript(file: string): AppScript | undefined {
  if (!existsSync(file)) return undefined;
  const body = readFileSync(file);
  const hash = createHash('sha384').update(body).digest('hex').slice(0, 16);
  const etag = `"${hash}"`;
  const hashed = `/v1/app-${hash}.js`;
  return {
    paths: ['/v1/app.js', hashed],
    answer: (c, now) => {
      const headers = {
        etag,
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': c.req.path === hashed ? BY_HASH : BY_NAME,
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'date',
        date: new Date(now).toUTCString(),
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      };
      return isKnown(c.req.header('if-none-match'), etag)
        ? new Response(null, { status: 304, headers })
        : new Response(body, { headers });
    },
  };
}
