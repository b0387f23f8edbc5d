import type { IncomingMessage } from 'node:http';
import type { Detail } from '../../contract/validation.ts';

/**
 * Headers that mean something to this service or to the framing of a request, and so may stand once only. Node's parser
 * refuses a second Content-Length, keeps one of some of the others and joins the rest; a proxy may choose differently.
 */
const ONCE: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'x-service-workspace',
  'idempotency-key',
  'last-event-id',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'expect',
]);

/**
 * What two readers of a request could understand differently, or undefined: a header given twice, a transfer encoding
 * that is passed over, an address that names another host than the Host header does.
 */
export function ambiguity(request: IncomingMessage): Detail | undefined {
  const { rawHeaders, headers, httpVersion, url = '' } = request;
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!ONCE.has(name)) continue;
    if (seen.has(name)) return { field: rawHeaders[i]!, message: 'is given more than once' };
    seen.add(name);
  }
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && (encoding.toLowerCase() !== 'chunked' || httpVersion === '1.0'))
    return { field: 'Transfer-Encoding', message: 'can only be chunked, in HTTP/1.1' };
  if (!url.startsWith('/') && headers.host !== undefined && !names(url, headers.host))
    return { field: 'Host', message: 'is not the host in the address of the request' };
  return undefined;
}

/** Whether an address in absolute form names this host; one in any other form names none. */
function names(address: string, host: string): boolean {
  if (!URL.canParse(address)) return true;
  const { protocol, host: named, username, password } = new URL(address);
  const same = `${protocol}//${host}/`;
  return URL.canParse(same) && new URL(same).host === named && username === '' && password === '';
}
