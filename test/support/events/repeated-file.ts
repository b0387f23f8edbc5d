import { seededRandom } from '../../../src/kit/random.ts';
import { type Served, type ServeOptions, serve } from '../process/served.ts';
import type { SvcProgram } from '../process/svc-process.ts';

const BATCH = 50;
const SENDERS = 4;

/**
 * Sends one file of events three times, each time shuffled, through two nodes of a store that are killed and started again.
 * A batch without an answer is sent again, to any node and as a request of its own. Resolves to the ids of the stored
 * events and to how many were answered as stored.
 */
export async function sendThrice(
  program: SvcProgram,
  options: ServeOptions,
  { events, kills, seed }: { events: number; kills: number; seed: string },
): Promise<{ stored: string[]; fresh: number; lost: number }> {
  const random = seededRandom(seed);
  const file = Array.from({ length: events }, (_, n) => ({
    userId: `u-${n % 97}`,
    event: 'opened',
    timestamp: '2026-01-01T00:00:00Z',
    eventId: `order ${n} é`,
  }));
  const sent = [0, 1, 2].flatMap(() => shuffled(file, random));
  const batches: (typeof file)[] = [];
  for (let from = 0; from < sent.length; from += BATCH) batches.push(sent.slice(from, from + BATCH));
  const nodes: Served[] = [await serve(program, options), await serve(program, options)];
  const everyBatches = Math.ceil(batches.length / (kills + 1));
  let next = 0;
  let fresh = 0;
  let lost = 0;
  let restarting: Promise<void> = Promise.resolve();
  const restart = async (node: number) => {
    await nodes[node]!.kill();
    nodes[node] = await serve(program, options);
  };
  const sender = async () => {
    while (next < batches.length) {
      const batch = batches[next++]!;
      // While requests of the other senders are answered.
      if (next % everyBatches === 0) restarting = restarting.then(() => restart(next % 2));
      for (let answered = false; !answered; ) {
        const reply = await nodes[Math.floor(random() * 2)]!.send('/v1/events', { events: batch });
        answered = reply?.status === 202;
        if (answered) {
          const { accepted, duplicates } = JSON.parse(reply!.text);
          if (accepted !== batch.length) throw new Error(reply!.text);
          fresh += accepted - duplicates;
        } else {
          lost++;
          await restarting;
        }
      }
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  await restarting;
  await Promise.all(nodes.map((node) => node.stop()));
  const exporting = program.start(
    ['data', 'export', '--type', 'event', '--database', options.database, '--quiet'],
    { env: { PATH: process.env.PATH!, HOME: options.home }, cwd: options.home },
  );
  const stored = (await exporting.ended).stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { eventId: string }).eventId);
  return { stored, fresh, lost };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}
