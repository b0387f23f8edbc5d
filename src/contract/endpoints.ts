/**
 * The endpoint table. The client's calls and retries, the service's routes, validation on both sides, rate-limit groups
 * and the OpenAPI description are derived from it.
 */
import type * as z from 'zod/mini';
import { type Group, MAX_CLIENT_BYTES } from './limits.ts';
import * as s from './schemas.ts';

/**
 * Whether a client may retry a request whose response may have been lost.
 * `always`: a retry has the same effect (reads, upserts, events under one key).
 * `keyed`: only if the service is known to support Idempotency-Key (docs/design-choices.md, "Repeating a request").
 */
export type Repeat = 'always' | 'keyed';

/** The part of an endpoint that the client needs (operations.gen.ts). */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the base URL; `{id}` marks a parameter. */
  readonly path: string;
  readonly group: Group;
  readonly repeat: Repeat;
}

export interface Endpoint extends Operation {
  readonly summary: string;
  /** More than the summary, in full sentences. */
  readonly description: string;
  /** Descriptions of the path parameters. */
  readonly params?: Readonly<Record<string, string>>;
  /** What a 404 means; without it, the operation answers none. */
  readonly missing?: string;
  readonly success: 200 | 201 | 202 | 204;
  /** True if the operation is not in the specification. */
  readonly beyondSpecification: boolean;
  readonly request?: z.ZodMiniType;
  readonly query?: z.ZodMiniType;
  readonly answer?: z.ZodMiniType;
  /** True for a stream of server-sent events instead of a JSON response: `answer` is the data of one. */
  readonly stream?: boolean;
  /** True for a GET that takes note of what it served. */
  readonly marks?: boolean;
  /** True for a GET whose answer has an entity tag, by which its sender asks whether there is another one. */
  readonly tagged?: boolean;
  /** True for a POST that stores nothing, so that its answer is not kept for a repetition. */
  readonly storesNothing?: boolean;
  /** True if an app may call it with a publishable key and a user token. */
  readonly forClients?: boolean;
  /** Maximum size of the body of such a call, in bytes; by default that of any body. */
  readonly clientBytes?: number;
  /** True if it takes the header that names a run of an import. */
  readonly ofRuns?: boolean;
}

function table<const T extends Record<string, Endpoint>>(entries: T): T {
  return entries;
}

