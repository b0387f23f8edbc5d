import { spawn } from 'node:child_process';
import type { Served } from '../process/served.ts';

/** One request of the bystander: when it was sent (Unix ms), its duration and its status. */
export type Waited = readonly [at: number, ms: number, status: number];

/** Sends one request after another over one connection. A separate process, because the test's process is busy. */
const PROGRAM = `
const { Agent, request } = require('node:http');
const { url, headers, body } = JSON.parse(process.argv[1]);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const ask = () => new Promise((resolve, reject) => {
  const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
    answer.resume().on('end', () => resolve(answer.statusCode));
  });
  sent.on('error', reject).end(body);
});
const waited = [];
let over = false;
process.stdin.on('end', () => { over = true; }).resume();
(async () => {
  while (!over) {
    const at = Date.now();
    const began = performance.now();
    const status = await ask();
    waited.push([at, performance.now() - began, status]);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  process.stdout.write(JSON.stringify(waited));
})();
`;

/** Starts a process that requests decisions in a loop. `stop` returns the duration of each. */
export function bystander(service: Served, hashId: string): { stop(): Promise<Waited[]> } {
  const order = {
    url: `${service.url}/v1/decisioning/decide`,
    headers: {
      authorization: `Bearer ${service.apiKey}`,
      'x-service-workspace': service.workspace,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ hashId }),
  };
  const child = spawn(process.execPath, ['-e', PROGRAM, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  return {
    stop: async () => {
      child.stdin.end();
      await ended;
      return JSON.parse(text);
    },
  };
}
