import { type Judge, judgeOf } from '../../contract/event-plan.ts';
import { canonicalLocale } from '../../kit/locale.ts';
import { attributesOf } from './attributes.ts';
import { type Content, type EventRule, enoughFor, windowOf } from './content.ts';
import { DEFAULT_CATALOG } from './default.ts';
import { type Goal, type LearnedReward, toGoal } from './goal.ts';
import { EXPLORATION_SHARE, type Placement } from './placement.ts';
import type { CatalogFile } from './schema.ts';
import type { MarketingRules } from './templates/marketing-rules.ts';
import { marketingRules, type Template, toTemplate } from './templates/template.ts';

/** A catalog in the form that the engine reads. */
export interface Catalog {
  readonly contents: readonly Content[];
  readonly templates: ReadonlyMap<string, Template>;
  readonly byId: ReadonlyMap<string, Content>;
  /** Names of the events that the rules count. */
  readonly events: ReadonlySet<string>;
  /** The counts of a user's events that the rules require. */
  readonly windows: readonly EventWindow[];
  readonly goals: readonly Goal[];
  /** The goals with a guard. */
  readonly guards: readonly Goal[];
  /** Names of the events that the goals count. */
  readonly goalEvents: readonly string[];
  /** The plan that events are judged by; undefined without one. */
  readonly eventPlan: Judge | undefined;
  readonly settings: Settings;
  /** A content has rules on repeats. */
  readonly repeats: boolean;
}

/** The events of one name in the last days. */
interface EventWindow {
  /** The result of `windowOf`. */
  readonly key: string;
  readonly event: string;
  readonly withinDays: number;
  /** Counting may stop here: no rule depends on a higher count. */
  readonly enough: number;
}

/** How decisions are made and counted. */
interface Settings {
  /** An outcome counts as reward for so long after its decision began to count. */
  readonly rewardWindowMs: number;
  /** A channel counts as polled for so long after a poll. */
  readonly pollLookBackMs: number;
  readonly explorationShare: number;
  /** Share of the users for whom contents are chosen evenly. */
  readonly holdout: number;
  /** A message replaces a waiting one of the same content. */
  readonly replaceWaiting: boolean;
  /** For how many days of its user a message waits, the day of its decision included. */
  readonly messageDays: number;
  /** The rules of marketing whose template and category say nothing. */
  readonly marketing: MarketingRules;
  readonly placements: readonly Placement[];
  /** Undefined where the outcomes of messages are learned. */
  readonly reward: LearnedReward | undefined;
}

const MINUTE_MS = 60_000;
const WEEK_MINUTES = 7 * 24 * 60;
const MESSAGE_DAYS = 7;

/** Default prior of a content. */
const PRIOR = 0.1;

/** Converts a valid file to a catalog. A file without `templates` gets the default ones. */
export function toCatalog(file: CatalogFile): Catalog {
  const attributes = attributesOf(file.contents);
  const contents = file.contents.map((content, i) => toContent(content, attributes[i]!));
  const rules = contents.flatMap((content) => content.events);
  const goals = (file.goals ?? []).map(toGoal);
  return {
    contents,
    byId: new Map(contents.map((content) => [content.contentId, content])),
    templates: new Map(
      (file.templates ?? DEFAULT_CATALOG.templates ?? []).map((template) => [
        template.templateId,
        toTemplate(template, file.settings?.marketing),
      ]),
    ),
    events: new Set(rules.map((rule) => rule.event)),
    windows: windowsOf(rules),
    goals,
    guards: goals.filter(({ guard }) => guard),
    goalEvents: [
      ...new Set(goals.flatMap(({ event, negative }) => [event, ...(negative ? [negative.event] : [])])),
    ],
    eventPlan: file.events && judgeOf(file.events),
    repeats: contents.some(({ repeat }) => repeat),
    settings: {
      rewardWindowMs: (file.settings?.rewardWindowMinutes ?? WEEK_MINUTES) * MINUTE_MS,
      pollLookBackMs: (file.settings?.pollLookBackMinutes ?? WEEK_MINUTES) * MINUTE_MS,
      explorationShare: file.settings?.explorationShare ?? EXPLORATION_SHARE,
      holdout: file.settings?.holdout ?? 0,
      replaceWaiting: file.settings?.replaceWaiting ?? false,
      messageDays: file.settings?.messageDays ?? MESSAGE_DAYS,
      marketing: marketingRules(file.settings?.marketing),
      placements: (file.settings?.placements ?? []).map(({ channel, surface, weights, perDecision }) => ({
        channel,
        surface,
        weights: new Map(Object.entries(weights)),
        perUser: !perDecision,
      })),
      reward: toReward(file.settings?.reward),
    },
  };
}

function toReward(reward: NonNullable<CatalogFile['settings']>['reward']): LearnedReward | undefined {
  if (!reward) return undefined;
  const { goal, goals = goal === undefined ? {} : { [goal]: 1 }, outcomes = 0 } = reward;
  return { goals: new Map(Object.entries(goals)), outcomes };
}

function windowsOf(rules: readonly EventRule[]): EventWindow[] {
  const windows = new Map<string, EventWindow>();
  for (const rule of rules) {
    const key = windowOf(rule);
    const enough = Math.max(enoughFor(rule), windows.get(key)?.enough ?? 0);
    windows.set(key, { key, event: rule.event, withinDays: rule.withinDays, enough });
  }
  return [...windows.values()];
}

const toMs = (minutes: number | undefined) => (minutes === undefined ? undefined : minutes * MINUTE_MS);

/** Every content and rule has the same fields in the same order: a decision reads all of them. */
function toContent(content: CatalogFile['contents'][number], attributes: Content['attributes']): Content {
  const { contentId, category, format, title, body, activeFrom, activeUntil, eligibility } = content;
  return {
    contentId,
    category,
    channels: content.channels ?? [],
    surfaces: content.surfaces ?? [],
    locales: (content.locales ?? []).map(canonicalLocale),
    format,
    attributes,
    title,
    body,
    texts:
      content.texts &&
      Object.fromEntries(
        Object.entries(content.texts).map(([locale, text]) => [canonicalLocale(locale), text]),
      ),
    paused: content.paused ?? false,
    activeFrom: activeFrom === undefined ? undefined : Date.parse(activeFrom),
    activeUntil: activeUntil === undefined ? undefined : Date.parse(activeUntil),
    traits: (eligibility?.traits ?? []).map(({ trait, exists, equals, oneOf, atLeast, atMost }) => ({
      trait,
      exists,
      equals,
      oneOf,
      atLeast,
      atMost,
    })),
    events: (eligibility?.events ?? []).map(({ event, withinDays, atLeast, atMost }) => ({
      event,
      withinDays,
      atLeast,
      atMost,
      window: windowOf({ event, withinDays }),
    })),
    prior: content.prior ?? PRIOR,
    repeat: content.repeat && {
      cooldownMs: toMs(content.repeat.cooldownMinutes),
      mostPerUser: content.repeat.mostPerUser,
      afterOutcomeMs: toMs(content.repeat.afterOutcomeMinutes),
    },
  };
}
