import type { VNode } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { canonicalLocale, isLocale } from '../../../kit/locale.ts';
import { languageOf } from '../../data/languages.ts';
import { useDocumentKey } from '../../parts/focus/document-key.ts';
import { zoneOf } from '../../parts/instant.tsx';
import { cleaned, Text } from '../../parts/text.tsx';
import { type FieldIssue, Hint, Issues, within } from './field-notes.tsx';
import { Input, isInstant } from './inputs.tsx';
import { type Entry, labelOf, type Schema } from './schema.ts';
import { SuggestedLocales } from './suggested-locales.tsx';

/** What a person writes into. */
export const CONTROLS = 'input, textarea, select';

interface FieldProps {
  readonly name: string;
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly value: unknown;
  readonly issues: readonly FieldIssue[];
  readonly disabled: boolean;
  /** Undefined removes the member. */
  readonly change: (value: unknown) => void;
}

/** A form for an object, made from its schema, with the errors beside the fields. */
export function Fields(props: {
  schema: Schema;
  path?: string;
  /** The names of the members, in groups with titles; all in the order of the schema without it. */
  groups?: readonly (readonly [title: string, names: readonly string[]])[];
  value: Entry;
  issues: readonly FieldIssue[];
  disabled: boolean;
  change: (value: Entry) => void;
}): VNode {
  const { schema, path = '', groups, value, issues, disabled, change } = props;
  const properties = schema.properties ?? {};
  const field = (name: string) => {
    const inner = properties[name];
    return (
      inner && (
        <Field
          key={name}
          name={name}
          path={path ? `${path}.${name}` : name}
          schema={inner}
          required={schema.required?.includes(name) ?? false}
          value={value[name]}
          issues={issues}
          disabled={disabled}
          change={(next) => {
            const { [name]: _, ...rest } = value;
            change(
              next === undefined
                ? rest
                : name in value
                  ? { ...value, [name]: next }
                  : { ...rest, [name]: next },
            );
          }}
        />
      )
    );
  };
  if (!groups) return <div class="fields">{Object.keys(properties).map(field)}</div>;
  return (
    <div class="fields">
      {groups.map(([title, names]) => (
        <fieldset class="field-group">
          <legend>{title}</legend>
          {names.map(field)}
        </fieldset>
      ))}
    </div>
  );
}

function Field(props: FieldProps): VNode {
  const { path, schema, value, issues, disabled, change } = props;
  const id = useId();
  // Where null is another value than none, it stands for never.
  const shape = schema.properties ? schema : schema.anyOf?.find(({ properties }) => properties);
  if (shape) {
    const given = typeof value === 'object' && value !== null;
    return (
      <details class="group" open={value !== undefined || issues.some((issue) => within(issue.path, path))}>
        <summary>{labelOf(path)}</summary>
        <Hint of={schema.description} />
        {shape !== schema && (
          <div class="field check">
            <input
              id={id}
              type="checkbox"
              disabled={disabled}
              checked={value === null}
              onChange={(e) => change(e.currentTarget.checked ? null : undefined)}
            />
            <label for={id}>At no time</label>
          </div>
        )}
        {value !== null && (
          <Fields
            schema={shape}
            path={path}
            value={given ? (value as Entry) : {}}
            issues={issues}
            disabled={disabled}
            change={(next) => change(Object.keys(next).length === 0 ? undefined : next)}
          />
        )}
      </details>
    );
  }
  if (schema.items?.properties) return <Items {...props} item={schema.items} />;
  const { additionalProperties: named } = schema;
  if (typeof named === 'object' && named.properties) return <Translations {...props} item={named} />;
  const own = issues.filter((issue) => within(issue.path, path));
  const described = [schema.description && `${id}-note`, own.length > 0 && `${id}-issue`]
    .filter(Boolean)
    .join(' ');
  const shared = {
    id,
    disabled,
    'aria-describedby': described || undefined,
    'aria-invalid': own.length > 0 ? ('true' as const) : undefined,
  };
  const label = (
    <label for={id}>
      {labelOf(path)}
      {isInstant(schema) && <span class="note"> {zoneOf(String(value ?? ''))}</span>}
      {props.required && <span class="note"> required</span>}
    </label>
  );
  // In a condition, false is another value than none.
  const isCheck = schema.type === 'boolean' && !path.includes('[');
  return (
    <div class={isCheck ? 'field check' : 'field'} data-path={path}>
      {!isCheck && label}
      <Input
        schema={schema}
        required={props.required}
        isCheck={isCheck}
        value={value}
        change={change}
        shared={shared}
      />
      {isCheck && label}
      <Hint of={schema.description} id={`${id}-note`} />
      <Issues of={own} at={path} id={`${id}-issue`} />
    </div>
  );
}

