import { systemClock } from '../kit/clock.ts';
import type { World } from './world.ts';

/** The world of a real process. */
export function processWorld(): World {
  // A reader that went away (`svc … | head -1`) is no failure: stop quietly.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  }
  // A limit on file sizes shall be an error of the write, as a full disk is, and not the end of the process.
  process.on('SIGXFSZ', () => undefined);
  return {
    env: process.env,
    cwd: process.cwd(),
    // Opening standard input costs time that few commands need to spend.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    clock: systemClock,
    onInterrupt(heard) {
      process.on('SIGINT', heard);
      process.on('SIGTERM', heard);
      return () => {
        process.off('SIGINT', heard);
        process.off('SIGTERM', heard);
      };
    },
    exit: (code) => process.exit(code),
  };
}
