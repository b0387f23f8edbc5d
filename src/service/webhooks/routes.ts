import { ServiceError } from '../../contract/errors.ts';
import { MAX_WEBHOOKS } from '../../contract/limits.ts';
import type { Webhook } from '../../contract/schemas.ts';
import { newId } from '../../kit/id.ts';
import type { Call, Endpoints } from '../http/endpoint.ts';
import { nextAfter, placeOf } from '../http/page-cursor.ts';
import { headersAssociatedData, secretAssociatedData } from '../platform/crypto/associated-data.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import { checkWebhookUrl } from '../platform/egress/url-policy.ts';
import type { Platform } from '../platform/platform.ts';
import type { Policy } from '../platform/settings.ts';
import { cutoffsOf, type Retention } from '../platform/store/retained-logs.ts';
import type { Tx } from '../platform/store/store.ts';
import { parseOutcomeFilter } from './rules/outcome-filter.ts';
import { wrongHeader } from './rules/static-headers.ts';
import { catchUps } from './store/catch-up.ts';
import { deliveries } from './store/deliveries.ts';
import { outcomeLog } from './store/outcome-log.ts';
import { performance } from './store/performance.ts';
import { DELIVERIES_KEPT_MS } from './store/purge.ts';
import { deliveryRecords } from './store/records.ts';
import { redeliveries } from './store/redeliveries.ts';
import { type SealedHeaders, type StoredWebhook, webhooks } from './store/webhooks.ts';
import { deliveryView, iso, redeliveryView, webhookView } from './views.ts';

/** Maximum page sizes; pages with large records are shorter (store/pages.ts). */
const WEBHOOK_PAGE = 1000;
/** Subscriptions of a page on which what waits is counted. */
const COUNTED_PAGE = 100;
const DELIVERY_PAGE = 100;

/** Writes that change a subscription lock its row. */
const changesWebhook = {
  concurrencyKeys: ({ params }: { params: Readonly<Record<string, string>> }) => [
    { key: `webhook ${params.id!}` },
  ],
};

