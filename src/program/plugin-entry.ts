import { realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDir } from '../kit/files/private-file.ts';
import * as entry from '../plugin/entry.ts';

/** Where dist/plugin.cjs finds the copy of the running program. */
const SHARED = Symbol.for('svc-cli/plugin');

/**
 * Lets plugins import `svc-cli/plugin`: a link above the folder of plugins leads to this installation of svc, and whatever
 * copy a plugin finds gives it the classes of the running program.
 */
export function shareWithPlugins(root: string, dataDir: string): void {
  Object.assign(globalThis, { [SHARED]: entry });
  const link = join(dataDir, 'node_modules', 'svc-cli');
  if (targetOf(link) === realpathSync(root)) return;
  try {
    ensurePrivateDir(join(dataDir, 'node_modules'));
    rmSync(link, { force: true });
    // A junction needs no privilege on Windows; other systems ignore the type.
    symlinkSync(root, link, 'junction');
  } catch {
    // Another process made it at this moment, or the folder cannot be written: the plugin then reports what it misses.
  }
}

function targetOf(link: string): string | undefined {
  try {
    return realpathSync(link);
  } catch {
    return undefined;
  }
}
