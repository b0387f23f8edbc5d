import { seededRandom } from '../../src/kit/random.ts';
import type { Visit, World } from './worlds.ts';

/** What a policy chose: index of the content, and the chance it promised, where it gives one. */
interface Chosen {
  readonly content: number;
  readonly ranking?: number;
}

/** Something that decides. Answers may be promises. */
export interface Player {
  decide(t: number, visit: Visit, contents: World['contents']): Promise<Chosen> | Chosen;
  /** A click on the message of decision `of`. A player that is given every reward at once gets 0 too. */
  click(t: number, of: number): Promise<void> | void;
  /** True for a baseline that is given every reward at once, delay or not. */
  readonly omniscient?: boolean;
  silent?(t: number, of: number): void;
}

export interface Result {
  /** Share of the gap from uniform to oracle closed, or the share of the content asked for. */
  readonly figure: number;
  /** Mean chance of a click of what was chosen. */
  readonly reward: number;
  /** The chance of each decision measured. */
  readonly chances: readonly number[];
  /** Mean absolute difference between the ranking promised and the chance, where measured. */
  readonly ranking: number | null;
}

/** Plays a world from its first decision to its last. Clicks arrive after the world's delay; silence is silence. */
export async function play(world: World, seed: string, player: Player): Promise<Result> {
  const outcomes = seededRandom(`${seed}:outcomes`);
  const due = new Map<number, number[]>();
  const chosen: number[] = [];
  let own = 0;
  let uniform = 0;
  let oracle = 0;
  let shown = 0;
  let measured = 0;
  let error = 0;
  let ranked = 0;
  for (let t = 0; t < world.decisions; t++) {
    for (const of of due.get(t) ?? []) await player.click(t, of);
    due.delete(t);
    const visit = world.visit(t);
    const { content, ranking } = await player.decide(t, visit, world.contents);
    const chances = world.contents(t).map((_, i) => world.chance(t, visit, i));
    const clicked = outcomes() < chances[content]!;
    if (clicked) {
      const at = player.omniscient ? t : t + world.delay(t);
      if (at === t) await player.click(t, t);
      else due.set(at, [...(due.get(at) ?? []), t]);
    } else player.silent?.(t, t);
    if (t < world.from || t >= world.to) continue;
    measured++;
    if (content === world.shareOf) shown++;
    own += chances[content]!;
    chosen.push(chances[content]!);
    oracle += Math.max(...chances);
    uniform += chances.reduce((sum, p) => sum + p, 0) / chances.length;
    if (ranking !== undefined) {
      ranked++;
      error += Math.abs(ranking - chances[content]!);
    }
  }
  return {
    figure: world.shareOf === undefined ? (own - uniform) / (oracle - uniform) : shown / measured,
    reward: own / measured,
    chances: chosen,
    ranking: ranked > 0 ? error / ranked : null,
  };
}