/** A list of objects, such as conditions: a form for each, which a button adds or removes. */
function Items({
  path,
  schema,
  item,
  value,
  issues,
  disabled,
  change,
}: FieldProps & { item: Schema }): VNode {
  const entries: readonly Entry[] = Array.isArray(value) ? value : [];
  const orNone = (next: readonly Entry[]) => change(next.length === 0 ? undefined : next);
  return (
    <fieldset class="field-group items">
      <legend>{labelOf(path)}</legend>
      <Hint of={schema.description} />
      {entries.map((entry, i) => (
        <div key={i}>
          <Issues of={issues} at={`${path}[${i}]`} only />
          <Fields
            schema={item}
            path={`${path}[${i}]`}
            value={entry}
            issues={issues}
            disabled={disabled}
            change={(next) => change(entries.map((each, at) => (at === i ? next : each)))}
          />
          <button
            type="button"
            disabled={disabled}
            onClick={() => orNone(entries.filter((_, at) => at !== i))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" disabled={disabled} onClick={() => change([...entries, {}])}>
        Add
      </button>
    </fieldset>
  );
}

/** The required members that an entry lacks, as what is still to be done. */
function ToFillIn({ schema, entry }: { schema: Schema; entry: Entry }): VNode | null {
  const names = (schema.required ?? []).filter((name) => !entry[name]);
  if (names.length === 0) return null;
  return <p class="note">To fill in: {names.map(labelOf).join(', ')}</p>;
}

/** Texts by locale: a form for each, and what adds another one and leads into it. */
function Translations({
  path,
  schema,
  item,
  value,
  issues,
  disabled,
  change,
}: FieldProps & { item: Schema }): VNode {
  const id = useId();
  const [name, setName] = useState('');
  const [refused, setRefused] = useState(false);
  const list = useRef<HTMLFieldSetElement>(null);
  /** The locale whose form gets the focus once it is there. */
  const wanted = useRef<string>(undefined);
  // With the drawing, so that what is typed at once is not lost.
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const form = list.current!.querySelector(`:scope > [data-name="${CSS.escape(wanted.current)}"]`);
    if (!form) return;
    wanted.current = undefined;
    form.querySelector<HTMLElement>(CONTROLS)?.focus();
    form.scrollIntoView({ block: 'nearest' });
  });
  // From each to the next, and from the last to where one is added.
  useDocumentKey((event) => {
    if (!event.altKey || event.code !== 'KeyT') return;
    event.preventDefault();
    const stops = [...list.current!.querySelectorAll(':scope > :is([data-name], .field)')];
    const at = stops.findIndex((stop) => stop.contains(document.activeElement));
    const next = stops[(at + 1) % stops.length]!;
    next.querySelector<HTMLElement>(CONTROLS)?.focus();
    next.scrollIntoView({ block: 'nearest' });
  });
  const entries = (value ?? {}) as Readonly<Record<string, Entry>>;
  const put = (next: Readonly<Record<string, Entry>>) =>
    change(Object.keys(next).length === 0 ? undefined : next);
  const known = (locale: string) =>
    Object.keys(entries).find((each) => canonicalLocale(each) === canonicalLocale(locale));
  const goTo = (locale: string) => {
    const tag = known(locale) ?? canonicalLocale(locale);
    wanted.current = tag;
    setName('');
    if (!(tag in entries)) put({ ...entries, [tag]: {} });
  };
  const add = () => {
    if (name === '') return;
    if (isLocale(name)) goTo(name);
    else setRefused(true);
  };
  return (
    <fieldset class="field-group items" ref={list}>
      <legend>Translations</legend>
      <Hint of={schema.description} />
      {Object.entries(entries).map(([key, entry]) => (
        <fieldset class="group" key={key} data-name={key}>
          <legend>
            <Text of={key} /> <span class="note">{languageOf(key)}</span>
          </legend>
          <Issues of={issues} at={`${path}.${key}`} only />
          <ToFillIn schema={item} entry={entry} />
          <Fields
            schema={item}
            path={`${path}.${key}`}
            value={entry}
            issues={issues}
            disabled={disabled}
            change={(next) => put({ ...entries, [key]: next })}
          />
          <button
            type="button"
            disabled={disabled}
            aria-label={`Remove ${cleaned(key)}`}
            onClick={() => {
              const { [key]: _, ...left } = entries;
              put(left);
              document.getElementById(id)?.focus();
            }}
          >
            Remove
          </button>
        </fieldset>
      ))}
      <div class="field">
        <label for={id}>Add a translation for the locale</label>
        <span class="actions">
          <input
            id={id}
            type="text"
            placeholder="such as de or pt-BR"
            maxLength={64}
            disabled={disabled}
            aria-invalid={refused ? 'true' : undefined}
            aria-describedby={refused ? `${id}-issue` : undefined}
            value={name}
            onInput={(e) => {
              setName(e.currentTarget.value.trim());
              setRefused(false);
            }}
            onKeyDown={(e) => e.key === 'Enter' && add()}
          />
          <button type="button" disabled={disabled || name === ''} onClick={add}>
            {known(name) ? 'Go to it' : 'Add'}
          </button>
          <kbd title="To the next translation">Alt T</kbd>
        </span>
        {refused && (
          <p class="issue" id={`${id}-issue`} role="alert">
            This is not a locale, such as de or pt-BR.
          </p>
        )}
      </div>
      {!disabled && <SuggestedLocales taken={Object.keys(entries)} add={goTo} />}
    </fieldset>
  );
}
