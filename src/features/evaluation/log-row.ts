import { SvcError } from '../../cli/errors/svc-error.ts';
import type { LogEntry } from './evaluate-log.ts';
import type { LoggedDecision, Range } from './logged-decision.ts';

/** The fields of a logged decision in a file, which `--map` reads from other columns. */
export const LOG_FIELDS = ['action', 'reward', 'propensity', 'candidates', 'at'] as const;

export type LogField = (typeof LOG_FIELDS)[number];

type Candidates = LoggedDecision['candidates'];

/** The smallest propensity that is not 0: the squares of weights, which are reciprocals of it, must be finite. */
const LEAST = 1e-15;
/** How far the propensities of the candidates may add up to more or less than 1, for those that were rounded. */
const ROUNDING = 0.05;

/** A decimal number; not hexadecimal. */
const DECIMAL = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/** Names of a content's id in a list of candidates. */
const ID_NAMES = ['contentId', 'action', 'id'];

/** One row of a log file: its fields by name, and by `--map`. Its methods throw usage, naming the line. */
export class LogRow {
  readonly #line: number;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #map: ReadonlyMap<LogField, string>;

  constructor(line: number, fields: Readonly<Record<string, unknown>>, map: ReadonlyMap<LogField, string>) {
    this.#line = line;
    this.#fields = fields;
    this.#map = map;
  }

  /** The id of the chosen content; null if none was chosen. */
  action(): string | null {
    const name = this.#map.get('action') ?? (Object.hasOwn(this.#fields, 'action') ? 'action' : 'contentId');
    const value = this.#required('action', name);
    return isMissing(value) ? null : this.#id(value, 'action');
  }

  /** The candidates that the row lists; undefined if it has no such field. */
  candidates(): Candidates | undefined {
    const name = this.#map.get('candidates');
    const value = name === undefined ? this.#own('candidates') : this.#required('candidates', name);
    if (isMissing(value)) return undefined;
    const list = typeof value === 'string' ? parseJson(value) : value;
    if (!Array.isArray(list)) this.#fail('candidates', 'is not a JSON array');
    const candidates = (list as unknown[]).map((item) => {
      if (typeof item !== 'object' || item === null)
        return { contentId: this.#id(item, 'candidates'), propensity: Number.NaN, ranking: Number.NaN };
      const fields = item as Record<string, unknown>;
      const id = ID_NAMES.map((key) => fields[key]).find((each) => !isMissing(each));
      return {
        contentId: this.#id(id, 'candidates'),
        propensity: this.#number(fields.propensity, 'candidates'),
        ranking: this.#number(fields.ranking, 'candidates'),
      };
    });
    if (new Set(candidates.map(({ contentId }) => contentId)).size < candidates.length)
      this.#fail('candidates', 'names a content twice');
    for (const { propensity } of candidates)
      if (propensity !== 0 && (propensity < LEAST || propensity > 1))
        this.#fail('candidates', `has a propensity that is neither 0 nor from ${LEAST} to 1`);
    return candidates;
  }

  /** Unix ms of the decision. */
  instant(): number {
    const value = this.#required('at', this.#map.get('at') ?? 'at');
    const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(at)) this.#fail('at', 'is not a time such as 2026-03-01T00:00:00Z');
    return at;
  }

