import { SvcError } from '../errors/svc-error.ts';

/** What an --event flag accepts: several names after commas, and `*` for all. */
export const eventNames = {
  char: 'e',
  multiple: true,
  multipleNonGreedy: true,
  delimiter: ',',
  parse: async (name: string) => {
    if (name !== '') return name;
    throw new SvcError('usage', 'a name in --event is empty', { hint: "for all events: --event '*'" });
  },
} as const;

/** The different names that the flag was given; undefined for all, which is also its default. */
export function namesIn(values: readonly string[] | undefined): string[] | undefined {
  return values === undefined || values.includes('*') ? undefined : [...new Set(values)];
}
