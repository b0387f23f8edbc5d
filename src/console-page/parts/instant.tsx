import type { VNode } from 'preact';
import { useId } from 'preact/hooks';

const MINUTE_MS = 60_000;

/** A date and time in the zone of the reader, which stands beside the label; empty for none. */
export function Instant(props: { label: string; value: string; set: (iso: string) => void }): VNode {
  const { label, value, set } = props;
  const id = useId();
  return (
    <span class="filter">
      <label for={id}>
        {label} ({zoneOf(value)})
      </label>
      <InstantInput id={id} value={value} set={set} />
    </span>
  );
}

/** The control of an instant without its label. `more` are attributes of the input. */
export function InstantInput(props: {
  value: string;
  set: (iso: string) => void;
  [attribute: string]: unknown;
}): VNode {
  const { value, set, ...more } = props;
  return (
    <input
      {...more}
      type="datetime-local"
      // A browser sends no form with seconds in a field of minutes.
      step="any"
      value={localOf(value)}
      onChange={(event) => {
        const at = Date.parse(event.currentTarget.value);
        set(Number.isNaN(at) ? '' : new Date(at).toISOString());
      }}
    />
  );
}

/** The zone of the reader at an instant, or now: `your time, UTC+2`. */
export function zoneOf(iso: string): string {
  const at = new Date(iso);
  const offset = -(Number.isNaN(at.getTime()) ? new Date() : at).getTimezoneOffset();
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const ahead = offset < 0 ? '−' : '+';
  const zone =
    offset === 0
      ? 'UTC'
      : `UTC${ahead}${hours}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`;
  return `your time, ${zone}`;
}

/** An instant as `datetime-local` has it: in the time zone of the reader, without a zone, and with seconds where it has some. */
function localOf(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const local = new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString();
  return local.slice(0, at.getTime() % MINUTE_MS === 0 ? 16 : 19);
}