export const ENDPOINTS = table({
  ingestEvents: {
    method: 'POST',
    path: '/v1/events',
    group: 'ingest',
    success: 202,
    repeat: 'always',
    beyondSpecification: false,
    summary: 'Ingest up to 1,000 events',
    description:
      'One event that is not valid refuses the whole batch, and nothing is stored. Events may be sent again under the same idempotency key: they are stored once. Events of a user who is being erased are accepted and not stored. An app sends up to 50 events of its own user in 64 KiB, at most 7 days old and 5 minutes ahead; the workspace may name the events that apps track. The plan of events in the catalog may refuse what is not as planned.',
    forClients: true,
    clientBytes: MAX_CLIENT_BYTES,
    ofRuns: true,
    request: s.IngestEventsRequest,
    answer: s.IngestEventsAnswer,
  },
  ingestUsers: {
    method: 'POST',
    path: '/v1/users',
    group: 'ingest',
    success: 200,
    repeat: 'always',
    beyondSpecification: false,
    summary: 'Create or update up to 1,000 users',
    description:
      'Returns the hashed identifier of each user, which the other operations take. Personal fields are stored encrypted and never returned. A user who is being erased is refused until that has ended.',
    ofRuns: true,
    request: s.IngestUsersRequest,
    answer: s.IngestUsersAnswer,
  },
  createUserToken: {
    method: 'POST',
    path: '/v1/users/{hashId}/tokens',
    group: 'ingest',
    success: 201,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Create a token with which an app acts for one user',
    description:
      'To be called by your server for a user who is signed in. The app sends the token in `X-Service-User-Token` beside a publishable key. The user need not be known yet.',
    params: { hashId: 'Hashed identifier of the user.' },
    storesNothing: true,
    request: s.CreateUserTokenRequest,
    answer: s.UserToken,
  },
  decide: {
    method: 'POST',
    path: '/v1/decisioning/decide',
    group: 'decisions',
    success: 200,
    repeat: 'keyed',
    beyondSpecification: false,
    summary: 'Choose the next best action for a user',
    description:
      'Returns an action and its runner-ups, and logs the decision. A user that is not known is treated as a new one. If nothing is eligible, the type of the action is `none` and its reason says why.',
    request: s.DecideRequest,
    answer: s.DecideAnswer,
  },
  trigger: {
    method: 'POST',
    path: '/v1/inform/trigger',
    group: 'inform',
    success: 202,
    repeat: 'keyed',
    beyondSpecification: false,
    summary: 'Trigger a templated notification',
    description:
      'Queues the notification, at once or for `sendAt`. It counts as a contact of the user, on the day on which it is to be sent.',
    missing: 'No user has this hashId, or no template has this templateId.',
    request: s.TriggerRequest,
    answer: s.TriggerAnswer,
  },
  createWebhook: {
    method: 'POST',
    path: '/v1/webhooks',
    group: 'webhooks',
    success: 201,
    repeat: 'keyed',
    beyondSpecification: false,
    summary: 'Subscribe a URL to outcomes',
    description:
      'Deliveries are signed with the secret and sent at least once; see `webhooks` in this document. A workspace has at most 1,000 subscriptions.',
    request: s.CreateWebhookRequest,
    answer: s.Webhook,
  },
  setConsent: {
    method: 'POST',
    path: '/v1/users/{hashId}/consent',
    group: 'ingest',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Opt a user in to marketing, or out of it',
    description:
      'By channel and category. A statement replaces earlier ones within its scope. Marketing that a user refused fails with `opted_out`; transactional notifications are not affected.',
    params: { hashId: 'Hashed identifier of the user.' },
    missing: 'No user has this hashId.',
    request: s.ConsentRequest,
    answer: s.ConsentAnswer,
  },
  getUser: {
    method: 'GET',
    path: '/v1/users/{hashId}',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'What is known of a user, without personal data',
    description:
      'The channels through which the user can be reached, consent, and the names of fields and traits. Values are never returned.',
    params: { hashId: 'Hashed identifier of the user.' },
    missing: 'No user has this hashId, the user was erased, or there are events of the user alone.',
    answer: s.GetUserAnswer,
  },
  getUserTimeline: {
    method: 'GET',
    path: '/v1/users/{hashId}/timeline',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'What happened to a user, newest first',
    description:
      'Events, decisions, waiting messages, outcomes and notifications in one list, without personal data. Events are those that rules of the catalog count, and those among the newest of the workspace; `events` says which. The first page has the contacts against the caps.',
    params: { hashId: 'Hashed identifier of the user.' },
    query: s.UserTimelineQuery,
    answer: s.UserTimelineAnswer,
  },
  deleteUser: {
    method: 'DELETE',
    path: '/v1/users/{hashId}',
    group: 'ingest',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Erase a user',
    description:
      'Erases everything personal, and what only this user produced: events, messages, notifications, deliveries and what was learned of the user alone. A user of whom there are events alone is erased too: their userIds are searched for the hashId, so any hashId is answered. Refusals of marketing and dead addresses stay, as keyed hashes. The decision log keeps what was chosen, without the user.',
    params: { hashId: 'Hashed identifier of the user.' },
    missing: 'This is not a hashId.',
    answer: s.DeleteUserAnswer,
  },
  deleteEvents: {
    method: 'POST',
    path: '/v1/events/deletions',
    group: 'ingest',
    success: 202,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Delete events, or count those that would be',
    description:
      'Deletes the events that are stored now and selected, in pieces, as if they had never come: indexes, counts, features, and what goals earned of them follow, and their ids may be sent again. A run that is deleted without other conditions can send no more events. Decisions that were made and webhooks that were sent stay. A deletion that selects the same as one that has yet to end is that one. One deletion of a workspace runs at a time.',
    request: s.DeleteEventsRequest,
    answer: s.EventDeletion,
  },
  getEventDeletion: {
    method: 'GET',
    path: '/v1/events/deletions/{id}',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'How far a deletion of events has come',
    description: 'It is kept for 30 days.',
    params: { id: 'Identifier of the deletion.' },
    missing: 'No deletion has this identifier.',
    answer: s.EventDeletion,
  },
  deleteUsers: {
    method: 'POST',
    path: '/v1/user-deletions',
    group: 'ingest',
    success: 202,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Delete the users that a run created, or count them',
    description:
      'Deletes the users that a run of an import created, in pieces, unless they were used since: changed by another request, or known by an event, a decision, a notification, an outcome or a statement about marketing. What the run changed in users that existed before stays. The run can send no more users. A deletion of the same run that has yet to end is that one.',
    request: s.DeleteUsersRequest,
    answer: s.UserDeletion,
  },
  getUserDeletion: {
    method: 'GET',
    path: '/v1/user-deletions/{id}',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'How far a deletion of users has come',
    description: 'It is kept for 30 days.',
    params: { id: 'Identifier of the deletion.' },
    missing: 'No deletion has this identifier.',
    answer: s.UserDeletion,
  },
  streamEvents: {
    method: 'GET',
    path: '/v1/events/stream',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The live event stream (Server-Sent Events)',
    description:
      'Sends each ingested event within seconds. A message has the position in `id`, `event` as its type, and the event as JSON in `data`. The stream begins with a message that has only an `id`. A message of the type `gap` says that events since the position were removed by age, with `removedBefore` in `data`. Comments keep an idle stream open.',
    stream: true,
    answer: s.StreamedEvent,
  },
  watchEvents: {
    method: 'GET',
    path: '/v1/events/watch',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Watch the events that match a filter, as a person can read them (Server-Sent Events)',
    description:
      'For a page or a terminal; use `streamEvents` to process every event. The stream begins with a `ready` frame. An `event` frame has an event, in which values that look personal are masked and not found by the filter. A `tick` frame has counts four times a second while events arrive, and at least every second. A `gap` frame names events that cannot be shown any more. At most 5,000 events a second are sent with a filter and 100 without. The `id` of a frame, also the `next` in its data, is where a watch with `after` or `Last-Event-ID` resumes: it sends all matching events since, up to 2,000,000 events back.',
    stream: true,
    query: s.WatchEventsQuery,
    answer: s.WatchFrame,
  },
  getEventPlan: {
    method: 'GET',
    path: '/v1/events/plan',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'How often events were not as planned',
    description:
      'Counts what events did against the plan in force when they were sent: the section `events` of the catalog. Those that were refused for it are counted apart from those that were stored. Nothing of their values is kept.',
    query: s.EventPlanQuery,
    answer: s.EventPlanAnswer,
  },
  exportRecords: {
    method: 'GET',
    path: '/v1/exports/{type}',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'What is stored, page by page, for analysis',
    description:
      'Events and decisions in the order in which they were stored; deliveries, notifications and outcomes by time. Requests of users come first. Keys, secrets and personal fields are not in it; properties of events are as they were sent.',
    params: { type: '`events`, `decisions`, `deliveries`, `notifications` or `outcomes`.' },
    missing: 'No such type is exported.',
    query: s.ExportQuery,
    answer: s.ExportAnswer,
  },
  listDecisions: {
    method: 'GET',
    path: '/v1/decisions',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The decision log, oldest first: candidates, propensities, model version, seed and reward',
    description: 'What off-policy evaluation needs: each decision with its candidates.',
    query: s.ListDecisionsQuery,
    answer: s.ListDecisionsAnswer,
  },
  getDecision: {
    method: 'GET',
    path: '/v1/decisions/{id}',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'One entry of the decision log',
    description: 'The decision with its candidates and its reward so far.',
    params: { id: 'Identifier of the decision.' },
    missing: 'No decision has this identifier.',
    answer: s.LoggedDecision,
  },
  rewardDecision: {
    method: 'POST',
    path: '/v1/decisions/{decisionId}/reward',
    group: 'ingest',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Report what a decision was worth',
    description:
      'Stored once per decision and goal: a repetition changes nothing, and another value replaces the one before.',
    params: { decisionId: 'Identifier of the decision.' },
    missing: 'No decision with a content has this identifier.',
    request: s.RewardRequest,
    answer: s.RewardAnswer,
  },
  listMessages: {
    method: 'GET',
    path: '/v1/messages',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The pending messages of a user',
    description:
      'What an app polls. Each message is checked again: one that has expired or no longer suits the user is withdrawn. A message that is served for the first time counts as a contact from then on. Send the ETag of the answer before as If-None-Match: where nothing changed, the answer is 304.',
    marks: true,
    tagged: true,
    forClients: true,
    query: s.ListMessagesQuery,
    answer: s.ListMessagesAnswer,
  },
  peekMessages: {
    method: 'GET',
    path: '/v1/users/{hashId}/messages',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The pending messages of a user, without serving them',
    description:
      'What `listMessages` would answer, for support: nothing is counted as a contact, withdrawn or marked as served. An app cannot call it.',
    params: { hashId: 'Hashed identifier of the user.' },
    query: s.PeekMessagesQuery,
    answer: s.PeekMessagesAnswer,
  },
  messageOutcome: {
    method: 'POST',
    path: '/v1/messages/{decisionId}/outcomes',
    group: 'ingest',
    success: 202,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Report what the user did with a message',
    description:
      'Stored once per decision and type. `opened` delivers `campaign.opened`, `clicked` delivers `campaign.clicked`, `actioned` delivers `decision.actioned`.',
    params: { decisionId: 'The decision that chose the message.' },
    missing: 'This decision has no message.',
    forClients: true,
    request: s.MessageOutcomeRequest,
    answer: s.OutcomeAnswer,
  },
  listNotifications: {
    method: 'GET',
    path: '/v1/inform/notifications',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The delivery records of notifications, newest first',
    description: 'Of the whole workspace, of one user, or in one state.',
    query: s.ListNotificationsQuery,
    answer: s.ListNotificationsAnswer,
  },
  getNotification: {
    method: 'GET',
    path: '/v1/inform/notifications/{id}',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The delivery record of a notification',
    description: 'The states so far, with their times.',
    params: { id: 'Identifier of the notification.' },
    missing: 'No notification has this identifier.',
    answer: s.Notification,
  },
  cancelNotification: {
    method: 'POST',
    path: '/v1/inform/notifications/{id}/cancel',
    group: 'inform',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Cancel a notification',
    description:
      'Nothing of it is sent after the answer, which says whether anything left before. Waits up to 15 s for an attempt that has begun.',
    params: { id: 'Identifier of the notification.' },
    missing: 'No notification has this identifier.',
    answer: s.CancelNotificationAnswer,
  },
  notificationOutcome: {
    method: 'POST',
    path: '/v1/inform/notifications/{id}/outcomes',
    group: 'ingest',
    success: 202,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Report a tap on a notification',
    description:
      'Stored once per notification and type. `opened` delivers `campaign.opened`, `clicked` delivers `campaign.clicked`.',
    params: { id: 'Identifier of the notification.' },
    missing: 'No notification has this identifier.',
    request: s.NotificationOutcomeRequest,
    answer: s.OutcomeAnswer,
  },
  listContents: {
    method: 'GET',
    path: '/v1/contents',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The contents of the catalog with their reward rates',
    description:
      'In the order of the catalog, then those that are no longer in it. Figures count the decisions whose message was served, or whose channel is not polled; intervals hold with 95 % confidence (Wilson).',
    query: s.ListContentsQuery,
    answer: s.ListContentsAnswer,
  },
  getContent: {
    method: 'GET',
    path: '/v1/contents/{id}',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'A content with its reward rate over time',
    description: 'By hour for the last 15 days, or by day for the last 400 days.',
    params: { id: 'Identifier of the content.' },
    missing: 'No content has this identifier, and none that was removed had it.',
    query: s.SeriesQuery,
    answer: s.GetContentAnswer,
  },
  getOverview: {
    method: 'GET',
    path: '/v1/overview',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'What happened in the last 24 hours, by hour',
    description:
      'Events, decisions, messages, notifications and deliveries. It costs about the same however much that was.',
    answer: s.OverviewAnswer,
  },
  getClock: {
    method: 'GET',
    path: '/v1/clock',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The test clock',
    description: 'For test workspaces of a service with `svc serve --test-clock`.',
    missing: 'The service has no test clock.',
    query: s.ClockQuery,
    answer: s.Clock,
  },
  setClock: {
    method: 'PUT',
    path: '/v1/clock',
    group: 'webhooks',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Move the test clock forward',
    description:
      'The clock moves from one time at which work becomes due to the next, and the service does that work. It is done when `movingTo` of `GET /v1/clock` is null. All workspaces of the store have this time.',
    missing: 'The service has no test clock.',
    request: s.SetClockRequest,
    answer: s.Clock,
  },
  getModel: {
    method: 'GET',
    path: '/v1/model',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The state of the learned model, its learning curve, and what it gains over the holdout group',
    description:
      'The learning curve has the rate of all contents over time. Users of the holdout group get contents that are chosen evenly.',
    query: s.SeriesQuery,
    answer: s.GetModelAnswer,
  },
  getCatalog: {
    method: 'GET',
    path: '/v1/catalog',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The catalog in force',
    description:
      'Version 0 is the catalog of the service: that of the file it was started with, or the built-in one. While a node runs with a catalog file, the catalog is read-only and `reason` says so.',
    answer: s.GetCatalogAnswer,
  },
  putCatalog: {
    method: 'PUT',
    path: '/v1/catalog',
    group: 'webhooks',
    success: 200,
    repeat: 'keyed',
    beyondSpecification: true,
    summary: 'Replace the catalog',
    description:
      'Stores a new version, which all nodes use within a second. Answers 409 if `ifVersion` is not the version in force, or while a node runs with a catalog file (`serve --catalog`). An identical catalog stores nothing.',
    request: s.PutCatalogRequest,
    answer: s.PutCatalogAnswer,
  },
  validateCatalog: {
    method: 'POST',
    path: '/v1/catalog/validate',
    group: 'webhooks',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Check a catalog without storing it',
    description: 'Answers with every error and its path.',
    storesNothing: true,
    request: s.ValidateCatalogRequest,
    answer: s.ValidateCatalogAnswer,
  },
  listCatalogVersions: {
    method: 'GET',
    path: '/v1/catalog/versions',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The stored versions of the catalog, newest first',
    description: 'The last 100 versions are kept, and those of the last 90 days, as far as 64 MiB allow.',
    query: s.ListCatalogVersionsQuery,
    answer: s.ListCatalogVersionsAnswer,
  },
  getCatalogVersion: {
    method: 'GET',
    path: '/v1/catalog/versions/{version}',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'A stored version of the catalog',
    description: 'With its contents and templates, as it was stored.',
    params: { version: 'Number of the version.' },
    missing: 'No version has this number, or it is no longer kept.',
    answer: s.CatalogVersionAnswer,
  },
  revertCatalog: {
    method: 'POST',
    path: '/v1/catalog/revert',
    group: 'webhooks',
    success: 200,
    repeat: 'keyed',
    beyondSpecification: true,
    summary: 'Go back to an earlier version of the catalog',
    description:
      'Stores an earlier version again as the newest; without `to`, the one before. Later versions of other authors are only undone if `over` names the version in force: else the answer is 409.',
    missing: 'No version has this number, or it is no longer kept.',
    request: s.RevertCatalogRequest,
    answer: s.PutCatalogAnswer,
  },
  listWebhooks: {
    method: 'GET',
    path: '/v1/webhooks',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'List the webhook subscriptions',
    description: 'Also the disabled ones, oldest first.',
    query: s.ListWebhooksQuery,
    answer: s.ListWebhooksAnswer,
  },
  getWebhook: {
    method: 'GET',
    path: '/v1/webhooks/{id}',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Show a webhook subscription',
    description:
      'The signing secret is never returned. For a disabled subscription, or with `from`, it says how many outcomes it missed.',
    params: { id: 'Identifier of the subscription.' },
    missing: 'No subscription has this identifier.',
    query: s.GetWebhookQuery,
    answer: s.Webhook,
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    group: 'webhooks',
    success: 200,
    repeat: 'keyed',
    beyondSpecification: true,
    summary: 'Change, enable or renew a webhook subscription',
    description: 'Fields that are left out stay as they were. `leaseSeconds` renews a lease.',
    params: { id: 'Identifier of the subscription.' },
    missing: 'No subscription has this identifier.',
    request: s.UpdateWebhookRequest,
    answer: s.Webhook,
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    group: 'webhooks',
    success: 204,
    repeat: 'keyed',
    beyondSpecification: true,
    summary: 'Remove a webhook subscription',
    description: 'Deliveries that are not sent yet are dropped.',
    params: { id: 'Identifier of the subscription.' },
    missing: 'No subscription has this identifier.',
  },
  rotateWebhook: {
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate',
    group: 'webhooks',
    success: 200,
    repeat: 'keyed',
    beyondSpecification: true,
    summary: 'Set a new signing secret; both sign for 24 hours',
    description:
      '`webhook-signature` then has a signature by each secret. `X-Service-Signature` has room for one, and uses the new secret at once.',
    params: { id: 'Identifier of the subscription.' },
    missing: 'No subscription has this identifier.',
    request: s.RotateWebhookRequest,
    answer: s.Webhook,
  },
  listDeliveries: {
    method: 'GET',
    path: '/v1/webhooks/{id}/deliveries',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The recent deliveries of a subscription',
    description: 'Each with its latest attempts and the time of the next one.',
    params: { id: 'Identifier of the subscription.' },
    missing: 'No subscription has this identifier.',
    query: s.ListDeliveriesQuery,
    answer: s.ListDeliveriesAnswer,
  },
  listAllDeliveries: {
    method: 'GET',
    path: '/v1/deliveries',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The recent deliveries of all subscriptions, newest first',
    description: 'Each with its subscription, its latest attempts and the time of the next one.',
    query: s.ListDeliveriesQuery,
    answer: s.ListDeliveriesAnswer,
  },
  getDelivery: {
    method: 'GET',
    path: '/v1/deliveries/{id}',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'One delivery with its body and its attempts',
    description:
      'Each attempt says which versions of the signing secret signed it. Neither secrets nor signatures are returned.',
    params: { id: 'Identifier of the delivery.' },
    missing: 'No delivery has this identifier.',
    answer: s.DeliveryRecord,
  },
  redeliverMany: {
    method: 'POST',
    path: '/v1/webhooks/{id}/redelivery',
    group: 'webhooks',
    success: 202,
    repeat: 'keyed',
    beyondSpecification: true,
    summary: 'Send many deliveries again',
    description:
      'Sends the same bytes under the same identifiers, in order of occurrence and behind new deliveries. The subscription must be active, and shows how far it is.',
    params: { id: 'Identifier of the subscription.' },
    missing: 'No subscription has this identifier.',
    request: s.RedeliverManyRequest,
    answer: s.RedeliverManyAnswer,
  },
  stopRedelivery: {
    method: 'DELETE',
    path: '/v1/webhooks/{id}/redelivery',
    group: 'webhooks',
    success: 200,
    repeat: 'keyed',
    beyondSpecification: true,
    summary: 'Stop sending many deliveries again',
    description: 'What is queued is sent.',
    params: { id: 'Identifier of the subscription.' },
    missing: 'No subscription has this identifier, or nothing of it is being sent again.',
    answer: s.StopRedeliveryAnswer,
  },
  redeliver: {
    method: 'POST',
    path: '/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    group: 'webhooks',
    success: 202,
    repeat: 'keyed',
    beyondSpecification: true,
    summary: 'Send a delivery again',
    description: 'Sends the same bytes under the same identifier. The subscription must be active.',
    params: { id: 'Identifier of the subscription.', deliveryId: 'Identifier of the delivery.' },
    missing: 'No subscription has this identifier, or it has no such delivery.',
    answer: s.RedeliverAnswer,
  },
});

export type EndpointName = keyof typeof ENDPOINTS;

type Schema<
  N extends EndpointName,
  K extends 'request' | 'answer' | 'query',
> = (typeof ENDPOINTS)[N] extends { [P in K]: infer S extends z.ZodMiniType } ? z.infer<S> : undefined;

export type RequestOf<N extends EndpointName> = Schema<N, 'request'>;
export type AnswerOf<N extends EndpointName> = Schema<N, 'answer'>;

/** The names of the parameters of a path. */
export const paramsOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
