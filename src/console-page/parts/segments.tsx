import type { VNode } from 'preact';
import { useId } from 'preact/hooks';

export type Option = readonly [value: string, label: string, number?: string];

/** Radio buttons that look like a segmented control: arrow keys move the choice. */
export function Segments({
  label,
  options,
  chosen,
  choose,
}: {
  label: string;
  /** Value, label, and how many it has, if it has a number; that has its room before it is known. */
  options: readonly Option[];
  chosen: string;
  choose: (value: string) => void;
}): VNode {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{label}</legend>
      {options.map(([value, text, number]) => (
        <label class={value === chosen ? 'chosen' : undefined}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === chosen}
            onChange={() => choose(value)}
          />
          {text}
          {number !== undefined && <span class="number"> {number}</span>}
        </label>
      ))}
    </fieldset>
  );
}
