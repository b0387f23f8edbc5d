/**
 * Records the examples of the API description from the service into a file: `npm run generate` calls it. Time stands still
 * between calls and random values come from a fixed sequence, so that the file changes only with the interface.
 */
import crypto from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/kit/clock.ts';
import { startService } from '../../../src/service/start.ts';
import { recordExamples } from './record-examples.ts';

/** Just after the time of the events in the examples, Unix ms. */
const START = Date.parse('2026-01-31T12:00:05Z');
const STEP_MS = 1000;

/** Replaces what `node:crypto` draws by bytes that depend on their number and on how many calls asked for as many. */
function fixRandomBytes(): void {
  const calls = new Map<number, number>();
  const bytes = (size: number): Buffer => {
    const call = (calls.get(size) ?? 0) + 1;
    calls.set(size, call);
    return crypto.createHash('shake256', { outputLength: size }).update(`${size} ${call}`).digest();
  };
  const randomFillSync = (target: Buffer) => {
    target.set(bytes(target.length));
    return target;
  };
  Object.assign(crypto, { randomBytes: bytes, randomFillSync });
  syncBuiltinESMExports();
}

/** Replaces identifiers, whose order depends on what the workers do meanwhile, in the order in which they appear. */
function withFixedIds(text: string): string {
  const numbers = new Map<string, number>();
  return text.replace(/\b([a-z]+)_[0-9a-f]{30}\b/g, (id, prefix: string) => {
    const number = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, number);
    const digest = crypto.createHash('sha256').update(`${prefix} ${number}`).digest('hex');
    return `${prefix}_${digest.slice(0, 30)}`;
  });
}

const [target] = process.argv.slice(2) as [string];
fixRandomBytes();
const folder = mkdtempSync(join(tmpdir(), 'svc-examples-'));
let now = START;
const service = await startService({
  database: join(folder, 'service.db'),
  allowLoopbackWebhooks: true,
  testClock: true,
  clock: { ...systemClock, now: () => now },
  seed: 'examples',
});
/** Lets the workers finish what the last call caused, and the next call come a second later. */
const settle = async () => {
  while (!(await service.idle())) await systemClock.sleep(5);
  now += STEP_MS;
};
try {
  const recorded = Object.entries(await recordExamples(service, settle))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { status: _, headers: __, ...example }]) => [name, example]);
  const text = JSON.stringify(Object.fromEntries(recorded), null, 2);
  // The port of the receiver is another one each time.
  const fixed = withFixedIds(text).replace(
    /http:\/\/127\.0\.0\.1:\d+\//g,
    'https://backend.example.com/webhooks',
  );
  writeFileSync(target, `${fixed}\n`);
} finally {
  await service.close(0);
  rmSync(folder, { recursive: true, force: true });
}
