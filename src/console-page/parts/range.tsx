import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import type { Filters } from '../data/filters.ts';
import { Segments } from './segments.tsx';

const MINUTE_MS = 60_000;
/** The ranges that end now, in ms. */
const RANGES = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
const LABELS = [
  ['', 'All'],
  ['hour', 'Last hour'],
  ['day', 'Day'],
  ['week', 'Week'],
  ['custom', 'Custom'],
] as const;

/**
 * Where the range of time of a view begins, as its URL has it; undefined for all. The beginning of one that ends now is
 * that of a minute, so that it changes rarely.
 */
export function sinceOf({ values }: Pick<Filters, 'values'>, now = Date.now()): string | undefined {
  const { range, since } = values;
  if (range === undefined || range === '' || range === 'custom') return since || undefined;
  const ms = RANGES[range as keyof typeof RANGES];
  return ms === undefined
    ? undefined
    : new Date(Math.floor((now - ms) / MINUTE_MS) * MINUTE_MS).toISOString();
}

/** The one control for ranges of time: the last hour, day or week, or since a time that is chosen. */
export function RangeControl({ filters }: { filters: Filters }): VNode {
  const id = useId();
  const { range = '', since = '' } = filters.values;
  const chosen = range === '' && since !== '' ? 'custom' : range;
  return (
    <>
      <Segments
        label="Range of time"
        options={LABELS}
        chosen={chosen}
        choose={(value) => filters.set({ range: value, ...(value === 'custom' ? {} : { since: '' }) })}
      />
      {chosen === 'custom' && (
        <span class="filter">
          <label for={`${id}-since`}>Since (your time)</label>
          <input
            id={`${id}-since`}
            type="datetime-local"
            value={since === '' ? '' : localOf(since)}
            onChange={(event) => {
              const at = Date.parse(event.currentTarget.value);
              filters.set({ since: Number.isNaN(at) ? '' : new Date(at).toISOString() });
            }}
          />
        </span>
      )}
    </>
  );
}

/** An instant as `datetime-local` has it: in the time zone of the reader, without a zone. */
function localOf(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}
