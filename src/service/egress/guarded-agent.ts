import { constants } from 'node:crypto';
import { isIP, type LookupFunction } from 'node:net';
import { type Agent, buildConnector } from 'undici';
import { type AddressPolicy, refuseAddress } from './address-policy.ts';
import { boundedAgent } from './bounded-answers.ts';
import { directResolver, type Resolve } from './resolve.ts';

export interface GuardOptions extends AddressPolicy {
  /** Milliseconds for name, TCP and TLS together. */
  readonly connectTimeoutMs: number;
  /** The resolver; a direct one unless given. */
  readonly resolve?: Resolve;
  /** Extra certificate authorities, as `tls.connect` takes them. */
  readonly ca?: string;
}

/** Most addresses of one name that are tried: a name with thousands would make us knock at thousands of hosts. */
const TRIED = 8;

/** A connection that was not made, because the address is not a public one. */
export class RefusedTarget extends Error {
  readonly code = 'ERR_REFUSED_TARGET';

  constructor(hostname: string, reason: string) {
    super(`${hostname} ${reason}; webhooks are sent to public addresses only`);
    this.name = 'RefusedTarget';
  }
}

/**
 * An undici agent whose sockets reach public addresses only. The check sits inside the socket's own lookup, so the
 * address that was judged is the address that is dialled, and a name that changes between two lookups gains nothing.
 * Literals are judged apart, because Node never calls a lookup for them. Redirects are not followed: undici's
 * `request` does not, unless an interceptor is added.
 */
export function guardedAgent(options: GuardOptions): Agent {
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    lookup: guardedLookup(options),
    // A receiver could ask for one handshake after the other, which cost us more than the receiver.
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
 * A `lookup` for `net.connect` that fails where any address of the name is refused: a name with one public and one
 * private address is an attack or a mistake, and Node may dial either of them.
 */
export function guardedLookup(options: AddressPolicy & { resolve?: Resolve }): LookupFunction {
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
      if (all) callback(null, addresses.slice(0, TRIED));
      else callback(null, first.address, first.family);
    });
  };
}
