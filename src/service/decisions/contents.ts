import { ServiceError } from '../../contract/errors.ts';
import { differenceOf, rateOf } from '../../kit/intervals.ts';
import type { Content } from '../catalog/content.ts';
import type { Catalogs } from '../catalog/follow.ts';
import type { Call, Endpoints } from '../http/endpoint.ts';
import { goalStates, goalsOfContents, guardedBy } from './goals/report.ts';
import type { LearnedModels } from './learned-models.ts';
import { viewOfModel } from './model-view.ts';
import {
  type CountedBucket,
  type CountedContent,
  type CountedPolicy,
  type Counts,
  contentCounts,
  type Step,
} from './store/content-counts.ts';
import { models } from './store/models.ts';
import { rewards } from './store/rewards.ts';

/** Contents on a page. */
const PAGE = 500;
/** Up to this age, figures are shown by the hour. */
const HOURS_MS = 14 * 86_400_000;

/** The position of a page of contents that are no longer in the catalog: after one of them, or the first. */
const REMOVED = /^removed (.*)$/s;

const NONE: Counts = { served: 0, rewarded: 0, dismissed: 0 };

export const contentEndpoints = (catalogs: Catalogs, learned: LearnedModels): Endpoints => ({
  listContents: async (call) => {
    const { tx, workspace, query, now } = call;
    const catalog = await catalogs.of(tx, workspace.id);
    const { byId, contents } = catalog;
    const [, gone] = REMOVED.exec(query.after ?? '') ?? [];
    // An identifier that is gone meanwhile starts again at the beginning.
    const from = contents.findIndex(({ contentId }) => `current ${contentId}` === query.after) + 1;
    const current = gone === undefined ? contents.slice(from, from + PAGE) : [];
    const ids = current.map(({ contentId }) => contentId);
    const counted = await contentCounts.totalsOf(tx, workspace.id, ids);
    const isLast = gone !== undefined || from + PAGE >= contents.length;
    const room = PAGE - current.length;
    const removed = isLast ? await removedAfter(call, byId, gone ?? '', room + 1) : [];
    const shown = removed.slice(0, room);
    const figures = [
      ...current.map((content) => [content.contentId, counted.get(content.contentId) ?? NONE] as const),
      ...shown.map(({ contentId, ...counts }) => [contentId, counts] as const),
    ];
    const served = new Map(figures.map(([id, counts]) => [id, counts.served]));
    const goals = await goalsOfContents(tx, workspace.id, catalog, served);
    const guarded = await guardedBy(tx, workspace.id, catalog);
    const items = figures.map(([id, counts]) => ({
      ...view(id, byId.get(id), counts, now, guarded.get(id)),
      ...goals(id),
    }));
    if (!isLast) return { body: { items, next: `current ${ids.at(-1)}` } };
    const more = removed.length > room;
    return { body: { items, ...(more ? { next: `removed ${shown.at(-1)?.contentId ?? ''}` } : {}) } };
  },

  getContent: async (call) => {
    const { tx, workspace, params, now } = call;
    const id = params.id!;
    const catalog = await catalogs.of(tx, workspace.id);
    const content = catalog.byId.get(id);
    const total = await contentCounts.total(tx, workspace.id, id);
    if (!content && total.length === 0)
      throw new ServiceError('not_found', 'No content has this identifier.');
    const { step, buckets } = await seriesOf(call, id);
    const counts = sumOf(total);
    const goals = await goalsOfContents(tx, workspace.id, catalog, new Map([[id, counts.served]]));
    const guarded = (await guardedBy(tx, workspace.id, catalog)).get(id);
    const shown = { ...view(id, content, counts, now, guarded), ...goals(id) };
    return { body: { ...shown, step, series: pointsOf(buckets) } };
  },

  getModel: async (call) => {
    const { tx, workspace } = call;
    const catalog = await catalogs.of(tx, workspace.id);
    const { settings } = catalog;
    const head = await models.head(tx, workspace.id);
    const [log] = await rewards.heads(tx, [workspace.id]);
    const total = await contentCounts.total(tx, workspace.id, '');
    const of = (policy: CountedPolicy) => sumOf(total.filter((each) => each.policy === policy));
    const chosen = rateOf(of('learned').rewarded, of('learned').served);
    const holdout = rateOf(of('holdout').rewarded, of('holdout').served);
    const { step, buckets } = await seriesOf(call, '');
    const included = head?.learnedSeq ?? 0;
    return {
      body: {
        version: head?.version ?? 0,
        learned: included,
        behind: Math.max(0, (log?.seq ?? 0) - included),
        holdoutShare: settings.holdout,
        explorationShare: settings.explorationShare,
        ...viewOfModel(await learned.current(tx, workspace.id)),
        all: figuresOf(sumOf(total)),
        byPolicy: {
          learned: figuresOf(of('learned')),
          holdout: figuresOf(of('holdout')),
          weights: figuresOf(of('weights')),
        },
        gain: chosen && holdout && differenceOf(chosen, holdout),
        goals: await goalStates(tx, workspace.id, catalog),
        step,
        series: pointsOf(buckets),
        holdoutSeries: pointsOf(buckets.filter(({ policy }) => policy === 'holdout')),
      },
    };
  },
});

