import type { Context } from '../../cli/command/command.ts';
import type { Connection } from '../../cli/connection/connect.ts';
import type { Settings } from '../../cli/invocation/settings.ts';
import { HEADERS } from '../../contract/headers.ts';
import { createLog } from '../../service/telemetry/log.ts';
import { PACING, remoteBackend } from './backend.ts';
import { askForCode } from './handover.ts';
import { importsOf } from './machine.ts';
import { consoleOfService, scopeOfDatabase, scopeOfService } from './of-service.ts';
import { openerName, openInBrowser, removeOpener, writeOpener } from './open.ts';
import { allowedOperations } from './operations.ts';
import { type OwnParts, ownEndpoints } from './own.ts';
import { remoteParts } from './remote.ts';
import { type ConsoleOptions, consoleFolder, type RunningConsole, startConsole } from './run.ts';

/** The flags of `svc console`. */
export interface ConsoleFlags {
  readonly open: boolean;
  /** Undefined where no port was asked for. */
  readonly port: number | undefined;
  readonly write: boolean;
}

/** Prints the address of a console. */
function announceConsole(
  { out, invocation }: Pick<Context, 'out' | 'invocation'>,
  url: string,
  joined: boolean,
): void {
  out.line({ ready: true, url, joined }, () => [
    `console on ${url}\n`,
    `the address is valid once, within five minutes; for another one: ${invocation.onSameService('console')}\n`,
    joined ? 'the running console serves it' : 'stop with Ctrl-C',
  ]);
}

/** The scopes whose consoles show what this command would show; the second also lets the page change it. */
function scopesOf({ resolveSettings, paths }: Context, write: boolean): string[] {
  const settings = resolveSettings();
  if (settings.kind === 'local') return [scopeOfDatabase(paths.database)];
  return write
    ? [scopeOfService(settings, true)]
    : [scopeOfService(settings, false), scopeOfService(settings, true)];
}

/** Gets an address from a console that runs already. Resolves with false if there is none. Throws not_configured, usage. */
export async function joinConsole(context: Context, { open, port, write }: ConsoleFlags): Promise<boolean> {
  const { paths, world, out } = context;
  const folder = consoleFolder(paths.dataDir);
  const opener = open ? openerName() : undefined;
  for (const scope of scopesOf(context, write)) {
    const found = await askForCode(folder, scope, opener, port);
    if (!found) continue;
    const url = `http://127.0.0.1:${found.port}/#code=${found.code}`;
    if (opener !== undefined && !(await openInBrowser(writeOpener(folder, opener, url), world.env))) {
      removeOpener(folder, opener);
      out.warn(NOT_OPENED);
    }
    announceConsole(context, url, true);
    return true;
  }
  return false;
}

const NOT_OPENED = 'no browser could be opened: open this address yourself';

/** Starts a console for the service of the settings and announces it. Rejects with the listen error. */
export async function openConsole(context: Context, flags: ConsoleFlags): Promise<RunningConsole> {
  const { world, out, paths, version, root } = context;
  const settings = context.resolveSettings();
  let mode: string | undefined;
  const connection = await context.connect({
    ...PACING,
    lasting: true,
    onAnswer: (_, headers) => {
      mode = headers[HEADERS.mode] ?? mode;
    },
  });
  const { clock } = world;
  const log = createLog((line) => out.info(line), clock.now, out.quiet ? 'error' : 'warn');
  const common = { root, port: flags.port ?? 0, clock, log };
  const console =
    settings.kind === 'local'
      ? await consoleOfService(connection.service!, {
          ...common,
          version,
          paths,
          database: paths.database,
          isLocal: true,
        })
      : await startConsole({
          ...common,
          ...remoteConsole(context, connection, settings, flags.write, () => mode),
        });
  if (flags.open && !(await console.open(world.env))) out.warn(NOT_OPENED);
  announceConsole(context, console.newUrl(), false);
  return console;
}

/** The parts of a console for a remote service. */
function remoteConsole(
  { world, paths, version, invocation }: Context,
  connection: Connection,
  target: Extract<Settings, { kind: 'remote' }>,
  write: boolean,
  modeSeen: () => string | undefined,
): Pick<ConsoleOptions, 'backend' | 'own' | 'write' | 'folder' | 'scopes'> {
  const about: OwnParts['about'] = {
    version,
    profile: connection.profile ?? '',
    baseUrl: connection.baseUrl,
    local: false,
    write,
    workspace: { id: connection.workspace, mode: null, region: null },
    store: null,
    operations: allowedOperations(write),
    commandPrefix: 'svc',
    commandSuffix: invocation.onSameService().slice('svc'.length).trim(),
    machine: true,
  };
  return {
    backend: remoteBackend(connection.client),
    own: ownEndpoints({
      ...remoteParts(connection, world.clock, modeSeen),
      about,
      imports: importsOf(paths.dataDir),
    }),
    write,
    folder: consoleFolder(paths.dataDir),
    scopes: [scopeOfService(target, write)],
  };
}
