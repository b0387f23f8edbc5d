import type {
  ConsoleAbout,
  ConsoleFaults,
  ConsoleImports,
  ConsoleLimits,
  ConsoleRefused,
  ConsoleRejects,
  ConsoleService,
} from '../../contract/console.ts';
import { Refusal, readOnly } from './refusal.ts';
import type { OwnEndpoints } from './server.ts';

/** What of `about` may change while the console runs. */
interface ChangingAbout extends Pick<ConsoleAbout, 'store'> {
  readonly mode: ConsoleAbout['workspace']['mode'];
  readonly region: string | null;
}

/** What the console itself answers, below `/console`. */
export interface OwnParts {
  readonly about: Omit<ConsoleAbout, 'faultsOn'>;
  /** Reads what may change of it. */
  readonly changing: () => Promise<ChangingAbout>;
  readonly limits: () => Promise<ConsoleLimits>;
  readonly service: () => Promise<ConsoleService>;
  readonly refused: () => ConsoleRefused;
  readonly imports: {
    list(): ConsoleImports;
    forget(id: string): { readonly removed: readonly string[] };
    /** Reads why records were refused; undefined for an import that is not known. */
    rejects(id: string): ConsoleRejects | undefined;
  };
  /** Hashes a userId as the service does; undefined where the service runs elsewhere. */
  readonly identify: ((userId: string) => Promise<{ readonly hashId: string }>) | undefined;
  readonly faults: { read(): ConsoleFaults; change(body: unknown): ConsoleFaults };
}

/** Creates the endpoints of the console itself. */
export function ownEndpoints({ about, ...parts }: OwnParts): OwnEndpoints {
  const mayWrite = () => {
    if (!about.write) throw readOnly();
  };
  return async ({ target: { method, segments }, body }) => {
    const [, name, id, ...rest] = segments;
    if (rest.length > 0 || (id !== undefined && name !== 'imports')) return undefined;
    switch (`${method} ${name}`) {
      case 'GET about': {
        const { store, ...workspace } = await parts.changing();
        const faultsOn = parts.faults.read().rules.filter(({ on }) => on).length;
        return { ...about, store, workspace: { ...about.workspace, ...workspace }, faultsOn };
      }
      case 'GET limits':
        return parts.limits();
      case 'GET service':
        return parts.service();
      case 'GET refused':
        return parts.refused();
      case 'GET imports':
        return id === undefined ? parts.imports.list() : parts.imports.rejects(id);
      case 'DELETE imports':
        if (id === undefined) return undefined;
        // Without its journal, an import would send to the service again what it has.
        mayWrite();
        return parts.imports.forget(id);
      case 'POST identify':
        return parts.identify?.(userIdOf(body));
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

/** Characters of the longest userId. */
const MAX_USER_ID = 256;

function userIdOf(body: unknown): string {
  const { userId } = (body ?? {}) as Record<string, unknown>;
  if (typeof userId !== 'string' || userId === '' || userId.length > MAX_USER_ID)
    throw new Refusal(400, 'invalid_request', 'The body has no userId of 1 to 256 characters.');
  return userId;
}
