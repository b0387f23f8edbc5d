import { constants } from 'node:crypto';
import { isIP, type LookupFunction } from 'node:net';
import { type Agent, buildConnector } from 'undici';
import { type AddressPolicy, refuseAddress } from './address-policy.ts';
import { boundedAgent } from './bounded-answers.ts';
import { directResolver, type Resolve } from './resolve.ts';

export interface GuardOptions extends AddressPolicy {
  /** Milliseconds for name, TCP and TLS together. */
  readonly connectTimeoutMs: number;
  /** Defaults to a direct resolver. */
  readonly resolve?: Resolve;
  /** Trusted certificate authorities, as `tls.connect` accepts them. */
  readonly ca?: string;
}

/** Maximum addresses tried per name: a name could list thousands of hosts. */
const MAX_ADDRESSES = 8;

/** The connection was refused, because the address is not public. */
class RefusedTarget extends Error {
  readonly code = 'ERR_REFUSED_TARGET';

  constructor(hostname: string, reason: string) {
    super(`${hostname} ${reason}; webhooks are sent to public addresses only`);
    this.name = 'RefusedTarget';
  }
}

/**
 * Creates an undici agent that connects to public addresses only. The check is part of the socket's lookup, so the
 * checked address is the one connected to, and DNS rebinding has no effect. Literals are checked separately, because
 * Node calls no lookup for them. Redirects are not followed: undici's `request` does so only with an interceptor.
 */
export function guardedAgent(options: GuardOptions): Agent {
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    lookup: guardedLookup(options),
    // A receiver could request handshake after handshake, which costs the client more than the receiver.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  return boundedAgent((target, callback) => {
    const literal = target.hostname.replace(/^\[|\]$/g, '');
    const reason = isIP(literal) ? refuseAddress(literal, options) : null;
    if (reason === null) connect(target, callback);
    else callback(new RefusedTarget(literal, reason), null);
  });
}

/**
 * Creates a `lookup` for `net.connect` that fails if any address of the name is refused: Node may connect to any of
 * them, and a name with a public and a private address is an attack or a mistake.
 */
function guardedLookup(options: AddressPolicy & { resolve?: Resolve }): LookupFunction {
  const resolve = options.resolve ?? directResolver().resolve;
  return (hostname, { all, ...rest }, callback) => {
    resolve(hostname, { ...rest, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      for (const { address } of addresses) {
        const reason = refuseAddress(address, options);
        if (reason !== null)
          return callback(new RefusedTarget(hostname, `resolves to ${address}, which ${reason}`), '', 0);
      }
      const first = addresses[0];
      if (!first) return callback(new RefusedTarget(hostname, 'resolves to no address'), '', 0);
      if (all) callback(null, addresses.slice(0, MAX_ADDRESSES));
      else callback(null, first.address, first.family);
    });
  };
}
