/**
 * A program that runs hostile clients for some seconds. Its argument is a StormOrder as JSON. It prints a line when it
 * starts, then a Report as JSON.
 */
import { seededRandom } from '../../../src/kit/random.ts';
import { exchange, HOSTILE_CASES, type Target } from './hostile-requests.ts';

export interface StormOrder {
  readonly target: Target;
  readonly seconds: number;
  readonly clients: number;
}

export interface Report {
  hostile: number;
  /** Descriptions of the answers other than the expected error. */
  faults: string[];
}

const { target, seconds, clients } = JSON.parse(process.argv[2]!) as StormOrder;
const report: Report = { hostile: 0, faults: [] };
// Does not include the start of this process.
const end = performance.now() + seconds * 1000;

async function client(number: number): Promise<void> {
  const random = seededRandom(`hostile ${number}`);
  // All cases once among the clients, then random ones.
  const first = HOSTILE_CASES.filter((_, i) => i % clients === number);
  while (performance.now() < end || first.length > 0) {
    const { name, status, bytes } =
      first.shift() ?? HOSTILE_CASES[Math.floor(random() * HOSTILE_CASES.length)]!;
    report.hostile++;
    try {
      const answer = await exchange(target.port, bytes(target));
      const typed = typeof answer.body.error === 'string' && /^req_/.test(String(answer.body.requestId));
      if (answer.status !== status || !typed) report.faults.push(`${name}: ${answer.text.slice(0, 200)}`);
    } catch (error) {
      report.faults.push(`${name}: ${(error as Error).message.slice(0, 200)}`);
    }
  }
}

process.stdout.write('ready\n');
await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
process.stdout.write(JSON.stringify(report));
