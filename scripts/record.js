/**
 * Records docs/terminal.svg: `npm run record`. Runs the commands below in bash in a terminal (tmux, 100 columns) with an
 * empty home, and draws the screen with its colors as text. The program must be built.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { screenToSvg } from './terminal-svg.js';

const COLUMNS = 100;
const ROWS = 60;
const COMMANDS = ['svc demo'];

const root = join(import.meta.dirname, '..');
const place = mkdtempSync(join(tmpdir(), 'svc-record-'));
// A separate tmux server, without other sessions and the user's settings.
const tmux = (...args) =>
  execFileSync('tmux', ['-L', `svc-record-${process.pid}`, '-f', '/dev/null', ...args], { encoding: 'utf8' });

try {
  const home = join(place, 'home');
  const bin = join(place, 'bin');
  for (const dir of [home, bin]) mkdirSync(dir);
  symlinkSync(join(root, 'bin', 'run.js'), join(bin, 'svc'));
  const env = {
    HOME: home,
    PATH: `${bin}:${resolve(process.execPath, '..')}:${process.env.PATH}`,
    LANG: 'C.UTF-8',
    PS1: '$ ',
  };
  const typed = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  tmux(
    'new-session',
    '-d',
    '-x',
    String(COLUMNS),
    '-y',
    String(ROWS),
    'env',
    '-i',
    'TERM=xterm-256color',
    ...typed,
    'bash',
    '--noprofile',
    '--norc',
  );
  // Fills the code cache, so that the recording shows a typical start.
  execFileSync(process.execPath, [join(root, 'bin', 'run.js'), 'demo'], { env, stdio: 'ignore' });
  await screen(/\$ $/);
  for (const command of COMMANDS) {
    tmux('send-keys', '-l', command);
    tmux('send-keys', 'Enter');
    // Wait for the next prompt.
    await screen(/\n\$ $/);
  }
  const shown = tmux('capture-pane', '-p', '-e').replace(/\n\$ ?\s*$/, '\n');
  writeFileSync(
    join(root, 'docs', 'terminal.svg'),
    screenToSvg(shown, { columns: COLUMNS, title: COMMANDS.join(', ') }),
  );
} finally {
  tmux('kill-server');
  rmSync(place, { recursive: true, force: true, maxRetries: 10 });
}

/** Waits until the screen, without empty lines at its end, matches. */
async function screen(pattern) {
  for (let tries = 0; tries < 300; tries++) {
    const text = tmux('capture-pane', '-p', '-N').trimEnd();
    if (pattern.test(`${text} `)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the terminal did not show ${pattern}:\n${tmux('capture-pane', '-p')}`);
}
