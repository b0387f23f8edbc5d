/**
 * A server that responds 202 to every request: `node scripts/run.js bench/import-sink.ts [PORT]`.
 * The first line on stdout is its address. Started by the import benchmarks.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(202, { 'content-type': 'application/json' });
    response.end('{"accepted":1000,"requestId":"sink"}');
  });
});
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
