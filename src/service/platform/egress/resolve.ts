import { type LookupAddress, type LookupOptions, lookup, Resolver } from 'node:dns';

/** Resolves a name to all its addresses, with the signature of `dns.lookup` with `all: true`. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface DirectResolver {
  readonly resolve: Resolve;
  /** Cancels pending queries, which fail with ECANCELLED. */
  cancel(): void;
}

/** Milliseconds per DNS query, and number of queries. */
const TIMEOUT_MS = 3000;
const TRIES = 2;

/** No name server could be reached. After any other error the system lookup would ask the same server again. */
const UNREACHABLE = 'ECONNREFUSED';

/**
 * Creates a resolver that queries the name servers directly. The system lookup blocks one of Node's four worker threads
 * until a name server answers, so that a few subscribers with dead name servers would stop all deliveries. It is used
 * only for `localhost`, and if no name server can be reached. `servers` has the format of `dns.setServers` and defaults
 * to the servers of the system; `system` is the system lookup.
 */
export function directResolver(servers?: readonly string[], system: Resolve = lookup): DirectResolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const resolve: Resolve = (hostname, options, callback) => {
    if (hostname === 'localhost' || hostname.endsWith('.localhost'))
      return system(hostname, options, callback);
    const answers: { addresses: LookupAddress[]; error: NodeJS.ErrnoException | null }[] = [];
    const onAnswer = (family: 4 | 6) => (error: NodeJS.ErrnoException | null, list: string[] | undefined) => {
      answers.push({ error, addresses: (list ?? []).map((address) => ({ address, family })) });
      if (answers.length < 2) return;
      const addresses = answers.flatMap((answer) => answer.addresses).sort((a, b) => a.family - b.family);
      if (addresses.length > 0) callback(null, addresses);
      else if (answers.every((answer) => answer.error?.code === UNREACHABLE))
        system(hostname, options, callback);
      else callback(answers.find((answer) => answer.error)?.error ?? null, []);
    };
    resolver.resolve4(hostname, onAnswer(4));
    resolver.resolve6(hostname, onAnswer(6));
  };
  return { resolve, cancel: () => resolver.cancel() };
}
