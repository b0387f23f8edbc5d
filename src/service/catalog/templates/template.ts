import { canonicalLocale } from '../../../kit/locale.ts';
import { minutesOfDay, type QuietHours } from '../../../kit/time/quiet-hours.ts';
import type { Cap, MarketingRules } from './marketing-rules.ts';
import type { MarketingFile } from './marketing-schema.ts';
import type { TemplateFile } from './template-schema.ts';
import type { LocalizedTexts } from './template-texts.ts';

/** A notification template; an empty list of channels means all. */
export interface Template extends LocalizedTexts {
  readonly templateId: string;
  readonly channels: readonly string[];
  /** The priority where a trigger does not say. */
  readonly priority: 'transactional' | 'marketing';
  /** When it is sent as marketing. */
  readonly rules: MarketingRules;
  readonly paused: boolean;
  /** When it is sent, Unix ms. */
  readonly activeFrom: number | undefined;
  readonly activeUntil: number | undefined;
  /** How long it is worth sending after it was triggered: as a transactional message, and as marketing. */
  readonly validForMs: number | undefined;
  readonly marketingValidForMs: number;
}

type QuietFile = MarketingFile['quietHours'];
type CapFile = MarketingFile['cap'];

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** Joins a template with the rules of its category and of all marketing. */
export function toTemplate(template: TemplateFile, marketing: MarketingFile | undefined): Template {
  const { templateId, category, validForMinutes, title, body, sms, email, push, whatsapp } = template;
  const ofCategory = category === undefined ? undefined : ownEntry(marketing?.categories, category);
  return {
    templateId,
    texts: { title, body, sms, email, push, whatsapp },
    locales: new Map(
      Object.entries(template.locales ?? {}).map(([locale, texts]) => [canonicalLocale(locale), texts]),
    ),
    channels: template.channels ?? [],
    paused: template.paused ?? false,
    activeFrom: template.activeFrom === undefined ? undefined : Date.parse(template.activeFrom),
    activeUntil: template.activeUntil === undefined ? undefined : Date.parse(template.activeUntil),
    priority: template.priority ?? 'marketing',
    rules: {
      ...marketingRules(marketing),
      category,
      // The first that is given holds; null is given.
      quietHours: toQuietHours(
        [template.quietHours, ofCategory?.quietHours, marketing?.quietHours].find(
          (each) => each !== undefined,
        ),
      ),
      caps: [
        ...toCap('all', marketing?.cap),
        ...toCap('category', ofCategory?.cap),
        ...toCap('template', template.cap),
      ],
      requireOptIn: ofCategory?.requireOptIn ?? marketing?.requireOptIn ?? false,
    },
    validForMs: validForMinutes === undefined ? undefined : validForMinutes * MINUTE_MS,
    marketingValidForMs: (validForMinutes ?? marketing?.validForMinutes ?? DAY_MINUTES) * MINUTE_MS,
  };
}

/** The rules of marketing whose template and category say nothing. */
export const marketingRules = (marketing: MarketingFile | undefined): MarketingRules => ({
  category: undefined,
  quietHours: toQuietHours(marketing?.quietHours),
  timeZone: marketing?.timeZone,
  caps: toCap('all', marketing?.cap),
  requireOptIn: marketing?.requireOptIn ?? false,
});

function ownEntry<T>(entries: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return entries && Object.hasOwn(entries, key) ? entries[key] : undefined;
}

function toQuietHours(given: QuietFile): QuietHours | undefined {
  if (!given) return undefined;
  return { from: minutesOfDay(given.from) ?? 0, until: minutesOfDay(given.until) ?? 0 };
}

function toCap(of: Cap['of'], given: CapFile): Cap[] {
  return given ? [{ of, perDay: given.perDay, perWeek: given.perWeek }] : [];
}
