import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { addressSuffix } from '../../cli/errors/service-error.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { WORDS } from '../../client/transport-errors.ts';
import { commandLine } from '../../kit/shell.ts';
import { type Check, fail, ok, skipped, warn } from './check.ts';

const CONNECT_MS = 5000;
/** Warns about a certificate that expires within this many days. */
const EXPIRY_WARNING_DAYS = 14;

/** Checks name resolution, connection and certificate of a base URL, without a request. `now` is in Unix ms. */
export async function checkAddress(
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
    await probeSocket(
      () => connectTcp({ host, port }),
      'connect',
      () => undefined,
    );
    const elapsedMs = Math.round(performance.now() - start);
    const named = isIP(host) || addresses[0] === host ? '' : ` (${addresses.slice(0, 3).join(', ')})`;
    const address = ok('address', `${url.host}${named} accepts connections, ${elapsedMs} ms`);
    if (!secure) return { checks: [address, skipped('tls', 'plain http on this machine')], reached: true };
    const certificate = await checkTls(url, host, port, now);
    return { checks: [address, certificate], reached: certificate.status !== 'fail' };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    const unknown = code === 'ENOTFOUND' || code === 'EAI_AGAIN';
    const message = unknown
      ? `the host name ${host} cannot be resolved`
      : `${url.host} does not accept connections`;
    const diagnose = unknown ? ['getent', 'hosts', host] : ['curl', '-v', url.origin];
    const failure = new SvcError('unreachable', `${message} (${code})`, {
      hint: (invocation) =>
        `correct the address${addressSuffix(invocation)}, or diagnose the network: ${commandLine(diagnose)}`,
      cause: error,
    });
    return { checks: [fail('address', failure), skipped('tls', 'not reached')], reached: false };
  }
}

async function checkTls(url: URL, host: string, port: number, now: number): Promise<Check> {
  try {
    const servername = isIP(host) ? undefined : host;
    const { until, protocol } = await probeSocket(
      () => connectTls({ host, port, ...(servername ? { servername } : {}) }),
      'secureConnect',
      (socket) => ({ until: socket.getPeerCertificate().valid_to, protocol: socket.getProtocol() }),
    );
    const days = Math.floor((Date.parse(until) - now) / (24 * 3600_000));
    const seen = `${protocol}, certificate valid for ${days} days`;
    return days < EXPIRY_WARNING_DAYS
      ? warn('tls', seen, 'ask the operator of the service to renew the certificate')
      : ok('tls', seen);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return fail(
      'tls',
      new SvcError(
        'unreachable',
        `no trusted connection to ${host}${code && WORDS[code] ? `: ${WORDS[code]}` : ''} (${code ?? message})`,
        {
          hint: (invocation) =>
            `correct the address${addressSuffix(invocation)}; for a private certificate authority: export NODE_EXTRA_CA_CERTS=/path/to/ca.pem; to show the certificate: ${commandLine(['openssl', 's_client', '-connect', `${url.hostname}:${port}`])}`,
          cause: error,
        },
      ),
    );
  }
}

/** Opens a socket, reads from it when `event` fires, and closes it. Rejects after CONNECT_MS. */
function probeSocket<S extends Socket, T>(
  open: () => S,
  event: 'connect' | 'secureConnect',
  read: (socket: S) => T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const socket = open();
    const stop = (settle: () => void) => {
      clearTimeout(timer);
      settle();
      socket.destroy();
    };
    const timer = setTimeout(
      () => stop(() => reject(Object.assign(new Error('connection timed out'), { code: 'ETIMEDOUT' }))),
      CONNECT_MS,
    );
    socket.once(event, () => stop(() => resolve(read(socket))));
    // `on`, not `once`: the socket may fail again while it closes.
    socket.on('error', (error) => stop(() => reject(error)));
  });
}
