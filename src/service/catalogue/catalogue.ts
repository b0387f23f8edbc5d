import { canonicalLocale } from '../../kit/locale.ts';
import type { Content } from '../domain/decide/content.ts';
import { DEFAULT_CATALOG } from './default.ts';
import type { Catalog } from './schema.ts';

/** A notification template; an empty list of channels means all. */
export interface Template {
  readonly templateId: string;
  readonly channels: readonly string[];
  readonly title?: string;
  readonly body: string;
}

/** A catalogue ready for use. */
export interface Catalogue {
  readonly contents: readonly Content[];
  readonly templates: ReadonlyMap<string, Template>;
  readonly byId: ReadonlyMap<string, Content>;
  /** Event names that some rule asks about, and the longest time any rule looks back, in days. */
  readonly events: ReadonlySet<string>;
  readonly lookBackDays: number;
  readonly settings: Settings;
}

/** How decisions are made and counted. */
export interface Settings {
  /** An outcome counts as reward for so long after its decision began to count. */
  readonly rewardWindowMs: number;
  /** A channel counts as polled for so long after a poll. */
  readonly pollLookBackMs: number;
}

const MINUTE_MS = 60_000;
const WEEK_MINUTES = 7 * 24 * 60;

/** Chance of a reward of a content that states none. */
const PRIOR = 0.1;

/** Turns a checked file into what the engine reads. A file that says nothing of templates has the default ones. */
export function toCatalogue(file: Catalog): Catalogue {
  const contents = file.contents.map(toContent);
  const rules = contents.flatMap((content) => content.events);
  return {
    contents,
    byId: new Map(contents.map((content) => [content.contentId, content])),
    templates: new Map(
      (file.templates ?? DEFAULT_CATALOG.templates ?? []).map((t) => [
        t.templateId,
        { ...t, channels: t.channels ?? [] },
      ]),
    ),
    events: new Set(rules.map((rule) => rule.event)),
    lookBackDays: Math.max(0, ...rules.map((rule) => rule.withinDays)),
    settings: {
      rewardWindowMs: (file.settings?.rewardWindowMinutes ?? WEEK_MINUTES) * MINUTE_MS,
      pollLookBackMs: (file.settings?.pollLookBackMinutes ?? WEEK_MINUTES) * MINUTE_MS,
    },
  };
}

function toContent(content: Catalog['contents'][number]): Content {
  const { activeFrom, activeUntil, eligibility, channels, surfaces, locales, prior, ...rest } = content;
  return {
    ...rest,
    channels: channels ?? [],
    surfaces: surfaces ?? [],
    locales: (locales ?? []).map(canonicalLocale),
    traits: eligibility?.traits ?? [],
    events: eligibility?.events ?? [],
    prior: prior ?? PRIOR,
    ...(activeFrom === undefined ? {} : { activeFrom: Date.parse(activeFrom) }),
    ...(activeUntil === undefined ? {} : { activeUntil: Date.parse(activeUntil) }),
  };
}
