/** Runs commands in a bash session: variables, the working directory and background jobs persist between commands. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';

/**
 * Starts bash in `cwd` with exactly the environment `env`.
 * @param {{ cwd: string, env: Record<string, string> }} options
 */
export function startSession({ cwd, env }) {
  // A separate process group, so that background jobs end with the session.
  const bash = spawn('bash', ['--noprofile', '--norc'], { cwd, env, detached: true, stdio: 'pipe' });
  let output = '';
  let wake = () => {};
  const onData = (chunk) => {
    output += chunk;
    wake();
  };
  bash.stdout.setEncoding('utf8').on('data', onData);
  bash.stderr.setEncoding('utf8').on('data', onData);
  bash.stdin.write('exec 2>&1\n');

  /** Waits until the output matches, and consumes it. Rejects after `timeoutMs`. */
  async function waitFor(pattern, timeoutMs, what) {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const match = pattern.exec(output);
      if (match) {
        output = output.slice(match.index + match[0].length);
        return match;
      }
      const left = until - Date.now();
      if (left <= 0) throw new Error(`${what} did not end within ${timeoutMs / 1000} s; output:\n${output}`);
      if (bash.exitCode !== null) throw new Error(`${what} ended the session; output:\n${output}`);
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
     * Runs a command of one or more lines. Resolves with its output and exit code.
     * @param {string} command
     */
    async run(command, timeoutMs = 120_000) {
      const end = `end-${randomBytes(8).toString('hex')}`;
      // Standard input of the command is empty: the session's holds the commands.
      bash.stdin.write(`{ ${command}\n} < /dev/null\nprintf '%s %s\\n' "${end}" "$?"\n`);
      const match = await waitFor(new RegExp(`^([\\s\\S]*?)${end} (\\d+)\\n`), timeoutMs, command);
      return { output: match[1], code: Number(match[2]) };
    },

    /** Starts a command in the background and waits until its output matches `ready`. It runs until the session ends. */
    async background(command, ready, timeoutMs = 30_000) {
      bash.stdin.write(`{ ${command}\n} < /dev/null &\n`);
      const match = await waitFor(new RegExp(`^([\\s\\S]*?(?:${ready}).*\\n)`), timeoutMs, command);
      return { output: match[1], code: 0 };
    },

    /** Ends the session and everything it started. */
    async close() {
      // Wait until no process of the group is left: one that is being stopped may still write.
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
 * Returns the first expected line that is missing in the output, or undefined. White space, frames and what differs
 * between runs (digits, identifiers) are ignored; `…` matches anything within a line. The expected lines must come in
 * order, with any others between them.
 */
export function missingLine(expected, output) {
  const lines = output.split('\n').map(plain);
  let at = 0;
  for (const line of expected.split('\n')) {
    const wanted = plain(line);
    if (wanted === '' || wanted === '…') continue;
    const pattern = new RegExp(`^${wanted.split('…').map(escaped).join('.*')}$`);
    const found = lines.findIndex((text, i) => i >= at && pattern.test(text));
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
