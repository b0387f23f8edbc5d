/**
 * A weighted sum of a fast and a slow goal, in process: clicks after a minute, and orders 2 hours to 3 days late, of 12 contents.
 * Prints the share of the gap from an even to the best choice that is closed in each quarter, and how often a content was taken to
 * have fallen, where the delays of both are one list, and where each has its own:
 * `npm run bench -- bench/goals/sums.ts [DECISIONS] [SEEDS]`
 */

import { seededRandom } from '../../src/kit/random.ts';
import { fold, type RewardEntry } from '../../src/service/decisions/engine/learning.ts';
import { emptyModel } from '../../src/service/decisions/engine/model.ts';
import { contents, decideAt, HOUR, MINUTE, SURFACES, shapesOf, timeOf } from './world.ts';

const decisions = Number(process.argv[2] ?? 12_000);
const seeds = Number(process.argv[3] ?? 12);

/** Rates of both goals of the contents with an even and with an odd number, and their weights in the sum. */
interface World {
  readonly name: string;
  readonly clicks: readonly [number, number];
  readonly orders: readonly [number, number];
  readonly weights: { readonly click: number; readonly order: number };
}

const WORLDS: readonly World[] = [
  { name: 'clicks mislead', clicks: [0.18, 0.06], orders: [0.04, 0.12], weights: { click: 0.2, order: 0.8 } },
  { name: 'clicks earn most', clicks: [0.3, 0.3], orders: [0.08, 0.08], weights: { click: 0.5, order: 0.5 } },
  {
    name: 'orders are rare',
    clicks: [0.18, 0.06],
    orders: [0.012, 0.036],
    weights: { click: 0.3, order: 1 },
  },
];

/** Own, even and best rewards of each quarter, and falls that were seen where nothing fell. */
function play(world: World, seed: string, byPart: boolean) {
  const shape = shapesOf(seed);
  const rateOf = (of: 'clicks' | 'orders', i: number, surface: number) =>
    Math.min(0.9, world[of][i % 2]! * shape[i]![of][surface]!);
  const worthOf = (i: number, surface: number) =>
    world.weights.click * rateOf('clicks', i, surface) + world.weights.order * rateOf('orders', i, surface);
  const outcomes = seededRandom(`outcomes ${seed}`);
  const model = emptyModel();
  const late: { readonly at: number; readonly entry: () => RewardEntry }[] = [];
  const quarters = Array.from({ length: 4 }, () => ({ own: 0, even: 0, best: 0 }));
  for (let t = 0; t < decisions; t++) {
    const now = timeOf(t);
    late.sort((a, b) => a.at - b.at);
    while (late.length > 0 && late[0]!.at <= now) fold(model, [late.shift()!.entry()]);
    const surface = Math.floor(outcomes() * SURFACES.length);
    const { chosen, entry } = decideAt(model, t, seed, surface);
    const made: RewardEntry = { ...entry, ...(byPart ? { parts: [] } : {}) };
    fold(model, [made]);
    let sum = 0;
    const earn = (part: string, to: number, at: number) =>
      late.push({
        at,
        entry: () => {
          const from = sum;
          sum += to;
          return { ...made, at, from, to: sum, ...(byPart ? { parts: [{ part, from: 0, to }] } : {}) };
        },
      });
    const [clicks, orders, delay] = [outcomes(), outcomes(), outcomes()];
    if (clicks < rateOf('clicks', chosen, surface)) earn('', world.weights.click, now + MINUTE);
    if (orders < rateOf('orders', chosen, surface))
      earn('order', world.weights.order, now + 2 * HOUR + delay * 70 * HOUR);
    const worths = contents.map((_, i) => worthOf(i, surface));
    const quarter = quarters[Math.floor((4 * t) / decisions)]!;
    quarter.own += worths[chosen]!;
    quarter.even += worths.reduce((total, worth) => total + worth, 0) / contents.length;
    quarter.best += Math.max(...worths);
  }
  return {
    closed: quarters.map(({ own, even, best }) => (100 * (own - even)) / (best - even)),
    falls: [...model.contents.values()].reduce((total, { epoch }) => total + epoch, 0),
  };
}

for (const world of WORLDS)
  for (const byPart of [false, true]) {
    const played = Array.from({ length: seeds }, (_, i) => play(world, `${i + 1}`, byPart));
    const closed = [0, 1, 2, 3].map((quarter) =>
      (played.reduce((sum, each) => sum + each.closed[quarter]!, 0) / seeds).toFixed(1),
    );
    const falls = played.reduce((sum, each) => sum + each.falls, 0);
    console.log(
      `${world.name.padEnd(17)} ${byPart ? 'delays by goal' : 'one list      '} closes ${closed.join(', ')} % of the gap by quarter; false falls: ${falls}`,
    );
  }
