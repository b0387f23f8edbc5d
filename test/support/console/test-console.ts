import { request } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { insideBackend } from '../../../src/features/console-server/backend.ts';
import { insideParts } from '../../../src/features/console-server/inside.ts';
import { importsOf } from '../../../src/features/console-server/machine.ts';
import { allowedOperations } from '../../../src/features/console-server/operations.ts';
import { type OwnParts, ownEndpoints } from '../../../src/features/console-server/own.ts';
import {
  type ConsoleParts,
  type ConsoleServer,
  serveConsole,
} from '../../../src/features/console-server/server.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import type { RunningService } from '../../../src/service/running-service.ts';
import { tempDir } from '../temp.ts';

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A console before a service, for tests of its listener without a browser. */
export interface TestConsole extends ConsoleServer {
  readonly origin: string;
  readonly token: string;
  /** A request as the page would send it; `headers` replace those of the page, undefined removes one. */
  ask(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string | undefined> },
  ): Promise<Answered>;
  /** Sends bytes to the listener and resolves with all that comes back. */
  raw(text: string): Promise<string>;
}

const PAGE = {
  page: { type: 'text/html; charset=utf-8', body: Buffer.from('<!doctype html><title>console</title>') },
  files: new Map([['console.js', { type: 'text/javascript; charset=utf-8', body: Buffer.from('1') }]]),
};

/** Serves a console before a service in this process. */
export async function startTestConsole(
  service: RunningService,
  { write = true, ...parts }: Partial<ConsoleParts> = {},
): Promise<TestConsole> {
  const about: OwnParts['about'] = {
    version: '0.0.0',
    profile: 'local',
    baseUrl: '',
    local: true,
    write,
    workspace: { id: service.workspace, mode: null, region: null },
    store: null,
    operations: allowedOperations(write),
    commandPrefix: 'svc',
    commandSuffix: '',
    machine: true,
  };
  const server = await serveConsole(
    {
      backend: insideBackend(service.answer),
      own: ownEndpoints({
        ...insideParts(service, '0.0.0'),
        about,
        imports: importsOf(tempDir()),
      }),
      assets: PAGE,
      write,
      clock: systemClock,
      log: () => {},
      ...parts,
    },
    0,
  );
  onTestFinished(() => server.close());
  const origin = `http://127.0.0.1:${server.port}`;
  const { token } = server.sessions.exchange(server.sessions.newCode()) as { token: string };
  return {
    ...server,
    origin,
    token,
    ask: (method, path, { body, headers = {} } = {}) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const all = {
        host: `127.0.0.1:${server.port}`,
        origin: method === 'GET' ? undefined : origin,
        'sec-fetch-site': 'same-origin',
        'x-console-token': token,
        'content-type': text === undefined ? undefined : 'application/json',
        'content-length': text === undefined ? undefined : String(Buffer.byteLength(text)),
        connection: 'close',
        ...headers,
      };
      return exchange(server.port, method, path, withoutUndefined(all), text);
    },
    raw: (text) => sendRaw(server.port, text),
  };
}

const withoutUndefined = (headers: Record<string, string | undefined>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

function exchange(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string | undefined,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, setHost: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
    socket.write(text);
  });
}
