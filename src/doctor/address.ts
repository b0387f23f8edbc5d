import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { SvcError } from '../cli/errors.ts';
import { type Check, fail, ok, skipped, warn } from './check.ts';

const CONNECT_MS = 5000;
/** A certificate that ends within this many days is worth a word. */
const SOON_DAYS = 14;

/** Name, connection and certificate of a base URL. Sends no request, so it costs nothing. `now` is in Unix ms. */
export async function checkReach(
  baseUrl: string,
  now: number,
): Promise<{ checks: Check[]; reached: boolean }> {
  const url = new URL(baseUrl);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'https:';
  const port = Number(url.port || (secure ? 443 : 80));
  const start = performance.now();
  try {
    const addresses = isIP(host) ? [host] : (await lookup(host, { all: true })).map(({ address }) => address);
    await reach(
      () => connectTcp({ host, port }),
      'connect',
      () => undefined,
    );
    const took = Math.round(performance.now() - start);
    const named = isIP(host) || addresses[0] === host ? '' : ` (${addresses.slice(0, 3).join(', ')})`;
    const address = ok('address', `${url.host}${named} accepts connections, ${took} ms`);
    if (!secure) return { checks: [address, skipped('tls', 'plain http on this machine')], reached: true };
    const certificate = await checkTls(host, port, now);
    return { checks: [address, certificate], reached: certificate.status !== 'fail' };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    const why =
      code === 'ENOTFOUND' || code === 'EAI_AGAIN'
        ? `the name ${host} is not known`
        : `${url.host} does not accept connections`;
    const failure = new SvcError('unreachable', `${why} (${code})`, {
      hint: 'check the base URL (`svc profiles show`), the network and the proxy',
      cause: error,
    });
    return { checks: [fail('address', failure), skipped('tls', 'not reached')], reached: false };
  }
}

async function checkTls(host: string, port: number, now: number): Promise<Check> {
  try {
    const servername = isIP(host) ? undefined : host;
    const { until, protocol } = await reach(
      () => connectTls({ host, port, ...(servername ? { servername } : {}) }),
      'secureConnect',
      (socket) => ({ until: socket.getPeerCertificate().valid_to, protocol: socket.getProtocol() }),
    );
    const days = Math.floor((Date.parse(until) - now) / (24 * 3600_000));
    const seen = `${protocol}, certificate valid for ${days} days`;
    return days < SOON_DAYS
      ? warn('tls', seen, 'tell the operator of the service that it ends soon')
      : ok('tls', seen);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return fail(
      'tls',
      new SvcError('unreachable', `no trusted connection to ${host} (${code ?? message})`, {
        hint: 'check the base URL; behind a proxy with its own certificate set NODE_EXTRA_CA_CERTS',
        cause: error,
      }),
    );
  }
}

/** Opens a socket, waits for its event, takes a look at it, closes it. Rejects after CONNECT_MS. */
function reach<S extends Socket, T>(
  open: () => S,
  event: 'connect' | 'secureConnect',
  look: (socket: S) => T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const socket = open();
    const stop = (act: () => void) => {
      clearTimeout(timer);
      act();
      socket.destroy();
    };
    const timer = setTimeout(
      () => stop(() => reject(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }))),
      CONNECT_MS,
    );
    socket.once(event, () => stop(() => resolve(look(socket))));
    // Not once: a socket may fail again while it is closed.
    socket.on('error', (error) => stop(() => reject(error)));
  });
}
