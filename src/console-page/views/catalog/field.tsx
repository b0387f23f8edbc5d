import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import { zoneOf } from '../../parts/instant.tsx';
import { Text } from '../../parts/text.tsx';
import { Input, isInstant } from './inputs.tsx';
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
  if (schema.properties) {
    const given = typeof value === 'object' && value !== null;
    return (
      <details class="group" open={given || issues.some((issue) => within(issue.path, path))}>
        <summary>{labelOf(path)}</summary>
        {schema.description && (
          <p class="note">
            <Hint of={schema.description} />
          </p>
        )}
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
  if (schema.items?.properties) return <Items {...props} item={schema.items} />;
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
    <div class={isCheck ? 'field check' : 'field'}>
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
      {schema.description && (
        <p class="note" id={`${id}-note`}>
          <Hint of={schema.description} />
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
      {schema.description && (
        <p class="note">
          <Hint of={schema.description} />
        </p>
      )}
      {entries.map((entry, i) => (
        <div key={i}>
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

/** What the schema says of a member, in which values stand between backquotes. */
function Hint({ of }: { of: string }): VNode {
  return <>{of.split('`').map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))}</>;
}

/** True if an error is at a field or in what it holds. */
const within = (issue: string, path: string) =>
  issue === path || issue.startsWith(`${path}.`) || issue.startsWith(`${path}[`);