/** What up to `limit` contents earned that are no longer in the catalog, by identifier, after one. */
async function removedAfter(
  { tx, workspace }: Call,
  current: ReadonlyMap<string, Content>,
  after: string,
  limit: number,
): Promise<CountedContent[]> {
  const found: CountedContent[] = [];
  for (let last = after; found.length < limit; ) {
    const page = await contentCounts.totalsAfter(tx, workspace.id, last, PAGE);
    found.push(...page.filter(({ contentId }) => contentId !== '' && !current.has(contentId)));
    if (page.length < PAGE) break;
    last = page.at(-1)!.contentId;
  }
  return found.slice(0, limit);
}

/** The buckets of a content, or of all (''), by the step that was asked for or suits their age. */
async function seriesOf(
  { tx, workspace, query, now }: Call,
  contentId: string,
): Promise<{ step: Step; buckets: CountedBucket[] }> {
  const days = await contentCounts.series(tx, workspace.id, contentId, 'day');
  const young = days.every(({ from }) => from > now - HOURS_MS);
  const step = (query.step as Step | undefined) ?? (young ? 'hour' : 'day');
  return {
    step,
    buckets: step === 'day' ? days : await contentCounts.series(tx, workspace.id, contentId, 'hour'),
  };
}

function pointsOf(buckets: readonly CountedBucket[]): object[] {
  const byStart = new Map<number, Counts[]>();
  for (const bucket of buckets) byStart.set(bucket.from, [...(byStart.get(bucket.from) ?? []), bucket]);
  return [...byStart].map(([from, each]) => ({
    from: new Date(from).toISOString(),
    ...figuresOf(sumOf(each)),
  }));
}

function sumOf(all: readonly Counts[]): Counts {
  return all.reduce(
    (sum, { served, rewarded, dismissed }) => ({
      served: sum.served + served,
      rewarded: sum.rewarded + rewarded,
      dismissed: sum.dismissed + dismissed,
    }),
    NONE,
  );
}

function figuresOf({ served, rewarded }: Counts): object {
  return { served, rewarded, ...(rateOf(rewarded, served) ?? { rate: null, low: null, high: null }) };
}

function view(
  id: string,
  content: Content | undefined,
  counts: Counts,
  now: number,
  guardedBy: readonly string[] | undefined,
): object {
  return {
    id,
    category: content?.category ?? null,
    format: content?.format ?? null,
    title: content?.title ?? null,
    status: content ? statusOf(content, now, guardedBy !== undefined) : 'withdrawn',
    ...(guardedBy ? { guardedBy } : {}),
    dismissed: counts.dismissed,
    ...figuresOf(counts),
  };
}

function statusOf({ paused, activeFrom, activeUntil }: Content, now: number, isGuarded: boolean): string {
  if (activeUntil !== undefined && now >= activeUntil) return 'ended';
  if (paused) return 'paused';
  if (isGuarded) return 'guarded';
  return activeFrom !== undefined && now < activeFrom ? 'scheduled' : 'active';
}
