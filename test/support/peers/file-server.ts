import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A web server with one file, whose faults a test can set at any time. */
export interface FileServer {
  readonly url: string;
  content: Buffer;
  etag: string | undefined;
  contentType: string | undefined;
  /** The server knows Range. */
  ranges: boolean;
  /** How many answers end in the middle, each after this many bytes of its body. */
  drops: number;
  dropAfter: number;
  /** Answers wait after `dropAfter` bytes. */
  waits: boolean;
  /** Answers with this instead. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** The headers of the requests so far. */
  readonly requests: IncomingHttpHeaders[];
  /** Bytes of bodies that were sent. */
  sent: number;
}

/** Starts a server that ends with the test. */
export async function startFileServer(content: Buffer, path = '/events.ndjson'): Promise<FileServer> {
  const http = createServer((request, response) => {
    server.requests.push(request.headers);
    if (server.answer) return server.answer(request, response);
    const { etag, content: all } = server;
    const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
    if (etag !== undefined && ifNoneMatch === etag) return response.writeHead(304, { etag }).end();
    const asked = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    const from = server.ranges && asked > 0 && ifRange === etag ? asked : 0;
    const body = all.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': body.length,
      ...(etag === undefined ? {} : { etag }),
      ...(server.contentType === undefined ? {} : { 'content-type': server.contentType }),
      ...(from > 0 ? { 'content-range': `bytes ${from}-${all.length - 1}/${all.length}` } : {}),
    });
    const drops = server.drops > 0 && server.drops--;
    const part = drops || server.waits ? body.subarray(0, server.dropAfter) : body;
    server.sent += part.length;
    response.write(part, () => {
      if (drops) response.socket!.end();
      else if (!server.waits) response.end();
    });
  });
  const server: FileServer = {
    url: '',
    content,
    etag: '"1"',
    contentType: undefined,
    ranges: true,
    drops: 0,
    dropAfter: 0,
    waits: false,
    answer: undefined,
    requests: [],
    sent: 0,
  };
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return Object.assign(server, { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}${path}` });
}
