/**
 * Made-up audiences in which users are silent, different and changing. Each world is a function of its seed; a
 * runner (in process or over HTTP) asks it who comes next and what the chances are.
 */
import { type Random, seededRandom } from '../../src/kit/random.ts';

interface FieldContent {
  readonly contentId: string;
  readonly category: string;
  readonly format: 'card' | 'modal' | 'embedded' | 'full-screen';
  readonly tags?: readonly string[];
}

/** Who a decision is for, and where. */
export interface Visit {
  readonly user: string;
  readonly context: Readonly<Record<string, string>>;
  readonly traits: Readonly<Record<string, string | number>>;
  /** Events of the user before the first decision: name to count. */
  readonly events: Readonly<Record<string, number>>;
}

export interface World {
  readonly name: string;
  readonly decisions: number;
  /** Decisions from `from` on, before `to`, are measured. */
  readonly from: number;
  readonly to: number;
  /** Decisions between a message and its click. */
  delay(t: number): number;
  readonly goal: string;
  /** When a decision is made, Unix ms, where no real time passes. */
  at(t: number): number;
  /** The contents on offer at a decision. */
  contents(t: number): readonly FieldContent[];
  visit(t: number): Visit;
  /** Chance of a click. */
  chance(t: number, visit: Visit, content: number): number;
  /** Where set, the share of this content is measured in place of the gap. */
  readonly shareOf?: number;
  /** Decisions at which the set of contents changes. */
  readonly changes: readonly number[];
}

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
const normals = (random: Random) => () =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const pick = (random: Random, n: number) => Math.floor(random() * n);

const FORMATS = ['card', 'modal', 'embedded', 'full-screen'] as const;
const SURFACES = ['home', 'cart', 'search'];
const LOCALES = ['en-GB', 'de-DE', 'fr-FR'];
const BASE = -1.4;

interface Parts {
  readonly name: string;
  readonly goal: string;
  readonly seed: string;
  readonly decisions: number;
  readonly from?: number;
  readonly to?: number;
  /** Decisions between a message and its click; the mean, where `scattered`. */
  readonly delay?: number;
  readonly scattered?: boolean;
  /** From this decision on, each takes twelve times as long. */
  readonly slowAt?: number;
  readonly contents?: number;
  readonly categories?: number;
  readonly users?: number;
  /** Spreads of what adds to the log-odds: a content itself, its places, a trait, an event, the user's own taste. */
  readonly own?: number;
  readonly place?: number;
  readonly trait?: number;
  readonly event?: number;
  readonly taste?: number;
  /** How much of `own` and `place` all contents of a category share, as a spread of its own. */
  readonly shared?: number;
  /** Contents have different formats and two of twelve tags each; how much of `place` all with one share, as a spread. */
  readonly tagged?: number;
}

/** Format and tags of a content, the same in every world. */
function describe(content: number): Pick<FieldContent, 'format' | 'tags'> {
  const random = seededRandom(`kin ${content}`);
  const tag = pick(random, 12);
  const format = FORMATS[pick(random, 4)]!;
  return { format, tags: [`tag ${tag}`, `tag ${(tag + 1 + pick(random, 11)) % 12}`] };
}

/** What formats and tags add to the log-odds. */
function likings(seed: string, contents: readonly FieldContent[], spread: number) {
  const drawn = new Map<string, number[]>();
  const of = (name: string) => {
    let liking = drawn.get(name);
    if (!liking) {
      const normal = normals(seededRandom(`${seed}:${name}`));
      liking = Array.from({ length: 1 + SURFACES.length + LOCALES.length }, () => spread * normal());
      drawn.set(name, liking);
    }
    return liking;
  };
  return ({ context }: Visit, content: number) => {
    const { format, tags = [] } = contents[content]!;
    const surface = 1 + SURFACES.indexOf(context.surface!);
    const locale = 1 + SURFACES.length + LOCALES.indexOf(context.locale!);
    return [format, ...tags]
      .map(of)
      .reduce((sum, liking) => sum + liking[0]! + liking[surface]! + liking[locale]!, 0);
  };
}

