/**
 * A program: hostile clients that do what they can for some seconds. Its argument is the order, its output a line when it begins, then
 * the report. */
import { seededRandom } from '../../../src/kit/random.ts';
import { exchange, HOSTILE_CASES, type Target } from './hostile-requests.ts';

export interface StormOrder {
  readonly target: Target;
  readonly seconds: number;
  readonly clients: number;
}

export interface Report {
  hostile: number;
  /** Answers that were not the typed refusal of their case, in words. */
  faults: string[];
}

const { target, seconds, clients } = JSON.parse(process.argv[2]!) as StormOrder;
const report: Report = { hostile: 0, faults: [] };
// Its start, with the bundler, is no part of the storm.
const end = performance.now() + seconds * 1000;

async function client(number: number): Promise<void> {
  const random = seededRandom(`hostile ${number}`);
  // Every case by somebody, then whatever comes.
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
