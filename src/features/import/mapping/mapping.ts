import { jsonString } from '../../../kit/json/json-string.ts';
import type { GivenPlan } from '../../catalog/event-plan-file.ts';
import type { ColumnTypes, GivenType } from '../record/cell-type.ts';
import type { RecordKind } from '../record/record-kind.ts';
import { amountOf, unitOf } from './amounts.ts';
import type { MapRule } from './map-rules.ts';
import { formText, type NumberForm, plainNumber, type Thousands } from './number-form.ts';
import type { TimestampFormat } from './time/timestamp-formats.ts';

/** How input records are mapped to the records that are sent; the parsed flags of the command. */
export interface Mapping {
  readonly kind: RecordKind;
  /** `--map field=column`. */
  readonly map: readonly MapRule[];
  /** `--set field=value`: constants for all records. */
  readonly set: ReadonlyMap<string, string>;
  /** `--type column=…`: the type of the cells. */
  readonly types: ReadonlyMap<string, GivenType>;
  /** The type of each CSV column, as a sample decided it; undefined: each cell has its own. */
  readonly columnTypes?: ColumnTypes | undefined;
  /** The time zone for times without one; undefined without `--convert-timestamps`. */
  readonly convert: string | undefined;
  /** `--timestamp-format`, and the time zone for times without one. */
  readonly timestampFormat?: { readonly format: TimestampFormat; readonly zone: string } | undefined;
  /** Called for each time without a zone that is assumed to be UTC; undefined if `--time-zone` is given. */
  readonly onZoneless?: (() => void) | undefined;
  readonly extraFields: 'reject' | 'properties' | 'drop' | undefined;
  /** `--nested`; undefined is `reject`. */
  readonly nested?: 'reject' | 'flatten' | 'drop' | 'json' | undefined;
  /** `--nulls`; undefined is `reject`. */
  readonly nulls?: 'reject' | 'drop' | undefined;
  /** `--null`: texts that stand for an empty cell. */
  readonly nullTexts?: ReadonlySet<string> | undefined;
  readonly decimalComma?: boolean | undefined;
  /** `--thousands`: what separates them; the decimal mark is a comma for points, else a point. */
  readonly thousands?: Thousands | undefined;
  /** `--drop`: columns, paths or properties. */
  readonly drop?: ReadonlySet<string> | undefined;
  /** `--where field=value`: the accepted values of each field. */
  readonly where?: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /** `--plan`: events that are not as planned are rejected. */
  readonly plan?: GivenPlan | undefined;
  readonly validate: boolean;
  /** The rule of `eventId` is that of a source (`--from`). */
  readonly sourceIds?: boolean | undefined;
  /** The columns or paths of ids that are not sent, because the service does not take `eventId`. */
  readonly unsentIds?: readonly string[] | undefined;
}

/** Returns whether a record is sent as it is, apart from the conversion of its timestamp. */
export function keepsRecords(mapping: Mapping): boolean {
  const { map, set, extraFields, where } = mapping;
  return (
    map.length === 0 &&
    set.size === 0 &&
    (extraFields ?? 'reject') === 'reject' &&
    keepsNested(mapping) &&
    !where?.size
  );
}

/** Returns whether the values inside a free-form part are sent as they are. */
export function keepsNested({ nested, nulls, nullTexts, drop, types }: Mapping): boolean {
  return (
    (nested ?? 'reject') === 'reject' &&
    (nulls ?? 'reject') === 'reject' &&
    !nullTexts?.size &&
    !drop?.size &&
    types.size === 0
  );
}

/**
 * Converts a cell to JSON text, or returns why it does not have the type. Without a type, a cell becomes a number or a
 * boolean only if that prints as the same characters, so that `01234` and `1.50` stay strings.
 */
export function cellJson(
  cell: string,
  type: GivenType | undefined,
  form?: NumberForm,
): { json: string } | { reason: string } {
  const unit = unitOf(type);
  if (unit !== undefined) return amountJson(cell, unit, form);
  switch (type) {
    case undefined:
      return { json: printsTheSame(cell) ? cell : jsonString(cell) };
    case 'string':
      return { json: jsonString(cell) };
    case 'boolean':
      if (/^(true|1)$/i.test(cell)) return { json: 'true' };
      if (/^(false|0)$/i.test(cell)) return { json: 'false' };
      return { reason: 'must be true, false, 1 or 0' };
    case 'number': {
      if (form) {
        const json = plainNumber(cell.trim(), form);
        return json === undefined ? { reason: `must be ${formText(form)}` } : { json };
      }
      const text = cell.trim().replace(/^\+/, '');
      // JSON allows fewer spellings than Number: no hex, no leading zeros, no bare point.
      if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text)))
        return { json: text };
      const value = Number(text);
      if (DECIMAL_COMMA.test(text))
        return {
          reason: `must be a number; this one has a decimal comma: use --decimal-comma, or write ${text.replaceAll('.', '').replace(',', '.')}`,
        };
      if (text === '' || !Number.isFinite(value)) return { reason: 'must be a number' };
      return { json: String(value) };
    }
  }
  return { json: jsonString(cell) };
}

/** Converts an amount with this unit, or without one, to a number. */
function amountJson(
  cell: string,
  unit: string,
  form: NumberForm | undefined,
): { json: string } | { reason: string } {
  const amount = amountOf(cell);
  if (!amount) return { reason: 'must be an amount' };
  if (amount.unit !== '' && amount.unit !== unit)
    return {
      reason: `must be an amount ${unit === '' ? 'without a unit' : `in ${unit}`}, and is in ${amount.unit}`,
    };
  return cellJson(amount.number, 'number', form);
}

/** Matches `9.549,07` and `0,5`, but not `1,234`, which may have a thousands separator. */
const DECIMAL_COMMA = /^-?(?:\d{1,3}(?:\.\d{3}){1,4}|\d{1,15}),(?!\d{3}$)\d{1,15}$/;
function printsTheSame(cell: string): boolean {
  const first = cell.charCodeAt(0);
  if (first === 0x2d || (first >= 0x30 && first <= 0x39)) {
    const value = Number(cell);
    return Number.isFinite(value) && String(value) === cell;
  }
  return cell === 'true' || cell === 'false';
}

/** Returns the property for a name: `properties.plan` and `plan` are the same property. */
export function propertyName(name: string, freePart: string): string {
  return name.startsWith(`${freePart}.`) ? name.slice(freePart.length + 1) : name;
}