/** The log-odds of contents for users, drawn once for a life of the world. */
function tastes(p: Parts, seed: string, categories: readonly number[]) {
  const normal = normals(seededRandom(seed));
  const each = (n: number, spread: number) => Array.from({ length: n }, () => spread * normal());
  const table = (rows: number, n: number, spread: number) =>
    Array.from({ length: rows }, () => each(n, spread));
  const n = categories.length;
  const kinds = Math.max(...categories) + 1;
  const own = each(n, p.own ?? 0.5);
  const surface = table(n, 3, p.place ?? 0);
  const locale = table(n, 3, p.place ?? 0);
  const kindOwn = each(kinds, p.shared ?? 0);
  const kindSurface = table(kinds, 3, p.shared ?? 0);
  const kindLocale = table(kinds, 3, p.shared ?? 0);
  const trait = table(n, 4, p.trait ?? 0);
  const event = table(n, 4, p.event ?? 0);
  const personal = new Map<string, number[]>();
  const ofUser = (user: string) => {
    let taste = personal.get(user);
    if (!taste) {
      const draw = normals(seededRandom(`${seed}:${user}`));
      taste = Array.from({ length: n }, () => p.taste! * draw());
      personal.set(user, taste);
    }
    return taste;
  };
  return (visit: Visit, content: number) => {
    const s = SURFACES.indexOf(visit.context.surface!);
    const l = LOCALES.indexOf(visit.context.locale!);
    const k = categories[content]!;
    let score = BASE + own[content]! + surface[content]![s]! + locale[content]![l]!;
    score += kindOwn[k]! + kindSurface[k]![s]! + kindLocale[k]![l]!;
    if (p.trait) score += trait[content]![Number(String(visit.traits.segment).slice(1))]!;
    if (p.event) score += event[content]![Number(Object.keys(visit.events)[0]!.slice(6))]!;
    if (p.taste) score += ofUser(visit.user)[content]!;
    return score;
  };
}

function world(
  p: Parts,
  special: Partial<Pick<World, 'contents' | 'shareOf' | 'changes'>> & {
    /** Replaces a chance; gets the one that the tastes give. */
    readonly chance?: (t: number, visit: Visit, content: number, given: number) => number;
  } = {},
): World {
  const count = p.contents ?? 10;
  const kinds = p.categories ?? 5;
  const categories = Array.from({ length: count }, (_, i) => i % kinds);
  const contents = categories.map(
    (k, i): FieldContent => ({
      contentId: `content-${i}`,
      category: `category-${k}`,
      ...(p.tagged ? describe(i) : { format: 'card' }),
    }),
  );
  const taste = tastes(p, `${p.seed}:tastes`, categories);
  const liking = p.tagged ? likings(`${p.seed}:likings`, contents, p.tagged) : () => 0;
  const users = p.users ?? 2000;
  return {
    name: p.name,
    goal: p.goal,
    decisions: p.decisions,
    from: p.from ?? Math.floor(p.decisions * 0.75),
    to: p.to ?? p.decisions,
    delay: (t) => {
      if (!p.scattered) return p.delay ?? 0;
      return Math.floor(-Math.log(1 - seededRandom(`${p.seed}:delay:${t}`)()) * p.delay!);
    },
    at: (t) => 1000 * (t + 11 * Math.max(0, t - (p.slowAt ?? t))),
    contents: () => contents,
    changes: [],
    ...special,
    visit: (t) => {
      const random = seededRandom(`${p.seed}:visit:${t}`);
      const u = pick(random, users);
      const of = seededRandom(`${p.seed}:user:${u}`);
      return {
        user: `user-${u}`,
        context: {
          channel: 'in-app',
          surface: SURFACES[pick(random, 3)]!,
          locale: LOCALES[pick(random, 3)]!,
        },
        traits: { segment: `s${pick(of, 4)}`, age: String(pick(of, 5)) },
        events: { [`event-${pick(of, 4)}`]: 1 + pick(of, 6) },
      };
    },
    chance: (t, visit, content) => {
      const chance = sigmoid(taste(visit, content) + liking(visit, content));
      return special.chance ? special.chance(t, visit, content, chance) : chance;
    },
  };
}

const FIRST = { own: 0.5, place: 0.95 };

