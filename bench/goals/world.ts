/** The world of `bench/goals.ts` and `sums.ts`: 12 contents on four surfaces, of which each earns clicks and orders of its own. */
import { seededRandom } from '../../src/kit/random.ts';
import type { Content } from '../../src/service/catalog/content.ts';
import { decide } from '../../src/service/decisions/engine/decide.ts';
import type { RewardEntry } from '../../src/service/decisions/engine/learning.ts';
import type { Model } from '../../src/service/decisions/engine/model.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const SURFACES = ['home', 'cart', 'search', 'account'];

export const contents: readonly Content[] = Array.from({ length: 12 }, (_, i) => ({
  contentId: `content-${i}`,
  category: 'any',
  attributes: [],
  channels: [],
  surfaces: [],
  locales: [],
  format: 'card',
  title: '',
  body: '',
  traits: [],
  events: [],
  prior: 0.1,
}));

/** By what each surface multiplies the clicks and the orders of each content. */
export function shapesOf(seed: string) {
  const random = seededRandom(`world ${seed}`);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const effects = () => SURFACES.map(() => Math.exp(0.5 * normal()));
  return contents.map(() => ({ clicks: effects(), orders: effects() }));
}

/** When a decision is made, by its number, Unix ms: one every two minutes. */
export const timeOf = (t: number): number => Date.parse('2026-03-01T00:00:00Z') + t * 2 * MINUTE;

/** Makes a decision, by its number. Returns which content it chose, and its first entry in the reward log. */
export function decideAt(model: Model, t: number, seed: string, surface: number) {
  const [now, user] = [timeOf(t), `u${t}`];
  const choice = decide({
    contents,
    context: { surface: SURFACES[surface]! },
    user,
    person: { traits: {}, events: [], history: {} },
    audience: { traits: {}, events: new Map() },
    guardrails: { excludeCategories: [] },
    contactsToday: 0,
    model,
    seed: `${seed}:${t}`,
    now,
  });
  const { contentId } = choice.chosen!;
  const entry: RewardEntry = {
    decisionId: `${t}`,
    contentId,
    category: 'any',
    attributes: [],
    features: choice.features,
    user,
    prior: 0.1,
    at: now,
    from: null,
    to: 0,
  };
  return { chosen: contents.findIndex((content) => content.contentId === contentId), entry };
}
