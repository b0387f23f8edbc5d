/**
 * Public classification sets as bandits (Bietti, Agarwal & Langford, 2021): every row is a user of its own, its columns are
 * the traits, every class is a content of one category, and the reward is 1 if the chosen content is the label.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { seededRandom } from '../../src/kit/random.ts';
import type { World } from '../field/worlds.ts';

type Traits = Readonly<Record<string, string | number>>;

export interface DataSet {
  readonly name: string;
  readonly rows: readonly Traits[];
  /** The class of each row, as an index of `classes`. */
  readonly labels: readonly number[];
  readonly classes: readonly string[];
}

/** Reads CSV without a header, or dense ARFF; the last column is the label. `?` and empty cells are missing. */
export function readDataSet(path: string): DataSet {
  const lines = readFileSync(path, 'utf8').split(/\r?\n/);
  const start = path.endsWith('.arff') ? lines.findIndex((line) => /^\s*@data/i.test(line)) + 1 : 0;
  const table = lines
    .slice(start)
    .filter((line) => line.trim() !== '' && !line.startsWith('%'))
    .map(cells);
  const width = table[0]!.length;
  const numeric = Array.from({ length: width - 1 }, (_, i) =>
    table.every((row) => row[i] === '' || Number.isFinite(Number(row[i]))),
  );
  const classes = [...new Set(table.map((row) => row[width - 1]!))].sort();
  return {
    name: basename(path).replace(/\.(arff|csv)$/, ''),
    rows: table.map((row) =>
      Object.fromEntries(
        numeric.flatMap((isNumber, i) =>
          row[i] === '' ? [] : [[`c${i}`, isNumber ? Number(row[i]) : row[i]!] as const],
        ),
      ),
    ),
    labels: table.map((row) => classes.indexOf(row[width - 1]!)),
    classes,
  };
}

/** The cells of a line: separated by commas, in single or double quotes or not. */
function cells(line: string): string[] {
  const found = line.match(/\s*('(\\.|[^'])*'|"[^"]*"|[^,]*)\s*(,|$)/g) ?? [];
  const values = found.map((cell) =>
    cell
      .replace(/,$/, '')
      .trim()
      .replace(/^(['"])(.*)\1$/, '$2'),
  );
  // The expression also matches the empty end of a line.
  if (!line.trimEnd().endsWith(',')) values.pop();
  return values.map((value) => (value === '?' ? '' : value.trim()));
}

export interface Order {
  readonly seed: string;
  readonly rounds: number;
  /** Decisions between a choice and its reward. */
  readonly late: number;
  /** Whether each label stands for the next content from the middle on. */
  readonly permute: boolean;
}

/** A data set in random order. */
export function bandit(
  { name, rows, labels, classes }: DataSet,
  { seed, rounds, late, permute }: Order,
): World {
  const random = seededRandom(`${seed}:order`);
  const order = rows.map((_, i) => i);
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  const decisions = Math.min(rounds, order.length);
  const contents = classes.map((label) => ({
    contentId: `class ${label}`,
    category: 'class',
    format: 'card' as const,
  }));
  return {
    name,
    goal: '',
    decisions,
    from: 0,
    to: decisions,
    delay: () => late,
    at: (t) => 1000 * t,
    contents: () => contents,
    changes: [],
    visit: (t) => ({ user: `user-${t}`, context: {}, traits: rows[order[t]!]!, events: {} }),
    chance: (t, _, content) => {
      const moved = permute && t >= decisions / 2 ? 1 : 0;
      return Number((labels[order[t]!]! + moved) % classes.length === content);
    },
  };
}

/** The share of the most frequent class. */
export function mostFrequent({ labels, classes }: DataSet): number {
  const counts = classes.map((_, i) => labels.filter((label) => label === i).length);
  return Math.max(...counts) / labels.length;
}
