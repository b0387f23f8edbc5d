/**
 * Processor time of one choice of the decision engine, in process and without a store, by size of the catalog:
 * contents in 20 categories, of four formats and with three of 100 tags each, that have all been learned, users with traits, events and history, and a rule on every
 * second content. `npm run bench -- bench/decide-cost.ts [contents,… [more traits]]`.
 */
import { cpus } from 'node:os';
import { seededRandom } from '../src/kit/random.ts';
import { attributesOf } from '../src/service/catalog/attributes.ts';
import { type Content, windowOf } from '../src/service/catalog/content.ts';
import { alternativesOf, decide, type Situation } from '../src/service/decisions/engine/decide.ts';
import { fold } from '../src/service/decisions/engine/learning.ts';
import { logged } from '../src/service/decisions/engine/log-entry.ts';
import { emptyModel, type Model } from '../src/service/decisions/engine/model.ts';

const SIZES = (process.argv[2] ?? '100,500,1000,2000').split(',').map(Number);
/** Traits of a user beside plan, age and city, every second one a number. */
const TRAITS = Number(process.argv[3] ?? 0);
/** Decisions learned per content. */
const LEARNED = 20;
const DECISIONS = 1000;
/** Decisions, and outcomes to learn, before the measured ones: a service that runs has compiled its code. */
const WARM = 1000;
const USERS = 500;

console.log(`${cpus().length} cores (${cpus()[0]!.model}), Node ${process.version}`);
for (const size of SIZES) {
  const attributes = attributesOf(Array.from({ length: size }, (_, i) => describe(i)));
  const contents = attributes.map((of, i) => contentOf(i, of));
  const model = emptyModel();
  const random = seededRandom(size);
  learn(model, contents, random);
  for (const [name, held] of [
    ['untrained', emptyModel()],
    ['learned', model],
  ] as const) {
    const situations = Array.from({ length: DECISIONS }, (_, i) => situationOf(i, contents, held, random));
    for (let i = 0; i < WARM; i++) work(situations[i % DECISIONS]!);
    const before = process.cpuUsage();
    let logBytes = 0;
    for (const situation of situations) logBytes += work(situation);
    const { user, system } = process.cpuUsage(before);
    const each = (user + system) / 1000 / DECISIONS;
    if (name === 'learned') learn(model, contents, random, WARM, contents);
    const start = process.cpuUsage();
    if (name === 'learned') learn(model, contents, random, DECISIONS, contents);
    const learning = process.cpuUsage(start);
    const both = (learning.user + learning.system) / 1000 / DECISIONS;
    const rows = [...held.contents.values()].reduce((sum, { linear }) => sum + linear.capacity, 0) / size;
    console.log(
      `${size} contents, ${name}: ${each.toFixed(2)} ms of CPU a decision, ${both.toFixed(2)} ms with learning, ${Math.round(logBytes / DECISIONS)} bytes of log, ` +
        `model ${((held.size * 8) / 1e6).toFixed(1)} MB, ${rows.toFixed(0)} rows a content`,
    );
  }
}

/** What a request computes: the choice, its alternatives and its entry in the log. Returns the bytes of the log. */
function work(situation: Situation): number {
  const choice = decide(situation);
  const entry = logged(choice);
  return JSON.stringify([alternativesOf(choice, 3), entry]).length;
}

function learn(
  model: Model,
  contents: readonly Content[],
  random: () => number,
  decisions = LEARNED * contents.length,
  candidates?: readonly Content[],
): void {
  for (let i = 0; i < decisions; i++) {
    const content = contents[Math.floor(random() * contents.length)]!;
    const situation = situationOf(Math.floor(random() * 1e6), candidates ?? [content], model, random);
    const { features } = decide(situation);
    const at = i * 1000;
    const rewarded = random() < 0.05 + 0.2 * ((Number(content.contentId.slice(8)) % 7) / 7);
    fold(model, [
      {
        decisionId: `d${i}`,
        contentId: content.contentId,
        category: content.category,
        attributes: content.attributes,
        features,
        user: situation.user ?? null,
        prior: content.prior,
        at,
        from: null,
        to: rewarded ? 0.6 : 0,
      },
    ]);
  }
}

function situationOf(i: number, contents: readonly Content[], model: Model, random: () => number): Situation {
  const some = (most: number) => Math.floor(random() * most);
  return {
    contents,
    context: { channel: 'in-app', surface: `surface-${some(5)}`, locale: some(2) ? 'en-GB' : 'de-DE' },
    audience: {
      traits: { plan: 'pro' },
      events: new Map(
        contents.flatMap(({ events }) => events.map((rule) => [windowOf(rule), some(3)] as const)),
      ),
    },
    person: {
      traits: {
        plan: some(3) ? 'free' : 'pro',
        age: 18 + some(60),
        city: `city-${some(8)}`,
        ...Object.fromEntries(
          Array.from({ length: TRAITS }, (_, t) => [
            `trait-${t}`,
            t % 2 ? 1000 * random() : `value-${some(3)}`,
          ]),
        ),
      },
      events: ['viewed', 'bought', 'searched', 'shared'].map((event) => ({
        event,
        count: some(9),
        age: some(1e9),
      })),
      history: { silent: some(30), clicked: some(4) },
    },
    user: `user-${some(USERS)}`,
    guardrails: { excludeCategories: [] },
    contactsToday: 0,
    model,
    seed: `seed-${i}`,
    now: 0,
  };
}

function describe(i: number) {
  return { format: `format ${i % 4}`, tags: [3, 7, 11].map((step) => `tag ${(step * i) % 100}`) };
}

function contentOf(i: number, attributes: readonly number[]): Content {
  return {
    contentId: `content_${i}`,
    category: `category_${i % 20}`,
    attributes,
    channels: [],
    surfaces: [],
    locales: [],
    format: 'card',
    title: `Content ${i}`,
    body: '',
    traits: [],
    events: i % 2 ? [{ event: 'viewed', withinDays: 1 + (i % 64), atMost: 10_000 }] : [],
    prior: 0.1,
  };
}
