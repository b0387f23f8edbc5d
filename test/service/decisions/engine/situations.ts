import type { Content } from '../../../../src/service/catalog/content.ts';
import { decide, type Situation } from '../../../../src/service/decisions/engine/decide.ts';
import { type Context, featuresOf } from '../../../../src/service/decisions/engine/features.ts';
import { fold, type RewardEntry } from '../../../../src/service/decisions/engine/learning.ts';
import { emptyModel, type Model } from '../../../../src/service/decisions/engine/model.ts';

export const NOW = Date.parse('2026-03-10T12:00:00Z');
export const content = (contentId: string, rest: Partial<Content> = {}): Content => ({
  contentId,
  category: 'any',
  channels: [],
  surfaces: [],
  locales: [],
  format: 'card',
  attributes: [],
  title: 'T',
  body: 'B',
  traits: [],
  events: [],
  prior: 0.1,
  ...rest,
});
export const situation = (rest: Partial<Situation> = {}): Situation => ({
  contents: [content('a'), content('b'), content('c')],
  context: { channel: 'in-app', surface: 'home', locale: 'en-GB' },
  audience: { traits: {}, events: new Map() },
  guardrails: { excludeCategories: [] },
  contactsToday: 0,
  model: emptyModel(),
  seed: 's',
  now: NOW,
  ...rest,
});
let made = 0;
export const entry = (
  contentId: string,
  to: number,
  { context = { surface: 'home' }, ...rest }: Partial<RewardEntry> & { context?: Context } = {},
): RewardEntry => ({
  decisionId: `d${made}`,
  contentId,
  category: 'any',
  attributes: [],
  features: featuresOf(context),
  user: null,
  prior: 0.1,
  at: NOW + 1000 * made++,
  from: null,
  to,
  ...rest,
});
/** The model that has learned these entries and nothing else. */
export const learned = (entries: readonly RewardEntry[], model = emptyModel()): Model => {
  fold(model, entries);
  return model;
};
export const ids = (s: Situation) => decide(s).candidates.map((c) => c.contentId);
