import { execFileSync } from 'node:child_process';

/** The processes that a process has started and that run, oldest first. */
export function childrenOf(parent: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pids = rows.map((row) => row.trim().split(/\s+/).map(Number));
  return pids.filter(([, of]) => of === parent).map(([pid]) => pid!);
}
