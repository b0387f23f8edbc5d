/**
 * The texts that software makes of a JSON text when it reads it and writes it again: every order of the members, with
 * every spelling of the numbers, in every layout, under every escaping. What comes out the same is told once.
 */
import type { DeliveryBody } from '../../../contract/schemas.ts';
import { GO_NUMBERS, lostSpellings, NUMBER_STYLES, PYTHON_NUMBERS } from './json-numbers.ts';
import { Members, mapTree, NumberAs, type ReadJson, readJson, type Tree } from './json-read.ts';
import { goText, LAYOUTS, PRINTED, pythonText, wordsOf } from './json-write.ts';
import type { Applied } from './mistakes.ts';

export interface Form {
  readonly text: string;
  readonly mistake: Applied;
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
const OF_A_DELIVERY: readonly string[] = [
  'type',
  'decisionId',
  'contentId',
  'hashId',
  'notificationId',
  'deliveryId',
  'occurredAt',
] satisfies Array<keyof DeliveryBody>;
const placeOf = (name: string) => OF_A_DELIVERY.indexOf(name) + 1 || OF_A_DELIVERY.length + 1;

const SORTED: Order = { words: 'keys sorted', sort: byName(before) };
const ORDERS: readonly Order[] = [
  { words: undefined, sort: undefined },
  SORTED,
  {
    words: 'keys sorted by length, as PostgreSQL and MySQL do',
    sort: byName((a, b) => a.length - b.length || before(a, b)),
  },
  { words: "keys in the service's order", sort: byName((a, b) => placeOf(a) - placeOf(b)) },
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
  yield* told(text, formsOf);
}

/**
 * The forms of what the text may have been before a parser lost the spelling of its numbers. They are guesses, many,
 * and told last.
 */
export function* lostForms(text: string): Generator<Form | undefined> {
  yield* told(text, formsBeforeLoss);
}

function* told(
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
  const nameIt = naming(text, isPython);
  const numbers = numbersOf(tree);
  const styles = [...distinct(NUMBER_STYLES, ({ spell }) => numbers.map(spell).join())];
  for (const { words: order, ordered } of distinct(inOrders(tree), asCompact)) {
    for (const { words, spell } of styles) {
      yield* laidOut(withNumbers(ordered, spell), nameIt, [order, words && `numbers ${words}`]);
    }
  }
  yield* printed(tree);
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
  const spelled: string[] = [];
  const note = (one: NumberAs) => {
    spelled.push(one.spelled);
    return one;
  };
  mapTree(tree, { number: note });
  return spelled;
}

function* formsBeforeLoss({ tree, isPython }: ReadJson, text: string): Generator<Form> {
  const nameIt = naming(text, isPython);
  for (const { changed, words } of beforeLoss(tree)) {
    yield* laidOut(changed, nameIt, [`numbers as they were before a parser read them (${words})`]);
  }
}

function* laidOut(
  tree: Tree,
  nameIt: (indented: boolean, detail: string) => Applied,
  notes: ReadonlyArray<string | undefined>,
): Generator<Form> {
  for (const [layout, escapings] of LAYOUTS) {
    const json = layout.write(tree);
    for (const escapes of escapings) {
      const detail = [wordsOf(layout, escapes), ...notes].filter(Boolean).join(', ');
      yield { text: escapes.apply(json), mistake: nameIt(layout.indented, detail) };
    }
  }
}

/** What to call a body that arrived as `text` and was signed in some other form. */
function naming(text: string, isPython: boolean): (indented: boolean, detail: string) => Applied {
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

function* printed(tree: Tree): Generator<Form> {
  const python = pythonText(withNumbers(tree, PYTHON_NUMBERS.spell));
  yield { text: python, mistake: { name: 'python-dict-text', detail: 'as str() writes it' } };
  for (const [words, print] of PRINTED) {
    yield { text: print(tree), mistake: { name: 'stringified-object', detail: words } };
  }
  const go = goText(withNumbers(inOrder(tree, SORTED), GO_NUMBERS.spell));
  yield { text: go, mistake: { name: 'stringified-object', detail: "map[a:1], Go's fmt.Sprint" } };
}

function inOrder(tree: Tree, { sort }: Order): Tree {
  return sort ? mapTree(tree, { object: ({ entries }) => new Members(sort(entries)) }) : tree;
}

function withNumbers(tree: Tree, spell: (spelled: string) => string): Tree {
  return mapTree(tree, { number: ({ spelled }) => new NumberAs(spell(spelled)) });
}

/** Up to here every subset of the numbers is tried. */
const MOST_NUMBERS = 6;

/** Every subset of a few numbers as fractions (`10` and `3` may have been `10.0` and `3`), then each in other spellings. */
function* beforeLoss(tree: Tree): Generator<{ changed: Tree; words: string }> {
  const spelled = numbersOf(tree);
  const first = spelled.map((one) => lostSpellings(one).next().value as string | undefined);
  const whole = [...first.keys()].filter((i) => first[i] !== undefined);
  const replaced = (by: ReadonlyMap<number, string>) => {
    let i = 0;
    return mapTree(tree, { number: (one) => new NumberAs(by.get(i++) ?? one.spelled) });
  };
  const say = (by: ReadonlyMap<number, string>) =>
    [...by].map(([i, as]) => `${as} for ${spelled[i]}`).join(', ');
  const tried = (by: ReadonlyMap<number, string>) => ({ changed: replaced(by), words: say(by) });
  if (whole.length > 0) yield tried(new Map(whole.map((i) => [i, first[i] as string])));
  for (let set = 1; whole.length <= MOST_NUMBERS && set < 2 ** whole.length - 1; set++) {
    yield tried(new Map(whole.filter((_, k) => set & (1 << k)).map((i) => [i, first[i] as string])));
  }
  for (const i of whole) {
    for (const as of lostSpellings(spelled[i] as string)) yield tried(new Map([[i, as]]));
  }
}
