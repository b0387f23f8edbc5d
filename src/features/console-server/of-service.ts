import type { Paths } from '../../cli/connection/paths.ts';
import type { Clock } from '../../kit/clock.ts';
import { maskUrl } from '../../kit/mask-url.ts';
import { reachableUrl } from '../../kit/reachable-url.ts';
import { shell } from '../../kit/shell.ts';
import type { Log } from '../../service/platform/log.ts';
import type { RunningService } from '../../service/running-service.ts';
import { insideBackend } from './backend.ts';
import { scopeOf } from './handover.ts';
import { insideParts } from './inside.ts';
import { importsOf } from './machine.ts';
import { allowedOperations } from './operations.ts';
import { ownEndpoints } from './own.ts';
import { consoleFolder, type RunningConsole, startConsole } from './run.ts';

/** The scope of consoles for a database. */
export const scopeOfDatabase = (database: string): string => scopeOf('database', maskUrl(database));

/** The scope of consoles for a service that is reached with a key; `write` if they may change it. */
export const scopeOfService = (
  { baseUrl, workspace, apiKey }: { baseUrl: string; workspace: string; apiKey: string },
  write: boolean,
): string => scopeOf('service', baseUrl.replace(/\/+$/, ''), workspace, apiKey, write ? 'write' : 'read');

/** How a console for a service in this process is started. */
export interface ServiceConsoleOptions {
  /** Path or URL of its data. */
  readonly database: string;
  readonly paths: Paths;
  readonly version: string;
  /** The folder with package.json. */
  readonly root: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Log;
  /** True for the service of the profile `local`, which commands reach without its address. */
  readonly isLocal: boolean;
}

/** Starts a console for a service that runs in this process. Rejects with the listen error. */
export function consoleOfService(
  service: RunningService,
  { database, paths, isLocal, version, ...options }: ServiceConsoleOptions,
): Promise<RunningConsole> {
  const { workspace, apiKey } = service;
  const baseUrl = reachableUrl(new URL(service.url)).origin;
  const about = {
    version,
    profile: isLocal ? 'local' : '',
    baseUrl: isLocal ? '' : baseUrl,
    local: true,
    write: true,
    workspace: { id: workspace, mode: null, region: null },
    store: null,
    operations: allowedOperations(true),
    commandPrefix: 'svc',
    commandSuffix: isLocal ? '--profile local' : shell`--base-url ${baseUrl} --workspace ${workspace}`,
    machine: true,
  };
  return startConsole({
    ...options,
    backend: insideBackend(service.answer),
    own: ownEndpoints({
      ...insideParts(service, version),
      about,
      imports: importsOf(paths.dataDir),
    }),
    write: true,
    folder: consoleFolder(paths.dataDir),
    scopes: [
      scopeOfDatabase(database),
      ...(apiKey === null ? [] : [scopeOfService({ baseUrl, workspace, apiKey }, true)]),
    ],
  });
}
