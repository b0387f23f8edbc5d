import type { Mapping } from './mapping.ts';
import { toUtc } from './time/timestamps.ts';
import type { Converted } from './time/wall-time.ts';

/**
 * Creates the function that converts timestamps: by `--timestamp-format`, then by the spellings of
 * `--convert-timestamps`; undefined if neither is given.
 */
export function timeConverter(mapping: Mapping): ((text: string) => Converted) | undefined {
  const { convert, timestampFormat, onZoneless } = mapping;
  if (convert === undefined && timestampFormat === undefined) return undefined;
  return (text) => {
    let found: Converted | undefined;
    if (timestampFormat) found = timestampFormat.format.parse(text, timestampFormat.zone);
    if (!found?.ok && convert !== undefined) {
      const spelled = toUtc(text, convert);
      if (spelled.ok || !found) found = spelled;
    }
    if (found!.ok && found!.zoneless) onZoneless?.();
    return found!;
  };
}
