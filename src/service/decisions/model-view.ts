import { COPIES, DEFAULT_COPY } from './engine/copies.ts';
import { namesOfRows } from './engine/encoding.ts';
import { LINEAR } from './engine/evidence.ts';
import { magnitudeRows, nameOfColumn } from './engine/features.ts';
import type { Known, Model } from './engine/model.ts';

/** Contents that are shown, those with the most learned decisions first, and weights of each. */
const MAX_CONTENTS = 20;
const MAX_WEIGHTS = 5;
/** Characters of the name of a row: that of a product has two names. */
const MAX_NAME = 140;

/** What each view of the logistic variants knows, in the order of `VIEWS`. */
const KNOWS = ['nothing', 'place', 'traits', 'behavior', 'everything'] as const;

/** Who decides, and what was learned of the contents, within bounds. */
export function viewOfModel(model: Model) {
  const { copy, isLinear, sums } = model.evidence;
  const { resetAt } = model.change;
  const decider = isLinear ? LINEAR : copy;
  const experts = [...COPIES, undefined].map((variant, i) => ({
    kind: variant ? ('logistic' as const) : ('linear' as const),
    knows: variant ? (variant.personal ? ('users' as const) : KNOWS[variant.view]!) : ('everything' as const),
    evidence: Number(sums[i]!.toFixed(2)),
    decides: i === decider,
  }));
  const table = model.views.tables[COPIES[isLinear ? DEFAULT_COPY : copy]!.view]!;
  return {
    resetAt: resetAt === null ? null : new Date(resetAt).toISOString(),
    experts,
    rows: {
      linear: { used: Math.min(model.encoding.table.rows.size, model.linearRows), limit: model.linearRows },
      logistic: { used: Math.min(table.rows.size, model.copyRows), limit: model.copyRows },
    },
    contents: isLinear ? byLinear(model) : byCopy(model, copy),
  };
}

type Weighted = readonly [key: number, weight: number];

function byLinear(model: Model) {
  const { rows } = model.encoding.table;
  return learned(model, namesOfLinearRows(model), ({ linear }) =>
    [...rows].map(([key, row]): Weighted => [key, row === 0 ? 0 : linear.weight(row)]),
  );
}

function byCopy(model: Model, copy: number) {
  const { view } = COPIES[copy]!;
  const { rows } = model.views.tables[view]!;
  return learned(model, namesOfLogisticRows(model, view), ({ blocks }) =>
    [...rows].map(([key, row]): Weighted => [key, row === 0 ? 0 : blocks[copy]!.weight(row)]),
  );
}

/** The contents with the most learned decisions, and their largest weights. */
function learned(model: Model, names: ReadonlyMap<number, string>, weightsOf: (known: Known) => Weighted[]) {
  return [...model.contents]
    .sort(([, a], [, b]) => b.seen - a.seen)
    .slice(0, MAX_CONTENTS)
    .map(([contentId, known]) => ({
      contentId,
      learned: known.seen,
      weights: weightsOf(known)
        .filter(([, weight]) => weight !== 0 && Number.isFinite(weight))
        .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
        .slice(0, MAX_WEIGHTS)
        .map(([key, weight]) => ({
          name: names.get(key)?.slice(0, MAX_NAME) ?? null,
          weight: Number(weight.toPrecision(3)),
        })),
    }));
}

/** The names of the rows of numbers and products, of those columns whose names this process has met. */
function namesOfLinearRows({ encoding }: Model): Map<number, string> {
  const columns: [number, string][] = [];
  for (const key of [...encoding.numbers.known.keys(), ...encoding.table.rows.keys()]) {
    const name = nameOfColumn(key);
    if (name !== undefined) columns.push([key, name]);
  }
  return namesOfRows(columns, encoding.table);
}

function namesOfLogisticRows({ encoding, views }: Model, view: number): Map<number, string> {
  const names = new Map<number, string>();
  for (const key of views.tables[view]!.rows.keys()) {
    const name = nameOfColumn(key);
    if (name !== undefined) names.set(key, name);
  }
  for (const key of encoding.numbers.known.keys()) {
    const name = nameOfColumn(key);
    if (name === undefined) continue;
    for (const [row, range] of magnitudeRows(key)) names.set(row, `${name} ${range}`);
  }
  return names;
}
