import type { VNode } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { Filters } from '../data/filters.ts';
import { type Option, Segments } from './segments.tsx';

export type FilterField =
  | { readonly name: string; readonly label: string; readonly kind: 'text'; readonly placeholder?: string }
  | {
      readonly name: string;
      readonly label: string;
      readonly kind: 'choice';
      /** Value and label. The value of the first is empty: no filter. */
      readonly options: readonly Option[];
    };

/** The filters of a view, bound to its URL. A text takes effect on Enter or when it is left. */
export function FilterBar(props: {
  filters: Filters;
  fields: readonly FilterField[];
  /** The labels stand before the fields, on one line. */
  inline?: boolean;
}): VNode {
  const { filters, fields, inline = false } = props;
  return (
    <form class={inline ? 'filters inline' : 'filters'} onSubmit={(event) => event.preventDefault()}>
      {fields.map((field) =>
        field.kind === 'text' ? (
          <TextFilter filters={filters} field={field} />
        ) : (
          <Segments
            label={field.label}
            options={field.options}
            chosen={filters.values[field.name] ?? ''}
            choose={(value) => filters.set({ [field.name]: value })}
          />
        ),
      )}
    </form>
  );
}

type FieldOf<K extends FilterField['kind']> = Extract<FilterField, { kind: K }>;

function TextFilter({ filters, field }: { filters: Filters; field: FieldOf<'text'> }): VNode {
  const id = useId();
  const { name, label, placeholder } = field;
  const applied = filters.values[name] ?? '';
  // What is being typed outlives that the view is drawn again.
  const [draft, setDraft] = useState(applied);
  useEffect(() => setDraft(applied), [applied]);
  return (
    <span class="filter">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        spellcheck={false}
        autocomplete="off"
        maxLength={500}
        placeholder={placeholder}
        value={draft}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onChange={(event) => filters.set({ [name]: event.currentTarget.value.trim() })}
      />
    </span>
  );
}
