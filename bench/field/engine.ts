/** The engine in process: the pure domain without a service around it. For tuning; the benchmark itself uses HTTP. */
import { attributesOf } from '../../src/service/catalog/attributes.ts';
import type { Content } from '../../src/service/catalog/content.ts';
import { decide } from '../../src/service/decisions/engine/decide.ts';
import { fold, type RewardEntry } from '../../src/service/decisions/engine/learning.ts';
import { emptyModel } from '../../src/service/decisions/engine/model.ts';
import type { Player } from './run.ts';
import type { World } from './worlds.ts';

const DAY_MS = 86_400_000;
const HISTORY = 30;

function historyOf(past: readonly { readonly clicked: boolean }[]): Record<string, number> {
  const actioned = past.filter(({ clicked }) => clicked).length;
  const silent = past.length - actioned;
  return { ...(actioned ? { actioned } : {}), ...(silent ? { silent } : {}) };
}

export function engine(seed: string, world: World, watch?: (what: string) => void): Player {
  const model = emptyModel();
  const made: RewardEntry[] = [];
  const contentOf = new Map<string, Content>();
  /** The decisions of each user, whose outcomes are features, as in the service. */
  const past = new Map<string, { clicked: boolean }[]>();
  const of: { clicked: boolean }[] = [];
  let catalog: ReturnType<World['contents']> = [];
  return {
    decide(t, visit, contents) {
      const now = contents(t);
      const attributes = now === catalog ? [] : attributesOf(now);
      catalog = now;
      const offered = now.map(({ contentId, category, format }, i) => {
        let content = contentOf.get(contentId);
        if (!content) {
          content = {
            contentId,
            category,
            attributes: attributes[i]!,
            channels: [],
            surfaces: [],
            locales: [],
            format,
            title: '',
            body: '',
            traits: [],
            events: [],
            prior: 0.1,
          };
          contentOf.set(contentId, content);
        }
        return content;
      });
      const choice = decide({
        contents: offered,
        context: visit.context,
        user: visit.user,
        person: {
          traits: visit.traits,
          events: Object.entries(visit.events).map(([event, count]) => ({ event, count, age: DAY_MS * 2 })),
          history: historyOf(past.get(visit.user) ?? []),
        },
        audience: { traits: visit.traits, events: new Map() },
        guardrails: { excludeCategories: [] },
        contactsToday: 0,
        model,
        seed: `${seed}:${t}`,
        now: world.at(t),
      });
      const content = offered.findIndex(({ contentId }) => contentId === choice.chosen!.contentId);
      const entry: RewardEntry = {
        decisionId: `${t}`,
        contentId: choice.chosen!.contentId,
        category: offered[content]!.category,
        attributes: offered[content]!.attributes,
        features: choice.features,
        user: visit.user,
        prior: 0.1,
        at: world.at(t),
        from: null,
        to: 0,
      };
      made[t] = entry;
      of[t] = { clicked: false };
      past.set(visit.user, [of[t], ...(past.get(visit.user) ?? [])].slice(0, HISTORY));
      if (t % 1000 === 999 && process.env.SHOW)
        console.log(
          t,
          [...model.evidence.sums].map((e) => e.toFixed(0)).join(' '),
          'linear',
          model.evidence.isLinear,
          model.encoding.table.rows.size,
        );
      const before = model.change.lastFall;
      fold(model, [entry]);
      if (model.change.lastFall !== before) watch?.(`fall noticed at ${t}`);
      return { content, ranking: choice.chosen!.ranking, candidates: choice.candidates };
    },
    click(t, nth) {
      of[nth]!.clicked = true;
      fold(model, [{ ...made[nth]!, at: world.at(t), from: 0, to: 1 }]);
    },
  };
}
