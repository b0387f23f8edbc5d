/**
 * Generates the texts that software may produce when it parses and serializes a JSON text: every member order, number
 * format, layout and escaping. Equal texts are yielded once.
 */
import type { DeliveryBody } from '../../../contract/schemas.ts';
import { GO_NUMBERS, lostSpellings, NUMBER_STYLES, PYTHON_NUMBERS } from './json-numbers.ts';
import { Members, mapTree, NumberLiteral, type ReadJson, readJson, type Tree } from './json-read.ts';
import { describeForm, goText, LAYOUTS, PRINTED, pythonText } from './json-write.ts';
import type { AppliedMistake } from './mistakes.ts';

export interface Form {
  readonly text: string;
  readonly mistake: AppliedMistake;
}

interface Order {
  readonly words: string | undefined;
  readonly sort: ((entries: Members['entries']) => Members['entries']) | undefined;
}

const before = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const byName =
  (compare: (a: string, b: string) => number): Order['sort'] =>
  (entries) =>
    entries.toSorted(([a], [b]) => compare(a, b));
/** The members of a delivery in the order of the service. */
const DELIVERY_FIELDS: readonly string[] = [
  'type',
  'decisionId',
  'contentId',
  'hashId',
  'notificationId',
  'goalId',
  'value',
  'channel',
  'category',
  'reason',
  'webhookId',
  'failedDeliveryId',
  'provider',
  'pending',
  'oldestAt',
  'deliveryId',
  'occurredAt',
] satisfies Array<keyof DeliveryBody>;
const positionOf = (name: string) => DELIVERY_FIELDS.indexOf(name) + 1 || DELIVERY_FIELDS.length + 1;

const SORTED: Order = { words: 'keys sorted', sort: byName(before) };
const ORDERS: readonly Order[] = [
  { words: undefined, sort: undefined },
  SORTED,
  {
    words: 'keys sorted by length, as PostgreSQL and MySQL do',
    sort: byName((a, b) => a.length - b.length || before(a, b)),
  },
  { words: "keys in the service's order", sort: byName((a, b) => positionOf(a) - positionOf(b)) },
  {
    words: 'keys that are numbers first, as JavaScript does',
    sort: (entries) => Object.entries(Object.fromEntries(entries)),
  },
];

/**
 * Yields the forms of a JSON text; nothing for other text or for JSON that is nested too deeply. Yields undefined for a
 * duplicate, so that the caller can pause.
 */
export function* jsonForms(text: string): Generator<Form | undefined> {
  yield* uniqueForms(text, formsOf);
}

/**
 * Yields the forms that the text may have had before a parser lost the original number literals. These are numerous
 * guesses, so they are tried last.
 */
export function* formsBeforeNumberLoss(text: string): Generator<Form | undefined> {
  yield* uniqueForms(text, formsBeforeLoss);
}

