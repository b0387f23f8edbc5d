import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Returns the CPU-seconds that a process and its children have used (Linux); 0 if it has ended. */
export function cpuOf(pid: number): number {
  const children = execFileSync('sh', ['-c', `cat /proc/${pid}/task/*/children 2>/dev/null || true`], {
    encoding: 'utf8',
  });
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // Ended since.
    return 0;
  }
  const own = stat.replace(/^.*\) /, '').split(' ');
  const used = [11, 12, 13, 14].reduce((sum, field) => sum + Number(own[field]), 0) / TICKS;
  const others = children.split(/\s+/).filter(Boolean).map(Number);
  return used + others.reduce((sum, child) => sum + cpuOf(child), 0);
}
