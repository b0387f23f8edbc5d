import { spawn } from 'node:child_process';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { onDatabase } from './citus.ts';

/** The id of the main process of a server of this machine. `url` is a superuser URL. */
async function mainProcess(url: string): Promise<number> {
  const { rows } = await onDatabase(url, (query) => query("SELECT pg_read_file('postmaster.pid') AS text"));
  return Number((rows[0].text as string).split('\n')[0]);
}

/**
 * Makes a server of this machine silent: it accepts connections and answers nothing. Returns the function that lets it
 * go on, which resolves once it answers. `url` is a superuser URL.
 */
export async function silenceServer(url: string): Promise<() => Promise<void>> {
  const pid = await mainProcess(url);
  process.kill(pid, 'SIGSTOP');
  // After the main process, which starts no more of them.
  const others = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number);
  const signal = (to: NodeJS.Signals) => {
    for (const each of others)
      try {
        process.kill(each, to);
      } catch {
        // It has ended.
      }
  };
  signal('SIGSTOP');
  return async () => {
    signal('SIGCONT');
    process.kill(pid, 'SIGCONT');
    while (!(await answers(url))) await sleep(50);
  };
}

/**
 * Kills a server of this machine by SIGKILL, as a loss of its machine would: its main process and all others. Returns the
 * function that starts it again as it was started, which resolves once it answers. `url` is a superuser URL.
 */
export async function killServer(url: string): Promise<() => Promise<void>> {
  const pid = await mainProcess(url);
  const [program, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const cwd = readlinkSync(`/proc/${pid}/cwd`);
  const { uid, gid } = statSync(`/proc/${pid}`);
  const as = process.getuid?.() === 0 ? { uid, gid } : {};
  process.kill(pid, 'SIGKILL');
  return async () => {
    // The other processes end by themselves once they notice, and keep the shared memory until then.
    for (;;) {
      const child = spawn(program!, args, { ...as, cwd, detached: true, stdio: 'ignore' });
      child.unref();
      while (child.exitCode === null) {
        if (await answers(url)) return;
        await sleep(50);
      }
      await sleep(100);
    }
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    await onDatabase(url, (query) => query('SELECT 1'));
    return true;
  } catch {
    return false;
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
