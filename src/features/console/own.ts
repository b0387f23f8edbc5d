import type { AllowedOperations } from './operations.ts';
import { Refusal } from './refusal.ts';
import type { OwnEndpoints } from './server.ts';

/** What the page is told of the console and of the service behind it (`GET /console/about`). */
export interface About {
  readonly version: string;
  readonly profile: string;
  readonly baseUrl: string;
  /** True for a service in this process, whose limits the console does not count against. */
  readonly local: boolean;
  readonly write: boolean;
  readonly workspace: { readonly id: string };
  /** The operations that may be called through `/api`. */
  readonly operations: AllowedOperations;
  /** Words around a command that does the same in a shell. */
  readonly commandPrefix: string;
  readonly commandSuffix: string;
  /** True: imports and faults of this machine are there. */
  readonly machine: boolean;
}

/** What the console itself answers, below `/console`. */
export interface OwnParts {
  readonly about: () => About;
  readonly limits: () => Promise<unknown>;
  readonly service: () => Promise<unknown>;
  readonly imports: { list(): unknown; forget(id: string): unknown };
  readonly faults: { read(): unknown; change(body: unknown): unknown };
}

/** Creates the endpoints of the console itself. */
export function ownEndpoints(parts: OwnParts): OwnEndpoints {
  const mayWrite = () => {
    if (!parts.about().write)
      throw new Refusal(
        403,
        'read_only',
        'This console is read-only: start it with --write to change something.',
      );
  };
  return async ({ target: { method, segments }, body }) => {
    const [, name, id, ...rest] = segments;
    if (rest.length > 0 || (id !== undefined && name !== 'imports')) return undefined;
    switch (`${method} ${name}`) {
      case 'GET about':
        return parts.about();
      case 'GET limits':
        return parts.limits();
      case 'GET service':
        return parts.service();
      case 'GET imports':
        return id === undefined ? parts.imports.list() : undefined;
      case 'DELETE imports':
        // Journals are of this machine, whichever service the console stands before.
        return id === undefined ? undefined : parts.imports.forget(id);
      case 'GET faults':
        return parts.faults.read();
      case 'PUT faults':
        mayWrite();
        return parts.faults.change(body);
      default:
        return undefined;
    }
  };
}