export const webhookEndpoints = (
  { cipher }: Pick<Platform, 'cipher'>,
  policy: () => Policy,
  retention: () => Retention,
): Endpoints => ({
  createWebhook: async ({ tx, workspace, body }) => {
    if ((await webhooks.countAndLock(tx, workspace.id)) >= MAX_WEBHOOKS)
      throw new ServiceError(
        'conflict',
        `The workspace has ${MAX_WEBHOOKS} subscriptions, which is the maximum. Remove one first.`,
      );
    const id = newId('wh');
    await webhooks.create(tx, workspace.id, {
      id,
      url: allowedUrl(body.url, policy().allowLoopbackWebhooks),
      events: [...new Set(body.events)],
      secret: cipher.seal(body.signingSecret, secretAssociatedData(id)),
      leaseMs: body.leaseSeconds === undefined ? null : body.leaseSeconds * 1000,
      filter: checkedFilter(body.filter) ?? null,
      description: body.description ?? null,
      maxRate: body.maxRate ?? null,
      headers: sealedHeaders(cipher, id, body.headers),
      inOrder: body.from !== undefined,
    });
    const webhook = await existing(tx, workspace.id, id);
    if (body.from === undefined) return { body: webhookView(webhook) };
    const since = Date.parse(body.from);
    await catchUps.start(tx, workspace.id, id, since, { exactly: true });
    const missed = await missedBy(tx, workspace.id, webhook, since, retention());
    return { body: { ...webhookView(webhook, await catchUps.get(tx, workspace.id, id)), missed } };
  },

  listWebhooks: {
    priority: 'page',
    handle: async ({ tx, workspace, query }) => {
      const isCounted = query.pending === 'true';
      const most = isCounted ? COUNTED_PAGE : WEBHOOK_PAGE;
      const page = await webhooks.list(tx, workspace.id, most, placeOf(query.after));
      const last = page.rows.at(-1);
      const next = nextAfter(page, last && { at: last.createdAt, id: last.id });
      const counts = isCounted
        ? await deliveries.countPendingOf(
            tx,
            workspace.id,
            page.rows.map(({ id }) => id),
          )
        : undefined;
      const viewed = page.rows.map((row) => ({
        ...webhookView(row),
        ...(counts && { pending: counts.get(row.id) ?? 0 }),
      }));
      return { body: { webhooks: viewed, ...next } };
    },
  },

  getWebhook: async ({ tx, workspace, params, query }) => {
    const webhook = await existing(tx, workspace.id, params.id!);
    const redelivery = await redeliveries.get(tx, workspace.id, webhook.id);
    const body = {
      ...webhookView(webhook, await catchUps.get(tx, workspace.id, webhook.id)),
      ...(redelivery && { redelivery: redeliveryView(redelivery) }),
      performance: await performance.of(tx, workspace.id, webhook.id),
      pending: await deliveries.countPending(tx, workspace.id, webhook.id),
    };
    const from = query.from ?? (webhook.status === 'disabled' ? 'disabled' : undefined);
    if (from === undefined) return { body };
    const since = sinceOf(webhook, from, tx.now);
    return { body: { ...body, missed: await missedBy(tx, workspace.id, webhook, since, retention()) } };
  },

  updateWebhook: {
    ...changesWebhook,
    handle: async ({ tx, workspace, params, body }) => {
      const { url, events, status, leaseSeconds, filter, description, maxRate, headers, from = 'now' } = body;
      const before = await existing(tx, workspace.id, params.id!);
      await webhooks.update(tx, workspace.id, params.id!, {
        url: url === undefined ? undefined : allowedUrl(url, policy().allowLoopbackWebhooks),
        events: events === undefined ? undefined : [...new Set(events)],
        status,
        leaseMs: leaseSeconds === undefined ? undefined : leaseSeconds * 1000,
        filter: checkedFilter(filter),
        description,
        maxRate,
        headers: sealedHeaders(cipher, params.id!, headers),
      });
      const webhook = await existing(tx, workspace.id, params.id!);
      if (from === 'now')
        return { body: webhookView(webhook, await catchUps.get(tx, workspace.id, webhook.id)) };
      if (webhook.status === 'disabled') throw disabled();
      const since = sinceOf(before, from, tx.now);
      await catchUps.start(tx, workspace.id, webhook.id, since, { exactly: from !== 'disabled' });
      const missed = await missedBy(tx, workspace.id, webhook, since, retention());
      return { body: { ...webhookView(webhook, await catchUps.get(tx, workspace.id, webhook.id)), missed } };
    },
  },

  deleteWebhook: {
    ...changesWebhook,
    handle: async ({ tx, workspace, params }) => {
      if (!(await webhooks.delete(tx, workspace.id, params.id!))) throw unknown();
      return {};
    },
  },

  rotateWebhook: {
    ...changesWebhook,
    handle: async ({ tx, workspace, params, body }) => {
      const id = params.id!;
      const secret = cipher.seal(body.signingSecret, secretAssociatedData(id));
      if (!(await webhooks.rotate(tx, workspace.id, id, secret))) throw unknown();
      return { body: webhookView(await existing(tx, workspace.id, id)) };
    },
  },

  listDeliveries: {
    priority: 'page',
    handle: async ({ tx, workspace, params, query }) => {
      await existing(tx, workspace.id, params.id!);
      return deliveryPage(tx, workspace.id, query, params.id!);
    },
  },

  listAllDeliveries: async ({ tx, workspace, query }) => deliveryPage(tx, workspace.id, query),

  getDelivery: async ({ tx, workspace, params }) => {
    const found = await deliveryRecords.get(tx, workspace.id, params.id!);
    if (!found) throw new ServiceError('not_found', 'No delivery has this identifier.');
    return { body: { ...deliveryView(found), body: found.body } };
  },

  redeliverMany: {
    ...changesWebhook,
    handle: async ({ tx, workspace, params, body }) => {
      const webhook = await existing(tx, workspace.id, params.id!);
      const { since, status = 'failed', events, rate = null, dryRun = false } = body;
      const which = { since: Date.parse(since), status, kinds: events };
      const matched = await redeliveries.count(tx, workspace.id, webhook.id, which);
      const kept = tx.now - DELIVERIES_KEPT_MS;
      const removed = which.since < kept ? { removedBefore: iso(kept) } : {};
      if (dryRun) return { body: { matched, ...removed } };
      if (webhook.status === 'disabled') throw disabled();
      if (!(await redeliveries.start(tx, workspace.id, webhook.id, which, { rate, matched })))
        throw new ServiceError(
          'conflict',
          'Deliveries of this subscription are already being sent again. Wait for the end, or stop that.',
        );
      const redelivery = redeliveryView((await redeliveries.get(tx, workspace.id, webhook.id))!);
      return { body: { matched, ...removed, redelivery } };
    },
  },

  stopRedelivery: {
    ...changesWebhook,
    handle: async ({ tx, workspace, params }) => {
      const { id } = await existing(tx, workspace.id, params.id!);
      if (!(await redeliveries.stop(tx, workspace.id, id)))
        throw new ServiceError('not_found', 'No deliveries of this subscription are being sent again.');
      return { body: redeliveryView((await redeliveries.get(tx, workspace.id, id))!) };
    },
  },

  redeliver: {
    ...changesWebhook,
    handle: async ({ tx, workspace, params, requestId }) => {
      const { id, deliveryId } = params as { id: string; deliveryId: string };
      const webhook = await existing(tx, workspace.id, id);
      if (webhook.status === 'disabled') throw disabled();
      if (!(await deliveries.redeliver(tx, workspace.id, id, deliveryId)))
        throw new ServiceError('not_found', 'The subscription has no delivery with this identifier.');
      return { body: { deliveryId, status: 'pending', requestId } };
    },
  },
});

