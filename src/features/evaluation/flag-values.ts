import { SvcError } from '../../cli/errors/svc-error.ts';
import { LOG_FIELDS, type LogField } from './log-row.ts';
import { type Range, UNIT } from './logged-decision.ts';

/** Parses `--map field=column`. Throws usage. */
export function mapOf(pairs: readonly string[]): Map<LogField, string> {
  const map = new Map<LogField, string>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const field = LOG_FIELDS.find((name) => name === pair.slice(0, at));
    if (!field || at === pair.length - 1 || map.has(field))
      throw new SvcError('usage', `--map ${pair} is not a field and its column, each field once`, {
        hint: (invocation) => `fields: ${LOG_FIELDS.join(', ')}; see ${invocation.help()}`,
      });
    map.set(field, pair.slice(at + 1));
  }
  return map;
}

/** Parses `--reward-range low..high`. Throws usage. */
export function rangeOf(text: string | undefined): Range {
  if (text === undefined) return UNIT;
  const parts = text.split('..');
  const [low, high] = parts.map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (parts.length === 2 && Number.isFinite(low!) && Number.isFinite(high!) && low! < high!)
    return { low: low!, high: high! };
  throw new SvcError('usage', `--reward-range ${text} is not two numbers such as 0..1`, {
    hint: (invocation) => invocation.rerunWith('--reward-range', '0..1'),
  });
}