/** The worlds of the field benchmark, by name. */
export const WORLDS: Readonly<Record<string, (seed: string) => World>> = {
  silent: (seed) => world({ name: 'silent', goal: '>= 92 %', seed, decisions: 8000, ...FIRST }),
  // Nothing changes: a fall that is noticed here is a false alarm. Played in process only.
  steady: (seed) => world({ name: 'steady', goal: 'no fall', seed, decisions: 60_000, ...FIRST }),
  'steady-late': (seed) =>
    world({
      name: 'steady-late',
      goal: 'no fall',
      seed,
      decisions: 60_000,
      delay: 500,
      scattered: true,
      ...FIRST,
    }),
  trait: (seed) => world({ name: 'trait', goal: '>= 90 %', seed, decisions: 6000, own: 0.4, trait: 1.1 }),
  event: (seed) => world({ name: 'event', goal: '>= 90 %', seed, decisions: 6000, own: 0.4, event: 1.1 }),
  history: (seed) =>
    world({ name: 'history', goal: '>= 85 %', seed, decisions: 6000, users: 40, own: 0.2, taste: 1.4 }),
  dies: (seed) => {
    const inner = world({ name: 'dies', goal: '', seed, decisions: 1, ...FIRST });
    const best = bestOnAverage(inner);
    return world(
      {
        name: 'dies',
        goal: '>= 90 %',
        seed,
        decisions: 15_000,
        from: 13_500,
        to: 15_000,
        ...FIRST,
      },
      { chance: (t, _, content, given) => (content === best && t >= 12_000 ? 0.005 : given) },
    );
  },
  turns: (seed) => turning(seed, 'turns', 5000, 7500, 6875),
  // The same second half, alone: what a model learns that never knew the first.
  fresh: (seed) => turning(seed, 'fresh', 0, 2500, 1875),
  many: (seed) =>
    world({
      name: 'many',
      goal: '>= 82 %',
      seed,
      decisions: 20_000,
      contents: 500,
      categories: 20,
      own: 0.35,
      shared: 0.7,
    }),
  // As many contents, which have more in common than their category; few decisions each.
  tags: (seed) =>
    world({
      name: 'tags',
      goal: 'above many',
      seed,
      decisions: 8000,
      contents: 500,
      categories: 20,
      own: 0.35,
      shared: 0.35,
      tagged: 0.45,
    }),
  joins: (seed) => {
    const p: Parts = {
      name: 'joins',
      goal: '<= 4 %',
      seed,
      decisions: 6500,
      contents: 11,
      from: 5000,
      ...FIRST,
    };
    const all = world(p).contents(0);
    return world(p, {
      contents: (t) => (t < 5000 ? all.slice(0, 10) : all),
      changes: [5000],
      shareOf: 10,
      chance: (_, __, content, given) => (content === 10 ? 0.05 : given),
    });
  },
  late: (seed) => world({ name: 'late', goal: '>= 88 %', seed, decisions: 8000, delay: 500, ...FIRST }),
  // Traffic that gets less, so that the same delays take longer. Played in process only.
  slows: (seed) =>
    world({ name: 'slows', goal: '>= 88 %', seed, decisions: 8000, delay: 500, slowAt: 4000, ...FIRST }),
  'late-history': (seed) =>
    world({
      name: 'late-history',
      goal: '>= 85 %',
      seed,
      decisions: 6000,
      users: 40,
      own: 0.2,
      taste: 1.4,
      delay: 500,
    }),
};

function turning(seed: string, name: string, at: number, decisions: number, from: number): World {
  const p: Parts = { name, goal: 'within 5 of fresh', seed, decisions, from, ...FIRST };
  const after = world({ ...p, seed: `${seed}:after` });
  return world(p, {
    chance: (t, visit, content, given) => (t >= at ? after.chance(t, visit, content) : given),
  });
}

function bestOnAverage(world: World): number {
  const visits = Array.from({ length: 300 }, (_, t) => world.visit(t));
  const means = world
    .contents(0)
    .map((_, content) => visits.reduce((sum, visit) => sum + world.chance(0, visit, content), 0));
  return means.indexOf(Math.max(...means));
}
