import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { isAlive } from '../../kit/files/is-alive.ts';
import { writePrivateFile } from '../../kit/files/private-file.ts';
import { removeOpener } from './open.ts';
import { Refusal } from './refusal.ts';
import type { Sessions } from './sessions.ts';

/** What a running console leaves for another `svc console` of the same user: mode 0600, without anything of the service. */
interface Handover {
  readonly pid: number;
  readonly port: number;
  /** Proves both sides to each other; it is never sent. */
  readonly secret: string;
}

/** Bytes of the answer that are read. */
const MAX_ANSWER = 16 * 1024;
/** How long a running console may take to answer, in ms. */
const TIMEOUT_MS = 3_000;

/** Returns the name of what a console shows: only a console of the same name hands out a code. The parts stay secret. */
export function scopeOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

const fileOf = (folder: string, scope: string) => join(folder, `${scope}.json`);

/** Leaves a file for each scope of a console that runs on `port`. */
export function offerHandover(folder: string, scopes: readonly string[], port: number) {
  const secret = randomBytes(32).toString('hex');
  const handover: Handover = { pid: process.pid, port, secret };
  for (const scope of scopes) writePrivateFile(fileOf(folder, scope), JSON.stringify(handover));
  return {
    /** Answers a request for a code. Throws Refusal unless it knows the secret. */
    answer(body: unknown, sessions: Sessions): { code: string; proof: string } {
      const { nonce, scope, proof, opener } = (body ?? {}) as Record<string, unknown>;
      const known =
        typeof nonce === 'string' &&
        typeof scope === 'string' &&
        scopes.includes(scope) &&
        typeof proof === 'string' &&
        sameText(proof, proofOf(secret, 'ask', scope, nonce));
      if (!known) throw new Refusal(403, 'forbidden', 'This console shows something else.');
      const code = sessions.newCode(() => {
        if (typeof opener === 'string') removeOpener(folder, opener);
      });
      return { code, proof: proofOf(secret, 'code', code, nonce) };
    },
    /** Removes the files, unless another console has replaced them. */
    close(): void {
      for (const scope of scopes)
        if (readHandover(folder, scope)?.secret === secret) rmSync(fileOf(folder, scope), { force: true });
    },
  };
}

/**
 * Asks the console that runs for this scope for a code. `opener` names the file that the console removes once the code is
 * used. With `wanted`, only a console on this port is asked. Resolves with undefined if there is none: its file is
 * missing, its process is dead, or the process at its port does not know the secret.
 */
export async function askForCode(
  folder: string,
  scope: string,
  opener: string | undefined,
  wanted?: number,
): Promise<{ readonly port: number; readonly code: string } | undefined> {
  const running = readHandover(folder, scope);
  if (!running || !isAlive(running.pid)) return undefined;
  if (wanted !== undefined && wanted !== running.port) return undefined;
  const { port, secret } = running;
  const nonce = randomBytes(16).toString('hex');
  const body = JSON.stringify({ nonce, scope, proof: proofOf(secret, 'ask', scope, nonce), opener });
  const answer = await post(port, '/console/codes', body).catch(() => undefined);
  if (answer === undefined) return undefined;
  let answered: Record<string, unknown>;
  try {
    answered = (JSON.parse(answer) ?? {}) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const { code, proof } = answered;
  if (typeof code !== 'string' || !/^[\w-]{1,64}$/.test(code) || typeof proof !== 'string') return undefined;
  return sameText(proof, proofOf(secret, 'code', code, nonce)) ? { port, code } : undefined;
}

function readHandover(folder: string, scope: string): Handover | undefined {
  try {
    const { pid, port, secret } = JSON.parse(
      readFileSync(fileOf(folder, scope), 'utf8'),
    ) as Partial<Handover>;
    if (!Number.isSafeInteger(pid) || pid! <= 0 || typeof secret !== 'string') return undefined;
    if (!Number.isSafeInteger(port) || port! <= 0 || port! > 65_535) return undefined;
    return { pid: pid!, port: port!, secret };
  } catch {
    return undefined;
  }
}

function proofOf(secret: string, ...parts: readonly string[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex');
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function post(port: number, path: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        timeout: TIMEOUT_MS,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          origin: `http://127.0.0.1:${port}`,
          connection: 'close',
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          if (text.length > MAX_ANSWER) sent.destroy(new Error('the answer is too long'));
        });
        response.on('end', () =>
          response.statusCode === 200 ? resolve(text) : reject(new Error('refused')),
        );
        response.on('error', reject);
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', reject);
    sent.end(body);
  });
}