function* uniqueForms(
  text: string,
  forms: (read: ReadJson, text: string) => Generator<Form>,
): Generator<Form | undefined> {
  const seen = new Set([text]);
  try {
    const read = readJson(text);
    if (read === undefined) return;
    for (const form of forms(read, text)) {
      if (seen.has(form.text)) yield undefined;
      else {
        seen.add(form.text);
        yield form;
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // too deep, or too long for a regular expression
  }
}

function* formsOf({ tree, isPython }: ReadJson, text: string): Generator<Form> {
  const nameMistake = mistakeNamer(text, isPython);
  const numbers = numbersOf(tree);
  const styles = [...distinct(NUMBER_STYLES, ({ format }) => numbers.map(format).join())];
  for (const { words: order, ordered } of distinct(inOrders(tree), asCompact)) {
    for (const { words, format } of styles) {
      yield* writtenInLayouts(withNumbers(ordered, format), nameMistake, [
        order,
        words && `numbers ${words}`,
      ]);
    }
  }
  yield* printedForms(tree);
}

/** Yields the first item for each value of `key`. */
function* distinct<T>(items: Iterable<T>, key: (item: T) => string): Generator<T> {
  const seen = new Set<string>();
  for (const item of items) {
    const made = key(item);
    if (!seen.has(made)) yield item;
    seen.add(made);
  }
}

function* inOrders(tree: Tree): Generator<{ words: string | undefined; ordered: Tree }> {
  for (const order of ORDERS) yield { words: order.words, ordered: inOrder(tree, order) };
}

const asCompact = ({ ordered }: { ordered: Tree }) => LAYOUTS[0]![0].write(ordered);

/** Returns the number literals of a tree in document order. */
function numbersOf(tree: Tree): string[] {
  const literal: string[] = [];
  const note = (one: NumberLiteral) => {
    literal.push(one.literal);
    return one;
  };
  mapTree(tree, { number: note });
  return literal;
}

function* formsBeforeLoss({ tree, isPython }: ReadJson, text: string): Generator<Form> {
  const nameMistake = mistakeNamer(text, isPython);
  for (const { changed, words } of treesBeforeNumberLoss(tree)) {
    yield* writtenInLayouts(changed, nameMistake, [
      `numbers as they were before a parser read them (${words})`,
    ]);
  }
}

function* writtenInLayouts(
  tree: Tree,
  nameMistake: (indented: boolean, detail: string) => AppliedMistake,
  notes: ReadonlyArray<string | undefined>,
): Generator<Form> {
  for (const [layout, escapings] of LAYOUTS) {
    const json = layout.write(tree);
    for (const escapes of escapings) {
      const detail = [describeForm(layout, escapes), ...notes].filter(Boolean).join(', ');
      yield { text: escapes.apply(json), mistake: nameMistake(layout.indented, detail) };
    }
  }
}

/** Returns a function that names the mistake for a body received as `text` and signed in another form. */
function mistakeNamer(
  text: string,
  isPython: boolean,
): (indented: boolean, detail: string) => AppliedMistake {
  const receivedIndented = /^\s*[{[]\s*\n/.test(text);
  return (indented, detail) => ({
    name: isPython
      ? 'python-dict-text'
      : indented || receivedIndented
        ? 'pretty-printed-body'
        : 're-serialised-body',
    detail,
  });
}

function* printedForms(tree: Tree): Generator<Form> {
  const python = pythonText(withNumbers(tree, PYTHON_NUMBERS.format));
  yield { text: python, mistake: { name: 'python-dict-text', detail: 'as str() writes it' } };
  for (const [words, print] of PRINTED) {
    yield { text: print(tree), mistake: { name: 'stringified-object', detail: words } };
  }
  const go = goText(withNumbers(inOrder(tree, SORTED), GO_NUMBERS.format));
  yield { text: go, mistake: { name: 'stringified-object', detail: "map[a:1], Go's fmt.Sprint" } };
}

function inOrder(tree: Tree, { sort }: Order): Tree {
  return sort ? mapTree(tree, { object: ({ entries }) => new Members(sort(entries)) }) : tree;
}

function withNumbers(tree: Tree, format: (literal: string) => string): Tree {
  return mapTree(tree, { number: ({ literal }) => new NumberLiteral(format(literal)) });
}

/** Maximum number of numbers for which every subset is tried. */
const MAX_SUBSET_NUMBERS = 6;

/** Yields every subset of a few numbers as fractions (`10` and `3` may have been `10.0` and `3`), then other literals. */
function* treesBeforeNumberLoss(tree: Tree): Generator<{ changed: Tree; words: string }> {
  const literal = numbersOf(tree);
  const first = literal.map((one) => lostSpellings(one).next().value as string | undefined);
  const whole = [...first.keys()].filter((i) => first[i] !== undefined);
  const replaced = (by: ReadonlyMap<number, string>) => {
    let i = 0;
    return mapTree(tree, { number: (one) => new NumberLiteral(by.get(i++) ?? one.literal) });
  };
  const say = (by: ReadonlyMap<number, string>) =>
    [...by].map(([i, as]) => `${as} for ${literal[i]}`).join(', ');
  const tried = (by: ReadonlyMap<number, string>) => ({ changed: replaced(by), words: say(by) });
  if (whole.length > 0) yield tried(new Map(whole.map((i) => [i, first[i] as string])));
  for (let set = 1; whole.length <= MAX_SUBSET_NUMBERS && set < 2 ** whole.length - 1; set++) {
    yield tried(new Map(whole.filter((_, k) => set & (1 << k)).map((i) => [i, first[i] as string])));
  }
  for (const i of whole) {
    for (const as of lostSpellings(literal[i] as string)) yield tried(new Map([[i, as]]));
  }
}
