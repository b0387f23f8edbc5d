import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

/** What the guard reads of a request. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'headers' | 'rawHeaders'>;

/** The target of a request that passed the guard. */
export interface Target {
  readonly method: Method;
  /** The segments of the path, decoded: `/api/v1/users` is `api`, `v1`, `users`. Empty for `/`. */
  readonly segments: readonly string[];
  /** The query without its question mark, as it was sent. */
  readonly query: string;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

/** Characters of a longer target are not needed by any view or operation. */
const MAX_TARGET = 8 * 1024;
/** What a path may hold as it is (RFC 3986, 3.3), and percent-encoded bytes. */
const PATH = /^(?:\/(?:[\w.~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)+$/;
const QUERY = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/;
/** Characters that encodeURIComponent leaves: an encoded one is a trick. */
const NEEDS_NO_ENCODING = /^[\w.~!'()*-]$/;
/** Headers that decide about a request must not be given twice: a browser never does. */
const SINGLE: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'sec-fetch-site',
  'sec-fetch-dest',
  'x-console-token',
  'content-type',
  'content-length',
  'transfer-encoding',
]);

/**
 * Checks that a request may come from the page that this console serves, or from a person who opens the page: its target,
 * its host against rebinding, its origin and its fetch metadata against other pages (Fetch Metadata Request Headers).
 * `port` is the port of the listener. Returns the target. Throws Refusal.
 */
export function checkedTarget(request: RequestHead, port: number): Target {
  const { httpVersion, headers, rawHeaders } = request;
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (SINGLE.has(name) && seen.has(name))
      throw new Refusal(400, 'invalid_request', `The header ${name} is given more than once.`);
    seen.add(name);
  }
  const host = headers.host?.toLowerCase();
  if (host === undefined || !HOSTS.some((name) => host === `${name}:${port}`))
    throw new Refusal(421, 'misdirected', 'This console answers only under the address that it printed.');
  if (httpVersion !== '1.1') throw new Refusal(505, 'invalid_request', 'The console speaks HTTP/1.1.');
  const target = targetOf(request.method ?? '', request.url ?? '');
  checkOrigin(target, headers, `http://${host}`);
  return target;
}

/** The names under which the listener is reached. */
const HOSTS = ['127.0.0.1', '[::1]', 'localhost'] as const;

function targetOf(method: string, url: string): Target {
  if (!METHODS.includes(method as Method))
    throw new Refusal(405, 'method_not_allowed', 'Method not allowed.');
  if (url.length > MAX_TARGET) throw new Refusal(414, 'invalid_request', 'The address is too long.');
  const [, path = '', query = ''] = /^([^?]*)(?:\?(.*))?$/s.exec(url)!;
  if (!PATH.test(path) || !QUERY.test(query)) throw invalidAddress();
  if (path === '/') return { method: method as Method, segments: [], query };
  return { method: method as Method, segments: path.slice(1).split('/').map(decodedSegment), query };
}

/** Decodes a segment of a path. Refuses what a server behind could read as another path. */
function decodedSegment(segment: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    throw invalidAddress();
  }
  const encoded = segment.match(/%[0-9A-Fa-f]{2}/g) ?? [];
  const trick = encoded.some((code) =>
    NEEDS_NO_ENCODING.test(String.fromCharCode(Number(`0x${code.slice(1)}`))),
  );
  if (trick || decoded === '' || /^\.{1,2}$/.test(decoded) || /[/\\\p{Cc}]/u.test(decoded))
    throw invalidAddress();
  return decoded;
}

const invalidAddress = () => new Refusal(400, 'invalid_request', 'The address is not valid.');

/** Refuses requests that another page, another port or a frame has sent. */
function checkOrigin({ method, segments }: Target, headers: RequestHead['headers'], own: string): void {
  const { origin } = headers;
  const [site, dest] = [headers['sec-fetch-site'], headers['sec-fetch-dest']];
  const foreign = new Refusal(403, 'foreign_origin', 'Only the page of this console may send this request.');
  // Browsers name the origin of every request that is not a GET.
  if (origin === undefined ? method !== 'GET' : origin !== own) throw foreign;
  if (site === undefined || site === 'same-origin') return;
  // A person may open the page from anywhere: it holds no data. It is not shown in a frame.
  const opensPage = method === 'GET' && origin === undefined && dest === 'document' && isPage(segments);
  if (!opensPage) throw foreign;
}

/** True for the addresses of the page, as opposed to those of data and of its parts. */
export function isPage([first]: readonly string[]): boolean {
  return first !== 'api' && first !== 'console' && first !== 'assets';
}
