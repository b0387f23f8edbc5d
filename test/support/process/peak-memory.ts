import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '../temp.ts';
import type { SvcProgram } from './svc-process.ts';

/** Writes the peak of its resident memory, as the kernel counted it, when the process exits. */
const AT_EXIT = `process.on('exit', () => {
  const fs = require('node:fs');
  fs.writeFileSync(process.env.PEAK_FILE, /VmHWM:\\s+(\\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]);
});
`;

/** Runs the program to its end. Resolves with its exit code, what it printed, and its peak memory in MB. */
export async function peakOf(
  program: SvcProgram,
  argv: string[],
  { env, cwd }: { env: Record<string, string>; cwd: string },
) {
  const dir = tempDir();
  const script = join(dir, 'peak.cjs');
  const file = join(dir, 'peak');
  writeFileSync(script, AT_EXIT);
  const { code, stdout, stderr } = await program.start(argv, {
    env: { ...env, NODE_OPTIONS: `--require=${script}`, PEAK_FILE: file },
    cwd,
  }).ended;
  return { code, stdout, stderr, megabytes: Math.round(Number(readFileSync(file, 'utf8')) / 1024) };
}