  /**
   * @param given the candidates listed in the row
   * @param count how many there were where the row does not list them
   */
  entry(given: Candidates | undefined, count: number | undefined, range: Range): LogEntry {
    const contentId = this.action();
    const entry = { contentId, reward: this.#reward(range) };
    if (contentId === null) return { ...entry, candidates: [] };
    const propensity = this.#propensity(given !== undefined);
    const chosen = { contentId, propensity, ranking: Number.NaN };
    if (given) {
      const known = (each: Candidates[number]) =>
        each.contentId === contentId && !Number.isNaN(propensity) ? { ...each, propensity } : each;
      const candidates = given.map(known);
      const others = this.#others();
      this.#checkSum(candidates, others);
      return { ...entry, candidates, others };
    }
    const others = { count: Math.max(0, count! - 1), ranking: Number.NaN, expected: Number.NaN };
    return { ...entry, candidates: [chosen], others: others.count > 0 ? others : undefined };
  }

  /** Fails unless the propensities add up to 1, or to less where some candidates are not named or not known. */
  #checkSum(candidates: Candidates, others: LoggedDecision['others']): void {
    const known = candidates.map(({ propensity }) => propensity).filter((each) => !Number.isNaN(each));
    const total = known.reduce((sum, each) => sum + each, 0);
    const complete = known.length === candidates.length && known.length > 0 && !others;
    if (total > 1 + ROUNDING || (complete && total < 1 - ROUNDING))
      this.#fail('candidates', `has propensities that add up to ${total.toFixed(3)} and not to 1`);
  }

  /** Null if it is missing: the outcome is not known yet. */
  #reward({ low, high }: Range): number | null {
    const value = this.#required('reward', this.#map.get('reward') ?? 'reward');
    if (isMissing(value)) return null;
    const reward = this.#number(value, 'reward');
    if (reward >= low && reward <= high) return reward;
    throw new SvcError(
      'usage',
      `line ${this.#line} of the log: reward ${reward} is not from ${low} to ${high}`,
      {
        hint: (invocation) => invocation.rerunWith('--reward-range', 'LOW..HIGH'),
      },
    );
  }

  /** Probability of the chosen content; NaN if it is missing. */
  #propensity(optional: boolean): number {
    const name = this.#map.get('propensity') ?? 'propensity';
    const mapped = this.#map.has('propensity');
    const value = optional && !mapped ? this.#own(name) : this.#required('propensity', name);
    if (isMissing(value)) return Number.NaN;
    const propensity = this.#number(value, 'propensity');
    if (!(propensity >= LEAST && propensity <= 1))
      this.#fail('propensity', `is not above 0 (${LEAST} or more) and at most 1`);
    return propensity;
  }

  /** The summary of the candidates that an entry of our own log does not name. */
  #others(): LoggedDecision['others'] {
    const value = this.#own('others');
    if (typeof value !== 'object' || value === null) return undefined;
    const { count, ranking, expected } = value as Record<string, unknown>;
    if (!Number.isSafeInteger(count) || (count as number) < 0)
      this.#fail('others', 'has a count that is not a whole number from 0');
    return {
      count: count as number,
      ranking: this.#number(ranking, 'others'),
      expected: this.#number(expected, 'others'),
    };
  }

  #own(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
  }

  #required(field: LogField, name: string): unknown {
    if (Object.hasOwn(this.#fields, name)) return this.#fields[name];
    const columns = Object.keys(this.#fields).slice(0, 12).join(', ');
    throw new SvcError('usage', `line ${this.#line} of the log has no ${name}; it has: ${columns}`, {
      hint: `add --map ${field}=COLUMN with the name of the column`,
    });
  }

  #id(value: unknown, field: string): string {
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    return this.#fail(field, 'is not an id (a string or a number)');
  }

  /** A number, `true` as 1 and `false` as 0; NaN if it is missing. */
  #number(value: unknown, field: string): number {
    if (isMissing(value)) return Number.NaN;
    const text = String(value).trim();
    const isBoolean = /^(true|false)$/i.test(text);
    const number = isBoolean ? Number(/^true$/i.test(text)) : Number(text);
    const decimal = isBoolean || typeof value !== 'string' || DECIMAL.test(text);
    if (typeof value === 'object' || !decimal || !Number.isFinite(number))
      this.#fail(field, 'is not a number');
    return number;
  }

  #fail(field: string, reason: string): never {
    throw new SvcError('usage', `line ${this.#line} of the log: ${field} ${reason}`, {
      hint: 'correct that line, or leave it out',
    });
  }
}

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
