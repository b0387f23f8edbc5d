/**
 * Guards: how often one takes out a content, or the learned choice, in worlds where nothing is worse than its margin, looked at
 * after every decision (at most 5 % of the worlds should be), and how many decisions it takes where something is:
 * `npm run bench -- bench/goals/guards.ts [WORLDS] [DECISIONS]`
 */

import { firstVerdict, HARMFUL_WORLDS, HARMLESS_WORLDS } from '../../test/support/goals/guard-worlds.ts';

const worlds = Number(process.argv[2] ?? 2_000);
const decisions = Number(process.argv[3] ?? 5_000);
for (const world of HARMLESS_WORLDS) {
  let removed = 0;
  for (let seed = 0; seed < worlds; seed++)
    removed += Number(firstVerdict(world, decisions, `${world.name} ${seed}`) !== undefined);
  console.log(
    `${world.name.padEnd(28)} ${((100 * removed) / worlds).toFixed(2)} % of ${worlds} worlds of ${decisions} decisions had something taken out falsely`,
  );
}

const HARMFUL = 40;
const MOST = 80_000;
for (const world of HARMFUL_WORLDS) {
  const after: number[] = [];
  let wrong = 0;
  for (let seed = 0; seed < HARMFUL; seed++) {
    const verdict = firstVerdict(world, MOST, `${world.name} ${seed}`);
    if (world.more === 0 && verdict && verdict.of !== 0) wrong++;
    after.push(verdict?.after ?? Number.POSITIVE_INFINITY);
  }
  after.sort((a, b) => a - b);
  const at = (part: number) => after[Math.floor(part * (HARMFUL - 1))]!.toLocaleString('en');
  console.log(
    `${world.name.padEnd(28)} taken out after ${at(0.5)} decisions (median), ${at(0.9)} (in 90 % of ${HARMFUL} worlds); another first: ${wrong}`,
  );
}
