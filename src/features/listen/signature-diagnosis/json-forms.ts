/**
 * The texts that software makes of a JSON text when it reads it and writes it again: every order of the members, with
 * every spelling of the numbers, in every layout, under every escaping. What comes out the same is told once.
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
/** The members of a delivery in the order in which the service writes them. */
const DELIVERY_FIELDS: readonly string[] = [
  'type',
  'decisionId',
  'contentId',
  'hashId',
  'notificationId',
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
 * What becomes of a JSON text; nothing of any other text, nor of one nested deeper than a delivery can be. Undefined is
 * a form that was there before: nothing to try, but work, after which the caller may pause.
 */
export function* jsonForms(text: string): Generator<Form | undefined> {
  yield* uniqueForms(text, formsOf);
}

/**
 * The forms of what the text may have been before a parser lost the spelling of its numbers. They are guesses, many,
 * and told last.
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
    if (!(error instanceof RangeError)) throw error; // too deep, or too long for a pattern: nobody wrote that
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

/** The items that differ in what `key` makes of them, the first of each. */
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

/** The numbers of a tree as they are spelled, in their order. */
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

/** What to call a body that arrived as `text` and was signed in some other form. */
function mistakeNamer(
  text: string,
  isPython: boolean,
): (indented: boolean, detail: string) => AppliedMistake {
  const cameIndented = /^\s*[{[]\s*\n/.test(text);
  return (indented, detail) => ({
    name: isPython
      ? 'python-dict-text'
      : indented || cameIndented
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

/** Up to here every subset of the numbers is tried. */
const MAX_SUBSET_NUMBERS = 6;

/** Every subset of a few numbers as fractions (`10` and `3` may have been `10.0` and `3`), then each in other spellings. */
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
