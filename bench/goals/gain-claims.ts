/**
 * False claims of a gain: worlds in which the holdout group earns as much as the learned choice, each looked at after every
 * decision. Prints the share of worlds that were ever said to have a gain or a loss; at most 5 % should be:
 * `npm run bench -- bench/goals/gain-claims.ts [WORLDS] [DECISIONS]`
 */

import { isEverClaimed, SAME_WORLDS } from '../../test/support/goals/same-worlds.ts';

const worlds = Number(process.argv[2] ?? 10_000);
const decisions = Number(process.argv[3] ?? 5_000);
for (const world of SAME_WORLDS) {
  let claimed = 0;
  for (let seed = 0; seed < worlds; seed++)
    claimed += Number(isEverClaimed(world, decisions, `${world.name} ${seed}`));
  console.log(
    `${world.name.padEnd(15)} ${((100 * claimed) / worlds).toFixed(2)} % of ${worlds} worlds of ${decisions} decisions claimed falsely`,
  );
}
