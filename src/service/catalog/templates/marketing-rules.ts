import type { QuietHours } from '../../../kit/time/quiet-hours.ts';

/** At most so many marketing messages to a user on a calendar day, and on seven calendar days in a row. */
export interface Cap {
  /** The messages that count: all, those of the template's category, or those of the template. */
  readonly of: CapScope;
  readonly perDay: number | undefined;
  readonly perWeek: number | undefined;
}

export type CapScope = 'all' | 'category' | 'template';

/** What the catalog says about sending a template as marketing. */
export interface MarketingRules {
  readonly category: string | undefined;
  readonly quietHours: QuietHours | undefined;
  /** The time zone of users whose own is not known. */
  readonly timeZone: string | undefined;
  readonly caps: readonly Cap[];
  /** A user has to ask for it. */
  readonly requireOptIn: boolean;
}
