import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';

/** A request as it arrived. */
export interface VendorRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface VendorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Vendor {
  readonly url: string;
  /** The requests that its documentation allows, in order. */
  readonly requests: VendorRequest[];
  /** What the next requests get instead of a success, in order; `hang` is never answered. */
  readonly answers: (VendorAnswer | 'hang')[];
}

/**
 * A stand-in for a vendor's API, written from its public documentation. `check` says what the documentation does not
 * allow; such a request gets a 400 and fails the test. `accept` makes the documented success.
 */
export async function startVendor(
  check: (request: VendorRequest) => string | undefined,
  accept: (request: VendorRequest) => VendorAnswer,
): Promise<Vendor> {
  const requests: VendorRequest[] = [];
  const answers: (VendorAnswer | 'hang')[] = [];
  const faults: string[] = [];
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const request: VendorRequest = {
      method: message.method!,
      path: message.url!,
      headers: message.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString(),
    };
    const fault = check(request);
    if (fault) faults.push(`${request.method} ${request.path}: ${fault}`);
    else requests.push(request);
    const answer = fault ? { status: 400, body: fault } : (answers.shift() ?? accept(request));
    if (answer === 'hang') return;
    response.writeHead(answer.status, answer.headers ?? {});
    response.end(answer.body ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    expect(faults, 'requests that the documentation of the vendor does not allow').toEqual([]);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, answers };
}

/** Describes a JSON value: a pattern for a string, an object whose names end in `?` where optional, a list of one shape. */
export type Shape = RegExp | readonly [Shape] | { readonly [name: string]: Shape };

/** What of a value does not have the shape; undefined if it does. */
export function misfit(value: unknown, shape: Shape, at = 'body'): string | undefined {
  if (shape instanceof RegExp)
    return typeof value === 'string' && shape.test(value) ? undefined : `${at} is ${JSON.stringify(value)}`;
  if (Array.isArray(shape)) {
    if (!Array.isArray(value) || value.length === 0) return `${at} is not a list`;
    return value.map((item, i) => misfit(item, shape[0], `${at}[${i}]`)).find((text) => text !== undefined);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${at} is not an object`;
  const fields = Object.entries(shape as Record<string, Shape>);
  const names = fields.map(([name]) => name.replace(/\?$/, ''));
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) return `${at}.${unknown} is not documented`;
  for (const [key, inner] of fields) {
    const name = key.replace(/\?$/, '');
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined && key.endsWith('?')) continue;
    const fault = misfit(member, inner, `${at}.${name}`);
    if (fault) return fault;
  }
  return undefined;
}

export const json = (status: number, value: unknown, headers: Record<string, string> = {}): VendorAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});
