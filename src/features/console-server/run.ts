import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../../cli/terminal/world.ts';
import { readAssets } from './assets.ts';
import { offerHandover } from './handover.ts';
import { openerName, openInBrowser, removeOldOpeners, removeOpener, writeOpener } from './open.ts';
import { type ConsoleParts, type ConsoleServer, serveConsole } from './server.ts';

/** How a console is started. */
export interface ConsoleOptions extends Omit<ConsoleParts, 'assets' | 'handOver'> {
  /** The folder with package.json, below which the built page lies. */
  readonly root: string;
  /** The folder for the files of consoles (consoleFolder). */
  readonly folder: string;
  /** What the console shows (scopeOf): another `svc console` for one of these gets a code here. */
  readonly scopes: readonly string[];
  /** 0 selects a free port. */
  readonly port: number;
}

/** A console that accepts requests. */
export interface RunningConsole {
  readonly port: number;
  /** Returns the address of the page with a new code. */
  newUrl(): string;
  /** Opens the page in a browser. Resolves with false if that failed. */
  open(env: World['env']): Promise<boolean>;
  close(): Promise<void>;
}

/** Returns the folder for the files of consoles. */
export const consoleFolder = (dataDir: string): string => join(dataDir, 'console');

/**
 * Starts a console: its listener, and the file by which another `svc console` finds it. Rejects with the listen error, or
 * that of the file.
 */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const { root, folder, scopes, port, clock, ...parts } = options;
  let handover: ReturnType<typeof offerHandover> | undefined;
  const assets = readAssets(join(root, 'dist', 'console'));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeOldOpeners(folder, clock.now());
  const server: ConsoleServer = await serveConsole(
    {
      ...parts,
      clock,
      assets,
      handOver: (body, sessions) => handover!.answer(body, sessions),
    },
    port,
  );
  try {
    handover = offerHandover(folder, scopes, server.port);
  } catch (error) {
    // A listener that nobody can close would keep the process from ending.
    await server.close();
    throw error;
  }
  return {
    port: server.port,
    newUrl: () => server.url(server.sessions.newCode()),
    open: async (env) => {
      const name = openerName();
      const code = server.sessions.newCode(() => removeOpener(folder, name));
      return openInBrowser(writeOpener(folder, name, server.url(code)), env);
    },
    close: async () => {
      handover?.close();
      await server.close();
    },
  };
}
