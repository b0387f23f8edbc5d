import { type LookupAddress, type LookupOptions, lookup, Resolver } from 'node:dns';

/** Resolves a name to all its addresses, called as Node's `dns.lookup` with `all: true`. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface DirectResolver {
  readonly resolve: Resolve;
  /** Ends the questions that are open; they fail with ECANCELLED. */
  cancel(): void;
}

/** Milliseconds a name server has for an answer, and how often it is asked. */
const TIMEOUT_MS = 3000;
const TRIES = 2;

/** No name server could be asked; after any other error one was asked, and the system would ask the same one. */
const UNREACHABLE = 'ECONNREFUSED';

/**
 * Asks the name servers directly. The system's own lookup holds one of Node's four worker threads for each question,
 * for as long as a name server stays silent: a few subscribers with dead name servers would stop all deliveries.
 * The system is asked only for `localhost`, and where no name server can be reached. `servers` as `dns.setServers`
 * takes them; the system's unless given. `system` is the system's own lookup.
 */
export function directResolver(servers?: readonly string[], system: Resolve = lookup): DirectResolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const resolve: Resolve = (hostname, options, callback) => {
    if (hostname === 'localhost' || hostname.endsWith('.localhost'))
      return system(hostname, options, callback);
    const answers: { addresses: LookupAddress[]; error: NodeJS.ErrnoException | null }[] = [];
    const heard = (family: 4 | 6) => (error: NodeJS.ErrnoException | null, list: string[] | undefined) => {
      answers.push({ error, addresses: (list ?? []).map((address) => ({ address, family })) });
      if (answers.length < 2) return;
      const addresses = answers.flatMap((answer) => answer.addresses).sort((a, b) => a.family - b.family);
      if (addresses.length > 0) callback(null, addresses);
      else if (answers.every((answer) => answer.error?.code === UNREACHABLE))
        system(hostname, options, callback);
      else callback(answers.find((answer) => answer.error)?.error ?? null, []);
    };
    resolver.resolve4(hostname, heard(4));
    resolver.resolve6(hostname, heard(6));
  };
  return { resolve, cancel: () => resolver.cancel() };
}
