import type { IncomingMessage } from 'node:http';
import type { Detail } from '../../contract/validation.ts';
import { isHostHeader } from '../../kit/http/host-header.ts';

/**
 * Headers that this service or the framing of a request depends on, and that may occur only once. Node's parser rejects
 * a second Content-Length, keeps one of some others and joins the rest; a proxy may do it differently.
 */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'x-service-workspace',
  'x-service-user-token',
  'origin',
  'idempotency-key',
  'last-event-id',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'expect',
]);

/**
 * Finds what a proxy could interpret differently from this service: a repeated header, a transfer encoding other than
 * chunked, a Host header that is not a host, or a request target whose host differs from it. Returns undefined for a clear
 * request.
 */
export function ambiguity(request: IncomingMessage): Detail | undefined {
  const { rawHeaders, headers, httpVersion, url = '' } = request;
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) return { field: rawHeaders[i]!, message: 'is given more than once' };
    seen.add(name);
  }
  if (headers.host !== undefined && !isHostHeader(headers.host))
    return { field: 'Host', message: 'is not a host, with or without a port' };
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && (encoding.toLowerCase() !== 'chunked' || httpVersion === '1.0'))
    return { field: 'Transfer-Encoding', message: 'can only be chunked, in HTTP/1.1' };
  if (!url.startsWith('/') && headers.host !== undefined && !hasHost(url, headers.host))
    return { field: 'Host', message: 'does not match the host in the URL of the request' };
  return undefined;
}

/** True if the target is a URL of this host, or no URL at all. */
function hasHost(address: string, host: string): boolean {
  if (!URL.canParse(address)) return true;
  const { protocol, host: actual, username, password } = new URL(address);
  const expected = `${protocol}//${host}/`;
  return URL.canParse(expected) && new URL(expected).host === actual && username === '' && password === '';
}
