/**
 * A service that only answers: reads a request, sends 202. `node scripts/run.js bench/import-sink.ts [PORT]`.
 * The first line on stdout is its address; started by the import benches, or by hand.
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
