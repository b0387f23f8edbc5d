import type { Sample } from '../formats/sample.ts';
import { typeOfColumn } from '../mapping/column-types.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { ColumnTypes } from '../record/cell-type.ts';

/** Decides the type of every column of the samples; a column of several inputs has one type. */
export function decideTypes(samples: readonly Sample[], mapping: Mapping): ColumnTypes {
  const cells = new Map<string, Iterable<string>[]>();
  const given = new Map(samples.flatMap(({ types }) => [...(types ?? [])]));
  for (const { header, typeRows: rows } of samples)
    for (const [index, name] of (header ?? []).entries()) {
      const parts = cells.get(name);
      if (parts) parts.push(cellsAt(rows, index));
      else cells.set(name, [cellsAt(rows, index)]);
    }
  return new Map(
    [...cells].map(([name, parts]) => [
      name,
      given.get(name) ?? typeOfColumn(name, parts.length === 1 ? parts[0]! : chained(parts), mapping),
    ]),
  );
}

function* cellsAt(rows: readonly (readonly string[])[], index: number): Generator<string> {
  for (const row of rows) yield row[index] ?? '';
}

function* chained(parts: readonly Iterable<string>[]): Generator<string> {
  for (const part of parts) yield* part;
}
