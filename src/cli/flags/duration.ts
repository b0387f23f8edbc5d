import { SvcError } from '../errors/svc-error.ts';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses `500ms`, `30s`, `5m`, `1h`, `2d` or a number of seconds into milliseconds. Throws usage naming the flag. */
export function parseDuration(text: string, flag: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text);
  if (!match)
    throw new SvcError('usage', `${flag} ${text} is not a duration`, {
      hint: `give one such as ${flag} 30s, 5m or 1h`,
    });
  return Number(match[1]) * UNITS[match[2] ?? 's']!;
}
