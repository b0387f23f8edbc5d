import type { VNode } from 'preact';
import { useId } from 'preact/hooks';

/** Radio buttons that look like a segmented control: arrow keys move the choice. */
export function Segments({
  label,
  options,
  chosen,
  choose,
}: {
  label: string;
  /** Value and label. */
  options: readonly (readonly [value: string, label: string])[];
  chosen: string;
  choose: (value: string) => void;
}): VNode {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{label}</legend>
      {options.map(([value, text]) => (
        <label class={value === chosen ? 'chosen' : undefined}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === chosen}
            onChange={() => choose(value)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
