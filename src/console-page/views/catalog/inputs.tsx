import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from '../../parts/icons.tsx';
import { InstantInput } from '../../parts/instant.tsx';
import { cleaned, Text } from '../../parts/text.tsx';
import type { Schema } from './schema.ts';

/** Text of more characters than this gets several lines. */
const LINE = 1000;

type Shared = Readonly<Record<string, string | boolean | undefined>>;

/** True for a date and time. */
export const isInstant = ({ format }: Schema): boolean => format === 'date-time';

/** The control for a value, by the type that the schema gives it. */
export function Input(
  props: Typed & { readonly schema: Schema; readonly required: boolean; readonly isCheck: boolean },
): VNode {
  const { schema, required, value, change, shared } = props;
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
  if (schema.type === 'boolean' && !props.isCheck)
    return (
      <select
        {...shared}
        value={textValue}
        onChange={({ currentTarget: { value: next } }) => change(next === '' ? undefined : next === 'true')}
      >
        <option value="">any</option>
        <option value="true">yes</option>
        <option value="false">no</option>
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
  // What is not a time, as of a file, is shown as it is.
  if (isInstant(schema) && (textValue === '' || !Number.isNaN(Date.parse(textValue))))
    return <InstantInput {...shared} value={textValue} set={(at) => change(orNothing(at))} />;
  if (schema.type === 'string')
    return (
      <input
        {...shared}
        type="text"
        value={textValue}
        onInput={(e) => change(orNothing(e.currentTarget.value))}
      />
    );
  if (schema.anyOf?.every(({ type }) => isScalar(type)))
    return <Scalar shared={shared} value={value} change={change} />;
  if (schema.type === 'array' && schema.items?.type === 'string')
    return <Names shared={shared} value={value} change={change} of={(name) => name} />;
  if (schema.type === 'array' && schema.items?.anyOf?.every(({ type }) => isScalar(type)))
    return <Names shared={shared} value={value} change={change} of={scalarOf} />;
  return <Json shared={shared} value={value} change={change} />;
}

interface Typed {
  readonly shared: Shared;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
}

const isScalar = (type: string | undefined) => ['string', 'number', 'boolean'].includes(type ?? '');

/** A number, true or false as such, and all else as text. */
function scalarOf(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && String(Number(text)) === text ? Number(text) : text;
}

/** A text, a number, true or false, as it is typed. */
function Scalar({ shared, value, change }: Typed): VNode {
  const [text, typed] = useText(value, value === undefined ? '' : String(value));
  return (
    <input
      {...shared}
      type="text"
      value={text}
      onInput={({ currentTarget: { value: next } }) =>
        change(typed(next, next === '' ? undefined : scalarOf(next)))
      }
    />
  );
}

/** A list of values, separated by commas, each of which a button removes. `of` makes a value of a text. */
function Names({ shared, value, change, of }: Typed & { readonly of: (text: string) => unknown }): VNode {
  const names: readonly unknown[] = Array.isArray(value) ? value : [];
  const [text, typed] = useText(value, names.join(', '));
  return (
    <>
      <input
        {...shared}
        type="text"
        placeholder="separated by commas"
        value={text}
        onInput={(e) => {
          const parts = e.currentTarget.value.split(',').map((name) => name.trim());
          const given = parts.filter((name) => name !== '').map(of);
          change(typed(e.currentTarget.value, given.length === 0 ? undefined : given));
        }}
      />
      {names.length > 0 && (
        <div class="chips">
          {names.map((name, i) => (
            <button
              type="button"
              disabled={shared.disabled === true}
              aria-label={`Remove ${cleaned(String(name))}`}
              onClick={() => {
                const left = names.filter((_, at) => at !== i);
                change(left.length === 0 ? undefined : left);
              }}
            >
              <Text of={String(name)} /> <Icon name="close" />
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
