import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { rolldown } from 'rolldown';
import { ROOT } from './run-svc.ts';

export interface Killable<T> {
  /** Starts the program; resolves with the JSON of its first line. */
  start(argument: unknown): Promise<T>;
  /** Waits until it ends by itself. */
  ended(): Promise<void>;
  /** Ends it at once, as a power failure would as far as the program can tell. */
  kill(): Promise<void>;
  /** Kills it and removes its bundle. */
  release(): Promise<void>;
}

/** A TypeScript program that is bundled once and then started and killed again and again. */
export async function killable<T>(file: string): Promise<Killable<T>> {
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  // Below node_modules, so that packages left out of the bundle are found.
  const dir = mkdtempSync(join(cache, 'svc-killable-'));
  const build = await rolldown({ input: file, platform: 'node', external: [/^[^./]/] });
  await build.write({ file: join(dir, 'program.mjs'), format: 'esm', codeSplitting: false });
  await build.close();
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    child = undefined;
  };
  return {
    async start(argument) {
      const started = spawn(process.execPath, [join(dir, 'program.mjs'), JSON.stringify(argument)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child = started;
      const lines = createInterface({ input: started.stdout });
      const ended = once(started, 'exit').then(([code, signal]) => {
        throw new Error(`${file} ended with ${code ?? signal} before it was ready`);
      });
      ended.catch(() => undefined);
      const [line] = await Promise.race([once(lines, 'line'), ended]);
      return JSON.parse(String(line)) as T;
    },
    async ended() {
      if (child?.exitCode === null) await once(child, 'exit');
    },
    kill,
    async release() {
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
