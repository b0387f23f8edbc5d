import type { TargetedKeyboardEvent, VNode } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { Filters } from '../data/filters.ts';
import { findUser, foundBy, isBeginning, NOT_LISTED, namesOfUser } from '../data/find-user.ts';
import { type Option, Segments } from './segments.tsx';

export type FilterField =
  | {
      readonly name: string;
      readonly label: string;
      readonly kind: 'text';
      readonly placeholder?: string;
      /** Where Enter leads if a text finds one entry alone. */
      readonly only?: (text: string) => string | undefined;
    }
  /** A user, named by hashId or userId; the URL has the hashId. */
  | { readonly name: string; readonly label: string; readonly kind: 'user' }
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
        ) : field.kind === 'user' ? (
          <UserFilter filters={filters} field={field} />
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
  const { name, label, placeholder, only } = field;
  const { route } = useLocation();
  return (
    <TextField
      label={label}
      placeholder={placeholder}
      applied={filters.values[name] ?? ''}
      apply={(text) => filters.set({ [name]: text })}
      enter={(event) => {
        const path = only?.(event.currentTarget.value.trim());
        if (path === undefined) return;
        event.preventDefault();
        route(path);
      }}
    />
  );
}

/** A user who was found by userId is shown by it. */
function UserFilter({ filters, field }: { filters: Filters; field: FieldOf<'user'> }): VNode {
  const { name, label } = field;
  const [failure, setFailure] = useState<Error>();
  const hashId = filters.values[name] ?? '';
  const apply = (text: string) => {
    setFailure(undefined);
    if (text === '' || text === foundBy(hashId)) return filters.set({ [name]: text && hashId });
    findUser(text).then((found) => filters.set({ [name]: found }), setFailure);
  };
  return (
    <>
      <TextField
        label={label}
        placeholder={namesOfUser()}
        applied={foundBy(hashId) ?? hashId}
        apply={apply}
      />
      {(failure || isBeginning(foundBy(hashId))) && (
        <span role="alert" class="note">
          {failure?.message ?? `taken as a userId: ${NOT_LISTED}`}
        </span>
      )}
    </>
  );
}

function TextField(props: {
  label: string;
  placeholder: string | undefined;
  /** What the list is filtered by. */
  applied: string;
  apply: (text: string) => void;
  enter?: (event: TargetedKeyboardEvent<HTMLInputElement>) => void;
}): VNode {
  const { label, placeholder, applied, apply, enter } = props;
  const id = useId();
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
        onChange={(event) => apply(event.currentTarget.value.trim())}
        onKeyDown={(event) => event.key === 'Enter' && enter?.(event)}
      />
    </span>
  );
}
