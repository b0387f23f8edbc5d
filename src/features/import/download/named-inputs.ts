import { isLoopback } from '../../../cli/connection/settings.ts';
import { SvcError } from '../../../cli/errors/svc-error.ts';
import { shell } from '../../../kit/shell.ts';
import { addressName, isAddress } from '../input/address.ts';

/** The inputs of a command, of which some are addresses. */
export interface NamedInputs {
  /** What messages and the journal call them. */
  readonly names: readonly string[];
  /** The addresses, by name. */
  readonly addresses: ReadonlyMap<string, URL>;
}

/** Finds the addresses among typed inputs. Throws a `usage` error for one that is not fit. */
export function namedInputs(typed: readonly string[]): NamedInputs {
  const addresses = new Map<string, URL>();
  const names = typed.map((input) => {
    if (!isAddress(input)) return input;
    const name = addressName(input);
    addresses.set(name, checked(new URL(input), name));
    return name;
  });
  // An address that is given twice is downloaded and read once.
  return { names: names.filter((name, i) => !addresses.has(name) || names.indexOf(name) === i), addresses };
}

function checked(url: URL, name: string): URL {
  if (url.username !== '' || url.password !== '')
    throw new SvcError('usage', `the address ${name} was given with a user or a password`, {
      hint: `others see the arguments of a command: keep them in ~/.netrc, and import the output of ${shell`curl -fsSL --netrc ${name}`}`,
    });
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new SvcError('usage', `${name} would travel unencrypted, so that others could read and change it`, {
      hint: `plain http is for loopback addresses only: ${name.replace(/^http:/, 'https:')}`,
    });
  return url;
}
