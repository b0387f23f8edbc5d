import type {
  ConsoleAbout,
  ConsoleFaults,
  ConsoleImports,
  ConsoleLimits,
  ConsoleService,
} from '../../contract/console.ts';
import { readOnly } from './refusal.ts';
import type { OwnEndpoints } from './server.ts';

/** What the console itself answers, below `/console`. */
export interface OwnParts {
  readonly about: ConsoleAbout;
  /** Reads the mode of the workspace, which may change; null where the service does not say. */
  readonly mode: () => Promise<'live' | 'test' | null>;
  readonly limits: () => Promise<ConsoleLimits>;
  readonly service: () => Promise<ConsoleService>;
  readonly imports: {
    list(): ConsoleImports;
    forget(id: string): { readonly removed: readonly string[] };
  };
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
      case 'GET about':
        return { ...about, workspace: { ...about.workspace, mode: await parts.mode() } };
      case 'GET limits':
        return parts.limits();
      case 'GET service':
        return parts.service();
      case 'GET imports':
        return id === undefined ? parts.imports.list() : undefined;
      case 'DELETE imports':
        if (id === undefined) return undefined;
        // Without its journal, an import would send to the service again what it has.
        mayWrite();
        return parts.imports.forget(id);
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
