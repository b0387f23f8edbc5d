import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Icon } from '../../parts/icons.tsx';
import { cleaned, Text } from '../../parts/text.tsx';
import { type Entry, labelOf, type Schema } from './schema.ts';

/** An error, and where in the entry it is: `repeat.cooldownMinutes`. */
export interface FieldIssue {
  readonly path: string;
  readonly message: string;
}

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

/** Text of more characters than this gets several lines. */
const LINE = 1000;

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
  const { name, path, schema, value, issues, disabled, change } = props;
  const id = useId();
  if (schema.properties) {
    const given = typeof value === 'object' && value !== null;
    return (
      <details class="group" open={given || issues.some((issue) => within(issue.path, path))}>
        <summary>{labelOf(name)}</summary>
        {schema.description && <p class="note">{schema.description}</p>}
        <Fields
          schema={schema}
          path={path}
          value={given ? (value as Entry) : {}}
          issues={issues}
          disabled={disabled}
          change={(next) => change(Object.keys(next).length === 0 ? undefined : next)}
        />
      </details>
    );
  }
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
      {labelOf(name)}
      {props.required && <span class="note"> required</span>}
    </label>
  );
  const isCheck = schema.type === 'boolean';
  return (
    <div class={isCheck ? 'field check' : 'field'}>
      {!isCheck && label}
      <Input {...props} shared={shared} />
      {isCheck && label}
      {schema.description && (
        <p class="note" id={`${id}-note`}>
          {schema.description}
        </p>
      )}
      {own.length > 0 && (
        <p class="issue" id={`${id}-issue`}>
          {own.map(({ path: at, message }) => (
            <span>
              {at !== path && <code>{at}</code>} <Text of={message} />
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

type Shared = Readonly<Record<string, string | boolean | undefined>>;

/** The control for a value, by the type that the schema gives it. */
function Input({ schema, required, value, change, shared }: FieldProps & { shared: Shared }): VNode {
  const textValue = value === undefined || value === null ? '' : String(value);
  const orNothing = (text: string) => (text === '' && !required ? undefined : text);
  if (schema.enum)
    return (
      <select {...shared} value={textValue} onChange={(e) => change(orNothing(e.currentTarget.value))}>
        {!required && <option value="">not set</option>}
        {schema.enum.map((choice) => (
          <option value={choice}>{choice}</option>
        ))}
      </select>
    );
  if (schema.type === 'boolean')
    return (
      <input
        {...shared}
        type="checkbox"
        checked={value === true}
        onChange={(e) => change(e.currentTarget.checked || undefined)}
      />
    );
  if (schema.type === 'number' || schema.type === 'integer')
    return (
      <input
        {...shared}
        type="number"
        step="any"
        value={textValue}
        onInput={(e) => change(e.currentTarget.value === '' ? undefined : Number(e.currentTarget.value))}
      />
    );
  if (schema.type === 'string' && (schema.maxLength ?? 0) > LINE)
    return (
      <textarea
        {...shared}
        rows={4}
        value={textValue}
        onInput={(e) => change(orNothing(e.currentTarget.value))}
      />
    );
  if (schema.type === 'string')
    return (
      <input
        {...shared}
        type="text"
        placeholder={schema.format === 'date-time' ? '2026-03-01T00:00:00Z' : undefined}
        value={textValue}
        onInput={(e) => change(orNothing(e.currentTarget.value))}
      />
    );
  if (schema.type === 'array' && schema.items?.type === 'string')
    return <Names shared={shared} value={value} change={change} />;
  return <Json shared={shared} value={value} change={change} />;
}

interface Typed {
  readonly shared: Shared;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
}

/** A list of names, separated by commas, each of which a button removes. */
function Names({ shared, value, change }: Typed): VNode {
  const names: readonly string[] = Array.isArray(value) ? value : [];
  const [text, typed] = useText(value, names.join(', '));
  return (
    <>
      <input
        {...shared}
        type="text"
        placeholder="names, separated by commas"
        value={text}
        onInput={(e) => {
          const parts = e.currentTarget.value.split(',').map((name) => name.trim());
          const given = parts.filter((name) => name !== '');
          change(typed(e.currentTarget.value, given.length === 0 ? undefined : given));
        }}
      />
      {names.length > 0 && (
        <div class="chips">
          {names.map((name, i) => (
            <button
              type="button"
              disabled={shared.disabled === true}
              aria-label={`Remove ${cleaned(name)}`}
              onClick={() => {
                const left = names.filter((_, at) => at !== i);
                change(left.length === 0 ? undefined : left);
              }}
            >
              <Text of={name} /> <Icon name="close" />
            </button>
          ))}
        </div>
      )}
    </>
  );
}

/**
 * The text of a value as it was typed, such as with spaces that the value does not have; `written` where the value is
 * another one than what was typed stands for, as after a draft was discarded.
 */
function useText(value: unknown, written: string) {
  const [last, setLast] = useState({ text: written, value });
  const text = last.value === value ? last.text : written;
  const typed = <T,>(next: string, given: T): T => {
    setLast({ text: next, value: given });
    return given;
  };
  return [text, typed] as const;
}

/** A value that has no form of its own, as JSON. */
function Json({ shared, value, change }: Typed): VNode {
  const [text, typed] = useText(value, value === undefined ? '' : JSON.stringify(value, null, 2));
  const wrong = text.trim() === '' ? undefined : whyNotJson(text);
  return (
    <>
      <textarea
        {...shared}
        class="json"
        rows={3}
        spellcheck={false}
        value={text}
        onInput={(e) => {
          const next = e.currentTarget.value;
          if (next.trim() === '') change(typed(next, undefined));
          else if (whyNotJson(next) === undefined) change(typed(next, JSON.parse(next)));
          else typed(next, value);
        }}
      />
      {wrong && <p class="issue">This is not JSON, and is not taken over: {wrong}</p>}
    </>
  );
}

/** Why a text is not JSON; undefined if it is. */
function whyNotJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** True if an error is at a field or in what it holds. */
const within = (issue: string, path: string) =>
  issue === path || issue.startsWith(`${path}.`) || issue.startsWith(`${path}[`);
