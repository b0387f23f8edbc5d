/** A bash session that scripts type into: variables, folders and background jobs last from one command to the next. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';

/**
 * Starts bash in `cwd` with `env` and nothing else.
 * @param {{ cwd: string, env: Record<string, string> }} options
 */
export function startSession({ cwd, env }) {
  // A group of its own, so that what runs in the background ends with it.
  const bash = spawn('bash', ['--noprofile', '--norc'], { cwd, env, detached: true, stdio: 'pipe' });
  let said = '';
  let wake = () => {};
  const hear = (chunk) => {
    said += chunk;
    wake();
  };
  bash.stdout.setEncoding('utf8').on('data', hear);
  bash.stderr.setEncoding('utf8').on('data', hear);
  bash.stdin.write('exec 2>&1\n');

  /** Waits until what was said matches, and takes it. Rejects when `timeoutMs` have passed. */
  async function heard(pattern, timeoutMs, what) {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const match = pattern.exec(said);
      if (match) {
        said = said.slice(match.index + match[0].length);
        return match;
      }
      const left = until - Date.now();
      if (left <= 0) throw new Error(`${what} did not end within ${timeoutMs / 1000} s; it said:\n${said}`);
      if (bash.exitCode !== null) throw new Error(`${what} ended the session; it said:\n${said}`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 1000));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  return {
    /**
     * Runs a command, of one line or many. Resolves with everything it said and its exit code.
     * @param {string} command
     */
    async run(command, timeoutMs = 60_000) {
      const end = `end-${randomBytes(8).toString('hex')}`;
      // Its own standard input is empty: the session's are the commands.
      bash.stdin.write(`{ ${command}\n} < /dev/null\nprintf '%s %s\\n' "${end}" "$?"\n`);
      const match = await heard(new RegExp(`^([\\s\\S]*?)${end} (\\d+)\\n`), timeoutMs, command);
      return { output: match[1], code: Number(match[2]) };
    },

    /** Runs a command in the background until what it says matches `ready`; it goes on until the session ends. */
    async background(command, ready, timeoutMs = 30_000) {
      bash.stdin.write(`{ ${command}\n} < /dev/null &\n`);
      const match = await heard(new RegExp(`^([\\s\\S]*?(?:${ready}).*\\n)`), timeoutMs, command);
      return { output: match[1], code: 0 };
    },

    /** Ends the session and everything that it started. */
    async close() {
      // Of the whole group, until nothing of it is left: what is stopped may still write.
      for (let i = 0; signal(i === 0 ? 'SIGTERM' : i < 50 ? 0 : 'SIGKILL'); i++)
        await new Promise((resolve) => setTimeout(resolve, 100));

      function signal(name) {
        try {
          return process.kill(-bash.pid, name);
        } catch {
          return false;
        }
      }
    },
  };
}

/**
 * Compares what was said with what was expected, as a reader would: white space, frames and what differs from run to run
 * (digits, identifiers) do not count; `…` stands for anything within a line. The lines expected must come in their
 * order, with any others between them.
 * Returns undefined, or the first line that was not found.
 */
export function missingLine(expected, output) {
  const said = output.split('\n').map(plain);
  let at = 0;
  for (const line of expected.split('\n')) {
    const wanted = plain(line);
    if (wanted === '' || wanted === '…') continue;
    const pattern = new RegExp(`^${wanted.split('…').map(escaped).join('.*')}$`);
    const found = said.findIndex((text, i) => i >= at && pattern.test(text));
    if (found === -1) return line;
    at = found + 1;
  }
  return undefined;
}

function plain(line) {
  return line
    .replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g'), '')
    .replaceAll(/[│┃┌┐└┘├┤┬┴┼─━╭╮╰╯|]+/g, ' ')
    .replaceAll(/\b(?=\w*\d)[\w-]*\w/g, '#')
    .replaceAll(/#(?:[.,:]#)+/g, '#')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
