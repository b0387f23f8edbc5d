import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { ROOT, runSvc } from './process/run-svc.ts';

/** What `events inspect --json` prints. */
export interface Inspected {
  readonly files: string[];
  readonly format: string;
  readonly encoding: string;
  readonly compression: string | null;
  readonly delimiter: string | null;
  readonly header: boolean | null;
  readonly rows: number;
  readonly rowsExact: boolean;
  readonly columns: { name: string; type: string; role: string | null; empty: number; distinct: number }[];
  readonly timestamps: { format: string | null; first: string | null; last: string | null };
  readonly ambiguities: { column: string; choices: string[]; flag: string }[];
  readonly command: string;
}

/** Inspects a file in the folder `home`. */
export async function inspect(home: string, file: string, ...flags: string[]): Promise<Inspected> {
  const { code, stdout, stderr } = await runSvc(['events', 'inspect', file, '--json', ...flags], {
    home,
    cwd: home,
  });
  if (code !== 0) throw new Error(`inspect ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Inspected;
}

/** The words of a command line as a shell reads them, without `svc`. */
export function wordsOf(command: string): string[] {
  const script = `svc() { printf '%s\\0' "$@"; }; ${command}`;
  const PATH = [dirname(process.execPath), process.env.PATH].join(':');
  return execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8', env: { PATH } })
    .split('\0')
    .slice(0, -1);
}

/** What `paste` answers where a command asks for a constant. */
export const ANSWERS = { userId: 'someone', event: 'something' };

/** Pastes a command, with an answer where it asks for a constant: imports into fresh local data in `home`, with more flags. */
export function paste(home: string, command: string, ...flags: string[]) {
  const answered = command
    .replace('--set userId=USER_ID', `--set userId=${ANSWERS.userId}`)
    .replace('--set event=EVENT_NAME', `--set event=${ANSWERS.event}`);
  return runSvc([...wordsOf(answered), '-p', 'local', '--json', ...flags], { home, cwd: home });
}

export interface Arrived {
  readonly userId: string;
  readonly event: string;
  readonly timestamp: string;
  readonly eventId?: string;
  readonly properties: Record<string, unknown>;
}

/** The events on local, in the order in which they arrived; `text`: each line of the export. */
export async function arrived(home: string): Promise<{ events: Arrived[]; text: string }> {
  const { stdout } = await runSvc(['data', 'export', '--type', 'event', '-p', 'local'], { home, cwd: home });
  const lines = stdout.split('\n').filter((line) => line !== '');
  const events = lines.map((line) => {
    const { userId, event, timestamp, eventId, properties } = JSON.parse(line) as Partial<Arrived>;
    const fields = { userId: userId!, event: event!, timestamp: timestamp! };
    return { ...fields, ...(eventId ? { eventId } : {}), properties: properties ?? {} };
  });
  return { events, text: stdout };
}

/** The folder of the real files. */
export const REAL = join(ROOT, 'test/fixtures/real');
