import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../../cli/terminal/world.ts';
import { writePrivateFile } from '../../kit/files/private-file.ts';
import { CODE_MS } from './sessions.ts';

const NAME = /^open-[0-9a-f]{16}\.html$/;

/** Returns a name for a file that leads a browser to the page. */
export const openerName = (): string => `open-${randomBytes(8).toString('hex')}.html`;

/**
 * Writes a file, mode 0600, that leads a browser to `url`. The code in it is then in no argument of a process, which other
 * users of the machine could read. Returns its path.
 */
export function writeOpener(folder: string, name: string, url: string): string {
  const path = join(folder, name);
  writePrivateFile(
    path,
    `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>svc console</title>` +
      `<meta http-equiv="refresh" content="0;url=${url}"><p><a href="${url}">Open the console</a>\n`,
  );
  return path;
}

/** Removes a file that writeOpener wrote; ignores every other name. */
export function removeOpener(folder: string, name: string): void {
  if (NAME.test(name)) rmSync(join(folder, name), { force: true });
}

/** Removes files of consoles that were killed, whose codes have expired. `now` is in Unix ms. */
export function removeOldOpeners(folder: string, now: number): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  for (const name of names.filter((one) => NAME.test(one))) {
    const state = statSync(join(folder, name), { throwIfNoEntry: false });
    if (state && Math.abs(now - state.mtimeMs) > CODE_MS) removeOpener(folder, name);
  }
}

/**
 * Opens a file in the person's browser. Resolves with false if the program for it is missing or failed. Until then the
 * process goes on, also where it has nothing else to do; after that it does not wait for the browser.
 */
export function openInBrowser(
  path: string,
  env: World['env'],
  platform = process.platform,
): Promise<boolean> {
  const [program, ...args] =
    platform === 'darwin'
      ? ['open', path]
      : platform === 'win32'
        ? ['cmd', '/c', 'start', '""', path]
        : ['xdg-open', path];
  return new Promise((resolve) => {
    // The browser needs no key of ours.
    const own = Object.entries(env).filter(([name]) => !name.startsWith('SVC_'));
    const child = spawn(program!, args, { env: Object.fromEntries(own), stdio: 'ignore', detached: true });
    // A browser that starts stays in the foreground of its opener.
    const started = setTimeout(() => settle(true), STARTED_MS);
    const settle = (opened: boolean) => {
      clearTimeout(started);
      child.unref();
      resolve(opened);
    };
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
  });
}

/** An opener that runs for so long has not failed. */
const STARTED_MS = 2_000;
