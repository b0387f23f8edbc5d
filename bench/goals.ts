/**
 * A world in which clicks mislead, in process: half of the contents have three times the clicks and a third of the orders.
 * Orders arrive 2 hours to 3 days after their decision. Prints the share of the gap from an even to the best choice that is
 * closed on the value of orders, by what is learned: clicks, orders, or orders with clicks as an early sign, where a click counts
 * what the clicks on its content led to so far, until the order or the end of the window of 3 days: `npm run bench -- bench/goals.ts [DECISIONS] [SEEDS]`
 */

import { seededRandom } from '../src/kit/random.ts';
import { fold, type RewardEntry } from '../src/service/decisions/engine/learning.ts';
import { emptyModel } from '../src/service/decisions/engine/model.ts';
import { contents, decideAt, HOUR, MINUTE, SURFACES, shapesOf, timeOf } from './goals/world.ts';

const decisions = Number(process.argv[2] ?? 20_000);
const seeds = Number(process.argv[3] ?? 12);

/** The end of the window, after which a click without an order counts nothing. */
const WINDOW = 72 * HOUR;

/** The share of the gap that is closed in the second half, by what is learned. */
function play(seed: string, learned: 'clicks' | 'orders' | 'orders, clicks first'): number {
  const shape = shapesOf(seed);
  const isBait = (i: number) => i % 2 === 0;
  const clickOf = (i: number, surface: number) =>
    Math.min(0.9, (isBait(i) ? 0.18 : 0.06) * shape[i]!.clicks[surface]!);
  const orderOf = (i: number, surface: number) =>
    Math.min(0.9, (isBait(i) ? 0.04 : 0.12) * shape[i]!.orders[surface]!);
  const outcomes = seededRandom(`outcomes ${seed}`);
  const model = emptyModel();
  const late: { readonly at: number; readonly entry: RewardEntry }[] = [];
  /** What clicks led to, by content, of those whose window has ended. */
  const led = contents.map(() => ({ clicks: 0, value: 0 }));
  const ended: { readonly at: number; readonly chosen: number; readonly value: number }[] = [];
  let [own, even, best] = [0, 0, 0];
  for (let t = 0; t < decisions; t++) {
    const now = timeOf(t);
    late.sort((a, b) => a.at - b.at);
    while (late.length > 0 && late[0]!.at <= now) fold(model, [late.shift()!.entry]);
    while (ended.length > 0 && ended[0]!.at <= now) {
      const { chosen, value } = ended.shift()!;
      led[chosen]!.clicks++;
      led[chosen]!.value += value;
    }
    const surface = Math.floor(outcomes() * SURFACES.length);
    const { chosen, entry } = decideAt(model, t, seed, surface);
    fold(model, [entry]);
    const [clicks, orders, amount, delay] = [outcomes(), outcomes(), outcomes(), outcomes()];
    if (learned === 'clicks' && clicks < clickOf(chosen, surface))
      late.push({ at: now + MINUTE, entry: { ...entry, at: now + MINUTE, from: 0, to: 0.6 } });
    const at = now + 2 * HOUR + delay * 70 * HOUR;
    // Half of an order's amount on average.
    const ordered = orders < orderOf(chosen, surface);
    const clicked = clicks < clickOf(chosen, surface);
    const early = learned === 'orders, clicks first' && clicked;
    const all = led.reduce((sum, each) => ({
      clicks: sum.clicks + each.clicks,
      value: sum.value + each.value,
    }));
    const prior = all.clicks > 0 ? all.value / all.clicks : 0;
    const sign = early ? (led[chosen]!.value + 10 * prior) / (led[chosen]!.clicks + 10) : 0;
    if (early) {
      late.push({ at: now + MINUTE, entry: { ...entry, at: now + MINUTE, from: 0, to: sign } });
      ended.push({ at: now + WINDOW, chosen, value: ordered ? amount : 0 });
      if (!ordered) late.push({ at: now + WINDOW, entry: { ...entry, at: now + WINDOW, from: sign, to: 0 } });
    }
    if (learned !== 'clicks' && ordered) late.push({ at, entry: { ...entry, at, from: sign, to: amount } });
    if (t < decisions / 2) continue;
    const chances = contents.map((_, i) => orderOf(i, surface));
    own += chances[chosen]!;
    best += Math.max(...chances);
    even += chances.reduce((sum, chance) => sum + chance, 0) / contents.length;
  }
  return (own - even) / (best - even);
}

for (const learned of ['clicks', 'orders', 'orders, clicks first'] as const) {
  const closed = Array.from({ length: seeds }, (_, i) => 100 * play(`${i + 1}`, learned));
  const mean = closed.reduce((sum, share) => sum + share, 0) / seeds;
  console.log(
    `learning ${learned.padEnd(20)} closes ${mean.toFixed(1)} % of the gap on orders (${closed.map((share) => share.toFixed(0)).join(' ')})`,
  );
}