async function deliveryPage(
  tx: Tx,
  workspaceId: string,
  { status, since, until, after }: Call['query'],
  webhookId?: string,
) {
  const filter = {
    webhookId,
    status,
    since: since === undefined ? undefined : Date.parse(since),
    until: until === undefined ? undefined : Date.parse(until),
  };
  const page = await deliveryRecords.list(tx, workspaceId, filter, DELIVERY_PAGE, placeOf(after));
  const last = page.rows.at(-1);
  const next = nextAfter(page, last && { at: last.occurredAt, id: last.deliveryId });
  return { body: { deliveries: page.rows.map(deliveryView), ...next } };
}

/** The time of `from`, Unix ms. A subscription that never was disabled missed nothing until `now`. */
const sinceOf = ({ disabledAt }: StoredWebhook, from: string, now: number): number =>
  from === 'disabled' ? (disabledAt ?? now) : Date.parse(from);

/** What a subscription missed since a time, Unix ms. */
async function missedBy(
  tx: Tx,
  workspaceId: string,
  { events, filter }: StoredWebhook,
  since: number,
  retention: Retention,
): Promise<NonNullable<Webhook['missed']>> {
  const cutoff = cutoffsOf(tx.now, retention).outcomes;
  const counted =
    filter === null
      ? await outcomeLog.count(tx, workspaceId, events, since)
      : await outcomeLog.countFiltered(tx, workspaceId, events, since, filter);
  const removedBefore = cutoff !== null && since < cutoff ? { removedBefore: iso(cutoff) } : {};
  return { from: iso(since), ...counted, ...removedBefore };
}

/** Returns a filter that can be parsed, or is empty. Throws invalid_request with the place. */
function checkedFilter(filter: string | undefined): string | undefined {
  const parsed = parseOutcomeFilter(filter ?? '');
  if (!parsed.ok) throw invalid('filter', `${parsed.message} (at character ${parsed.at + 1})`);
  return filter;
}

/** Seals static headers. Throws invalid_request with the name of one that may not be set. */
function sealedHeaders(
  cipher: Cipher,
  webhookId: string,
  headers: Readonly<Record<string, string>> | undefined,
): SealedHeaders | undefined {
  if (headers === undefined) return undefined;
  const wrong = wrongHeader(headers);
  if (wrong) throw invalid(wrong.name === undefined ? 'headers' : `headers.${wrong.name}`, wrong.message);
  const sealed = cipher.seal(JSON.stringify(headers), headersAssociatedData(webhookId));
  return { names: Object.keys(headers), sealed };
}

const disabled = () => new ServiceError('conflict', 'The subscription is disabled. Make it active first.');

const invalid = (field: string, message: string) =>
  new ServiceError('invalid_request', undefined, [{ field, message }]);

async function existing(tx: Tx, workspaceId: string, id: string): Promise<StoredWebhook> {
  const found = await webhooks.get(tx, workspaceId, id);
  if (!found) throw unknown();
  return found;
}

function unknown(): ServiceError {
  return new ServiceError('not_found', 'No subscription has this identifier.');
}

function allowedUrl(text: string, allowLoopback: boolean): string {
  const checked = checkWebhookUrl(text, { allowLoopback });
  if (checked.ok) return checked.url;
  throw invalid('url', checked.reason);
}
