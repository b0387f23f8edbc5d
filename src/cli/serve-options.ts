import { GROUPS, type Group } from '../contract/limits.ts';
import { parseDuration } from './duration.ts';
import { SvcError } from './errors.ts';

/** Reads `GROUP=N` and `GROUP=off`. Throws usage. */
export function parseLimits(given: readonly string[]): Partial<Record<Group, number | null>> {
  return Object.fromEntries(
    given.map((text) => {
      const [, group, value] = /^(\w+)=(off|[1-9]\d{0,8})$/.exec(text) ?? [];
      if (!group || !GROUPS.includes(group as Group)) {
        throw new SvcError('usage', `--limit ${text} is not GROUP=N or GROUP=off`, {
          hint: `the groups are ${GROUPS.join(', ')}: --limit ingest=600`,
        });
      }
      return [group, value === 'off' ? null : Number(value)];
    }),
  );
}

/** Reads the length of the window in milliseconds. Throws usage. */
export function parseWindow(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text, '--window');
}
