// Made by `npm run generate` from src/contract.
import type { CallOptions, StreamOptions } from './client.mjs';

/** The chosen action. */
export interface Action {
  /** Kind of action: `in-app-message`, the name of a notification channel, or `none` if nothing is eligible. */
  readonly type: string;
  /** Content to render. Empty for an action of type `none`. */
  readonly contentId: string;
  /** Score: the expected reward. */
  readonly ranking: number;
  /** Why this action, in words. */
  readonly reason: string;
}

/** A user, and when the user was last active. */
export interface ActiveUser {
  /** Hashed identifier of the user. */
  readonly hashId: string;
  /** Locale; null if it is not known. */
  readonly locale: string | null;
  /** When the user was last active. */
  readonly lastAt: string;
  /** What that was: an event, a decision, an outcome of a message, or a change of what is stored of the user. */
  readonly last: 'event' | 'decision' | 'outcome' | 'profile';
  /** Name of that event. */
  readonly event?: string | undefined;
  /** Content of that decision or message; missing where nothing was chosen. */
  readonly contentId?: string | undefined;
  /** What the user did with that message. */
  readonly outcome?: 'opened' | 'clicked' | 'actioned' | 'dismissed' | undefined;
  /** Events of the last 90 days, about. */
  readonly events: number;
  /** Decisions. */
  readonly decisions: number;
  /** Channels by which the user can be reached: neither bounced nor stopped. Missing of a user who is not stored. */
  readonly channels?: readonly string[] | undefined;
  /** Marketing that the user refuses, as in `optOut` of a user. */
  readonly optOut?: readonly string[] | undefined;
}

/** A runner-up of a decision. */
export interface Alternative {
  /** Kind of action. */
  readonly type: string;
  /** Content to render. */
  readonly contentId: string;
  /** Score: the expected reward. */
  readonly ranking: number;
}

/** What became of a notification of which nothing is sent any more. */
export interface CancelNotificationAnswer {
  readonly status: NotificationStatus;
  /** False if nothing of it left. True if a provider took it, or may have. */
  readonly sentBefore: boolean;
  /** Identifier of the request; also in the header X-Service-Request-Id. */
  readonly requestId: string;
}

/** A content that could have been chosen. */
export interface Candidate {
  /** The content. */
  readonly contentId: string;
  /** Probability with which it was chosen. */
  readonly propensity: number;
  /** Score: the expected reward. */
  readonly ranking: number;
}

/** An error in a catalog. */
export interface CatalogIssue {
  /** Where, such as `contents[2].format`. */
  readonly path: string;
  /** What is wrong. */
  readonly message: string;
}

/** A stored version of the catalog. */
export interface CatalogVersion {
  /** Number of the version; 0 for the catalog of the service. */
  readonly version: number;
  /** Who made it; null if nobody was named. */
  readonly author: string | null;
  /** What it was for; null if that was not said. */
  readonly note: string | null;
  /** When it was stored. */
  readonly createdAt: string;
  /** The version that it repeats; null if it is a new one. */
  readonly revertOf: number | null;
  /** Size as JSON, in bytes. */
  readonly bytes: number;
}

/** A stored version with its content. */
export interface CatalogVersionAnswer {
  /** Number of the version; 0 for the catalog of the service. */
  readonly version: number;
  /** Who made it; null if nobody was named. */
  readonly author: string | null;
  /** What it was for; null if that was not said. */
  readonly note: string | null;
  /** When it was stored; null for the built-in catalog. */
  readonly createdAt: string | null;
  /** The catalog (docs/catalog.md). */
  readonly catalog: { readonly [name: string]: undefined };
}

/** Delivery channel. */
export type Channel = 'whatsapp' | 'sms' | 'email' | 'push';

/** The test clock of the store. */
export interface Clock {
  /** The time of the service. */
  readonly now: string;
  /** By how much it is later than the time of the machine, in ms. */
  readonly offsetMs: number;
  /** The time to which the clock moves: null once it is there, and what became due is worked off. */
  readonly movingTo: string | null;
  /** With `until`: what becomes due until then, in all workspaces. More may follow from it, such as retries. */
  readonly due?: {
    /** Notifications that are queued or held. */
    readonly notifications: number;
    /** Deliveries of webhooks. */
    readonly deliveries: number;
    /** Messages that end. */
    readonly messages: number;
    /** Entries that retention removes. */
    readonly removed: {
      /** Events. */
      readonly events: number;
      /** Decisions. */
      readonly decisions: number;
      /** Notifications. */
      readonly notifications: number;
    };
  } | undefined;
}

/** What the user has said about marketing. The most specific statement holds, then a refusal. */
export interface ConsentAnswer {
  /** Marketing that the user asked for: channels, `*` for all, with a category after `/`. */
  readonly optIn: readonly string[];
  /** Marketing that the user refused. */
  readonly optOut: readonly string[];
  /** Identifier of the request; also in the header X-Service-Request-Id. */
  readonly requestId: string;
}

/** What a user says about marketing. What is left out stays as it was. */
export interface ConsentRequest {
  /** Marketing that the user asks for: `email`, `email/news`, `*\/news`, or `*` for everything. Replaces earlier statements within the same scope. */
  readonly optIn?: readonly string[] | undefined;
  /** Marketing that the user refuses, likewise. Applied after `optIn`. */
  readonly optOut?: readonly string[] | undefined;
}

/** A content and what it earned. */
export interface ContentFigures {
  /** Identifier of the content. */
  readonly id: string;
  /** Category; null if it is no longer in the catalog. */
  readonly category: string | null;
  /** Format; null if it is no longer in the catalog. */
  readonly format: string | null;
  /** Title; null if it is no longer in the catalog. */
  readonly title: string | null;
  /** Whether it can be chosen: `paused`, before its start (`scheduled`), after its end (`ended`), taken out by a guard (`guarded`), or no longer in the catalog (`withdrawn`). */
  readonly status: 'active' | 'paused' | 'scheduled' | 'ended' | 'guarded' | 'withdrawn';
  /** The goals whose guards took it out of choice; absent for none. */
  readonly guardedBy?: readonly string[] | undefined;
  /** Messages that were dismissed. */
  readonly dismissed: number;
  /** Decisions that count: their message was served, or their channel is not polled. */
  readonly served: number;
  /** Of these, those that were clicked or actioned. */
  readonly rewarded: number;
  /** Rewarded of those served; null where none was. */
  readonly rate: number | null;
  /** Lower end of the 95 % interval of the rate. */
  readonly low: number | null;
  /** Upper end of the 95 % interval of the rate. */
  readonly high: number | null;
  /** What it earned of each goal of the catalog; absent where there is none. */
  readonly goals?: readonly ContentGoal[] | undefined;
}

/** What a content earned of a goal. */
export interface ContentGoal {
  /** Identifier of the goal. */
  readonly goalId: string;
  /** Decisions that the goal counts. */
  readonly served: number;
  /** Of these, those that earned something. */
  readonly conversions: number;
  /** What they earned per decision, from 0 to 1; null without decisions. */
  readonly value: number | null;
  /** Lower end of the 95 % interval of the value. */
  readonly low: number | null;
  /** Upper end of the 95 % interval of the value. */
  readonly high: number | null;
}

/** What was served and earned of a content. */
export interface ContentTrend {
  /** Identifier of the content. */
  readonly contentId: string;
  /** Its rate over the range; null without a decision. */
  readonly total: RatePoint | null;
  /** How often it was served, outside of the holdout group and without what was tried. By step. */
  readonly served: readonly number[];
  /** Its rate, at most 12 points; those without a decision are left out. */
  readonly rates: readonly RatePoint[];
  /** What its decisions earned of each goal of the catalog, in its order; absent where there is none. A decision earns in the step in which it was served, however much later. */
  readonly goals?: readonly GoalTrend[] | undefined;
}

/** For how long the token is valid, and what it says to the app. */
export interface CreateUserTokenRequest {
  /** Validity in seconds; 3600 if it is left out. */
  readonly ttlSeconds?: number | undefined;
  /** The user in your own terms, if the app tracks events: the token then says it to the app. It must have this hashId. */
  readonly userId?: string | undefined;
}

/** Subscribes a URL to kinds of event. */
export interface CreateWebhookRequest {
  /** Address that receives the deliveries: https, and not in a private network. */
  readonly url: string;
  /** Kinds of event to deliver. */
  readonly events: readonly EventKind[];
  /** Secret that signs the deliveries. Its UTF-8 bytes are the key; it is never decoded and never returned. */
  readonly signingSecret: string;
  /** The subscription ends after this many seconds unless renewed. */
  readonly leaseSeconds?: number | undefined;
  /** Only outcomes that pass: terms such as `contentId:summer_* channel:push -surface:home` over type, contentId, templateId, channel, surface, category and goalId. Empty: all. */
  readonly filter?: string | undefined;
  /** What it is for, in your words. */
  readonly description?: string | undefined;
  /** At most so many deliveries a second. */
  readonly maxRate?: number | undefined;
  /** Headers of each delivery, such as a key of your gateway: none that the service or the connection sets. Sealed; values are never returned. Replaces all; empty for none. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** First deliver the outcomes since this time, in order of occurrence, and then what occurs. Default: only what occurs. */
  readonly from?: string | undefined;
}

/** A decision, which the service has logged. */
export interface DecideAnswer {
  /** Identifier of the decision. */
  readonly decisionId: string;
  readonly action: Action;
  /** Runner-up actions, best first. */
  readonly alternatives: readonly Alternative[];
}

/** Asks for the next best action for a user. */
export interface DecideRequest {
  /** Hashed identifier of the user, from `POST /v1/users`. */
  readonly hashId: string;
  readonly context?: DecisionContext | undefined;
  readonly guardrails?: Guardrails | undefined;
}

/** Where the action will appear. Any other field with a scalar value is a feature of the decision. */
export interface DecisionContext {
  /** Channel of the surface, such as `in-app`. */
  readonly channel?: string | undefined;
  /** Name of the surface. */
  readonly surface?: string | undefined;
  /** Locale of the action (BCP 47). Default: the user's. */
  readonly locale?: string | undefined;
  readonly [name: string]: string | number | boolean | undefined;
}

/** The decisions of one kind of choice. */
export interface DecisionGroup {
  /** Decisions that count: their message was served, or their channel is not polled. */
  readonly served: number;
  /** Of these, those that were clicked or actioned. */
  readonly rewarded: number;
  /** Rewarded of those served; null where none was. */
  readonly rate: number | null;
  /** Lower end of the 95 % interval of the rate. */
  readonly low: number | null;
  /** Upper end of the 95 % interval of the rate. */
  readonly high: number | null;
}

/** What was served and earned over time. */
export interface DecisionTrend {
  /** The beginning of the first step (UTC). */
  readonly from: string;
  /** The end of the range; the last step may end later. */
  readonly until: string;
  /** Length of a step in ms: the shortest of 1, 3 and 6 hours, a day and a week of which at most 60 reach over the range. Of a longer range, the last 60. Of events, 2 and 10 minutes too. Of attempts to deliver in the last hour, 5 minutes. */
  readonly stepMs: number;
  /** Decisions that count: their message was served, or their channel is not polled. By step. */
  readonly served: readonly number[];
  /** Of these, those of the holdout group. By step. */
  readonly holdout: readonly number[];
  /** Of the others, those that fell on another than the most likely candidate. By step. */
  readonly tried: readonly number[];
  /** The rate of all over the range; null without a decision. */
  readonly total: RatePoint | null;
  /** The same of the holdout group alone. */
  readonly holdoutTotal?: RatePoint | null | undefined;
  /** The contents that were served most. */
  readonly contents: readonly ContentTrend[];
  /** What learning gained, a point for each step from the first on with decisions of both groups. Decisions of one user are taken for independent. */
  readonly gain: readonly GainPoint[];
  /** The same of each goal of the catalog, in its order, at most 12 points; absent where there is none. */
  readonly goals?: readonly GoalGain[] | undefined;
}

/** Which events are deleted: those for which everything holds that is given. At least one field must be. */
export interface DeleteEventsRequest {
  /** Events with this name. */
  readonly event?: string | undefined;
  /** Events of this user. */
  readonly userId?: string | undefined;
  /** Events that happened from this time on. */
  readonly since?: string | undefined;
  /** Events that happened before this time. */
  readonly until?: string | undefined;
  /** Events that this run of an import sent. */
  readonly run?: string | undefined;
  /** Events that match, in the language of the filter of `watchEvents`. */
  readonly filter?: string | undefined;
  /** Count the events, and delete none. */
  readonly dryRun?: boolean | undefined;
}

/** The erasure has begun. Personal fields are gone; logs are searched within about a minute, then the user is not found. */
export interface DeleteUserAnswer {
  /** Hashed identifier of the user. */
  readonly hashId: string;
  readonly status: UserStatus;
  /** Identifier of the request; also in the header X-Service-Request-Id. */
  readonly requestId: string;
}

/** Which users are deleted. */
export interface DeleteUsersRequest {
  /** The run of an import that created them. */
  readonly run: string;
  /** Count the users, and delete none. */
  readonly dryRun?: boolean | undefined;
}

/** An attempt to deliver. */
export interface DeliveryAttempt {
  /** When it was made. */
  readonly at: string;
  /** Status of the answer; null if there was none. */
  readonly status: number | null;
  /** What went wrong, in words. */
  readonly error?: string | undefined;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
  /** Versions of the secrets that signed it: the current one, and during a rotation the one before. */
  readonly signedBy: readonly number[];
}

/** A delivery with its body. */
export interface DeliveryRecord {
  /** Identifier of the delivery. */
  readonly deliveryId: string;
  /** Identifier of the subscription. */
  readonly webhookId: string;
  /** Kind of event. */
  readonly type: string;
  readonly status: DeliveryStatus;
  /** When the event happened. */
  readonly occurredAt: string;
  /** The latest attempts, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** When it is sent again; null if it is not. */
  readonly nextAttemptAt: string | null;
  /** The body that is sent, the same bytes in each attempt, as text. */
  readonly body: string;
}

/** State of a delivery. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** Attempts to deliver over time, of the last week at most. */
export interface DeliveryTrend {
  /** The beginning of the first step (UTC). */
  readonly from: string;
  /** The end of the range; the last step may end later. */
  readonly until: string;
  /** Length of a step in ms: the shortest of 1, 3 and 6 hours, a day and a week of which at most 60 reach over the range. Of a longer range, the last 60. Of events, 2 and 10 minutes too. Of attempts to deliver in the last hour, 5 minutes. */
  readonly stepMs: number;
  /** Attempts. By step. */
  readonly attempts: readonly number[];
  /** Of these, those that were answered with a status from 200 to 299. By step. */
  readonly delivered: readonly number[];
  /** Upper ends of the classes of latency, in ms; the last class has the longer ones too. */
  readonly boundsMs: readonly number[];
  /** Attempts that were answered, by step and class of latency. */
  readonly answered: readonly (readonly number[])[];
  /** Within about how many milliseconds 95 % of these were answered; null without any. */
  readonly p95Ms: number | null;
  /** How they went by subscription; those without an attempt are left out. */
  readonly subscriptions: readonly SubscriptionTrend[];
  /** True if there are more counts than are read: the newest are. */
  readonly capped: boolean;
}

/** A device that can be reached. */
export interface Device {
  /** Delivery channel of the device. */
  readonly channel: string;
  /** Registration token of the app on the device. Stored encrypted and never returned. */
  readonly token: string;
}

/** A problem of the request. */
export interface ErrorDetail {
  /** Position in the batch, from 0. */
  readonly index?: number | undefined;
  /** Name of the field, its parts separated by dots. */
  readonly field: string;
  /** What is wrong, in words. */
  readonly message: string;
}

/** What a user did. */
export interface Event {
  /** Identifier of the user, in your own terms. */
  readonly userId: string;
  /** Name of the event. */
  readonly event: string;
  /** When it happened, in UTC. */
  readonly timestamp: string;
  /** Properties of the event, with names of your own. */
  readonly properties?: { readonly [name: string]: string | number | boolean } | undefined;
  /** An id of your own. Of the events of a workspace with the same id, the first is stored. */
  readonly eventId?: string | undefined;
}

/** A deletion of events, and how far it has come. */
export interface EventDeletion {
  /** Identifier of the deletion. */
  readonly deletionId: string;
  /** True if the events are counted, and none is deleted. */
  readonly dryRun: boolean;
  /** `counting` or `deleting` while events are searched; `settling` once all are deleted, until the counts of events of each user are corrected; `done`. */
  readonly status: 'counting' | 'deleting' | 'settling' | 'done';
  /** Events that were found so far. */
  readonly events: number;
  /** The part of the events that was searched, from 0 to 1. */
  readonly progress: number;
  /** Of a dry run: the first events that were found, while they are stored. */
  readonly sample: readonly {
    /** Identifier of the user. */
    readonly userId: string;
    /** Name of the event. */
    readonly event: string;
    /** When it happened. */
    readonly timestamp: string;
    /** Properties of the event. */
    readonly properties?: { readonly [name: string]: string | number | boolean } | undefined;
  }[];
  /** When it was requested. */
  readonly requestedAt: string;
  /** When it ended; null until then. */
  readonly endedAt: string | null;
  /** In the answer to a request with `run`: whether events of it are stored, or it was deleted in the last 30 days. */
  readonly runKnown?: boolean | undefined;
  /** Identifier of the request; also in the header X-Service-Request-Id. */
  readonly requestId: string;
}

/** Kind of event that a subscription can name. */
export type EventKind = 'campaign.clicked' | 'campaign.opened' | 'decision.actioned' | 'decision.converted' | 'message.dismissed' | 'message.expired' | 'notification.held' | 'notification.dispatched' | 'notification.delivered' | 'notification.failed' | 'notification.cancelled' | 'notification.bounced' | 'notification.opted_out' | 'subscription.disabled' | 'subscription.enabled' | 'delivery.exhausted' | 'provider.failing' | 'provider.recovered' | 'backlog.late';

/** The plan of events in force, and how often events were not as planned. */
export interface EventPlanAnswer {
  /** Version of the catalog that has the plan. */
  readonly version: number;
  /** Events in the plan; null without a plan. */
  readonly events: number | null;
  /** What is done with an event that is not as planned: `warn` or `refuse`; null without a plan. */
  readonly violations: string | null;
  /** The same for an event that is not in the plan: `allow`, `warn` or `refuse`; null without a plan. */
  readonly unknownEvents: string | null;
  /** Days that were counted. */
  readonly days: number;
  /** What was counted, the most frequent first; up to 500. */
  readonly counts: readonly EventViolation[];
  /** The sum of `count` of what is not listed: a workspace has 500 counts a day; what is beyond is counted together. */
  readonly others: number;
  /** The sum of `refused` of what is not listed. */
  readonly othersRefused: number;
}

/** Events over time. */
export interface EventTrend {
  /** The beginning of the first step (UTC). */
  readonly from: string;
  /** The end of the range; the last step may end later. */
  readonly until: string;
  /** Length of a step in ms: the shortest of 1, 3 and 6 hours, a day and a week of which at most 60 reach over the range. Of a longer range, the last 60. Of events, 2 and 10 minutes too. Of attempts to deliver in the last hour, 5 minutes. */
  readonly stepMs: number;
  /** Events received, also those that were removed since. By step. */
  readonly stored: readonly number[];
  /** Requests with events that were refused: an event was not valid, or not as planned. They store none. By step, or by the hour where steps are shorter. */
  readonly refused: readonly number[];
  /** The beginning of the first count of `refused`. */
  readonly refusedFrom: string;
}

/** Something that events of one name did against the plan. */
export interface EventViolation {
  /** Name of the event. */
  readonly event: string;
  /** The property; null for the event as a whole. */
  readonly property: string | null;
  /** What is wrong. */
  readonly rule: 'unknown-event' | 'missing' | 'unknown-property' | 'type' | 'enum' | 'format';
  /** How often among stored events. */
  readonly count: number;
  /** How often among events that were refused for it; those of a batch that is sent again count again. */
  readonly refused: number;
  /** When last. */
  readonly lastAt: string;
}

/** What moved a learned choice: the best candidate, compared with the one that would have been next. */
export interface Explanation {
  /** The best candidate, also where another one was chosen to learn what it earns. */
  readonly winner: string;
  /** The candidate that would have been next, by what is expected of it and how uncertain that is: not always the second by ranking. Null for a single candidate. */
  readonly runnerUp: string | null;
  /** The features with the largest effects, at most five. */
  readonly effects: readonly {
    /** Name of the trait, the event or the field of the context. */
    readonly feature: string;
    /** Its value; `***` for one that looks personal. */
    readonly value: string;
    /** What it adds to the lead of the winner, of a single candidate to what it earns, in the unit of rewards. */
    readonly effect: number;
  }[];
  /** The smallest change of one of these features by which the runner-up would have been ahead; null if there is none. */
  readonly change: {
    /** Name of the feature. */
    readonly feature: string;
    /** Its value. */
    readonly value: string;
    /** The other value; null if the feature would have to be missing. */
    readonly to: number | null;
  } | null;
}

/** A page of exported records, as columns. */
export interface ExportAnswer {
  /** What the records are. */
  readonly type: 'events' | 'decisions' | 'deliveries' | 'notifications' | 'outcomes';
  /** Number of records; a page with none may have a next one. */
  readonly rows: number;
  /** The values of each field, one for each record, null where a record has none. JSON is a text, as it was sent; times are in ISO 8601. */
  readonly columns: { readonly [name: string]: readonly (string | number | null)[] };
  /** The value of `after` for the next page; null on the last page. */
  readonly next: string | null;
  /** Records from before this time were removed by age, and the span begins before it. On the last page. */
  readonly removedBefore?: string | undefined;
}

/** What learning gained until a time. */
export interface GainPoint {
  /** The end of a step: all decisions of the range before it are compared. */
  readonly until: string;
  /** Learned decisions. */
  readonly learned: number;
  /** Decisions of the holdout group. */
  readonly holdout: number;
  /** Rate of the learned choice less that of the holdout group. */
  readonly gain: number;
  /** Lower end of its interval, which holds with 95 % however often it is looked at. */
  readonly low: number;
  /** Upper end of the interval. */
  readonly high: number;
}

/** The catalog in force. */
export interface GetCatalogAnswer {
  /** Number of the version; 0 for the catalog of the service. */
  readonly version: number;
  /** Who made it; null if nobody was named. */
  readonly author: string | null;
  /** What it was for; null if that was not said. */
  readonly note: string | null;
  /** When it was stored; null for the built-in catalog. */
  readonly createdAt: string | null;
  /** True while a file is the authority. */
  readonly readOnly: boolean;
  /** Why it is read-only, and what to do. */
  readonly reason?: string | undefined;
  /** The catalog (docs/catalog.md). */
  readonly catalog: { readonly [name: string]: undefined };
}

/** A content and what it earned over time. */
export interface GetContentAnswer {
  /** Identifier of the content. */
  readonly id: string;
  /** Category; null if it is no longer in the catalog. */
  readonly category: string | null;
  /** Format; null if it is no longer in the catalog. */
  readonly format: string | null;
  /** Title; null if it is no longer in the catalog. */
  readonly title: string | null;
  /** Whether it can be chosen: `paused`, before its start (`scheduled`), after its end (`ended`), taken out by a guard (`guarded`), or no longer in the catalog (`withdrawn`). */
  readonly status: 'active' | 'paused' | 'scheduled' | 'ended' | 'guarded' | 'withdrawn';
  /** The goals whose guards took it out of choice; absent for none. */
  readonly guardedBy?: readonly string[] | undefined;
  /** Messages that were dismissed. */
  readonly dismissed: number;
  /** Decisions that count: their message was served, or their channel is not polled. */
  readonly served: number;
  /** Of these, those that were clicked or actioned. */
  readonly rewarded: number;
  /** Rewarded of those served; null where none was. */
  readonly rate: number | null;
  /** Lower end of the 95 % interval of the rate. */
  readonly low: number | null;
  /** Upper end of the 95 % interval of the rate. */
  readonly high: number | null;
  /** What it earned of each goal of the catalog; absent where there is none. */
  readonly goals?: readonly ContentGoal[] | undefined;
  /** Width of the points. */
  readonly step: 'hour' | 'day';
  /** The points with decisions, oldest first. */
  readonly series: readonly SeriesPoint[];
}

/** The state of the learned model. */
export interface GetModelAnswer {
  /** Version of the newest stored model; 0 before the first. */
  readonly version: number;
  /** Entries of the reward log that the model includes. */
  readonly learned: number;
  /** Entries that it has yet to include. */
  readonly behind: number;
  /** When all was last forgotten and learned again, as several contents shortly after each other stopped earning what they did; null if it never was. */
  readonly resetAt: string | null;
  /** Share of the users in the holdout group. */
  readonly holdoutShare: number;
  /** Share of each decision that is spread evenly. */
  readonly explorationShare: number;
  /** The models that learn; the one with the best recent predictions decides. */
  readonly experts: readonly ModelExpert[];
  /** Rows of features that the linear experts and a logistic one use. */
  readonly rows: {
    /** Those of the linear experts. */
    readonly linear: {
      /** Rows in use, that of the bias included. */
      readonly used: number;
      /** Most rows, which are fewer with many contents. */
      readonly limit: number;
    };
    /** Those of the logistic variant that decides, or has all features. */
    readonly logistic: {
      /** Rows in use, that of the bias included. */
      readonly used: number;
      /** Most rows, which are fewer with many contents. */
      readonly limit: number;
    };
  };
  /** The 20 contents with the most learned decisions. */
  readonly contents: readonly LearnedContent[];
  readonly all: DecisionGroup;
  /** By what made the choice: learned beliefs, an even choice for the holdout group, or fixed weights. */
  readonly byPolicy: {
    readonly learned: DecisionGroup;
    readonly holdout: DecisionGroup;
    readonly weights: DecisionGroup;
  };
  /** Rate of the learned choice less that of the holdout group, with its 95 % interval (Newcombe); null without both. */
  readonly gain: {
    /** The difference. */
    readonly rate: number;
    /** Lower end of the interval. */
    readonly low: number;
    /** Upper end of the interval. */
    readonly high: number;
  } | null;
  /** The goals of the catalog, in its order. */
  readonly goals: readonly GoalState[];
  /** Width of the points. */
  readonly step: 'hour' | 'day';
  /** The points with decisions, oldest first. */
  readonly series: readonly SeriesPoint[];
  /** The points of the holdout group. */
  readonly holdoutSeries: readonly SeriesPoint[];
}

/** What may be known of a user outside the service: names of fields, never their values. */
export interface GetUserAnswer {
  /** Hashed identifier of the user. */
  readonly hashId: string;
  readonly status: UserStatus;
  /** Time zone; null if it is not known. */
  readonly timeZone: string | null;
  /** Locale; null if it is not known. */
  readonly locale: string | null;
  /** Names of the personal fields that are stored. */
  readonly fields: readonly string[];
  /** Names of the traits. */
  readonly traits: readonly string[];
  /** How the user can be reached. */
  readonly channels: readonly Reach[];
  /** Marketing that the user asked for: channels, `*` for all, with a category after `/`. */
  readonly optIn: readonly string[];
  /** Marketing that the user refused. */
  readonly optOut: readonly string[];
}

/** What learning gained of a goal over time. */
export interface GoalGain {
  /** Identifier of the goal. */
  readonly goalId: string;
  /** What all earned of it over the range; null without a decision. */
  readonly total: ValuePoint | null;
  /** A point for each part of the range in which decisions of both groups are known. */
  readonly gain: readonly GainPoint[];
}

/** What the decisions of one kind of choice earned of a goal. */
export interface GoalGroup {
  /** Decisions that the goal counts. */
  readonly served: number;
  /** Of these, those that earned something. */
  readonly conversions: number;
  /** What they earned per decision, from 0 to 1; null without decisions. */
  readonly value: number | null;
  /** Lower end of the 95 % interval of the value. */
  readonly low: number | null;
  /** Upper end of the 95 % interval of the value. */
  readonly high: number | null;
}

/** How far a goal is counted, and what it earned. */
export interface GoalState {
  /** Identifier of the goal. */
  readonly goalId: string;
  /** Share of the events from before its definition that are counted. */
  readonly progress: number;
  /** Newer events of the workspace that have yet to be searched. */
  readonly behind: number;
  /** Events that counted. */
  readonly events: number;
  /** Of these, those whose number was outside of its range. */
  readonly clipped: number;
  /** Events that did not count: the property that the goal needs was missing or not a number. */
  readonly unreadable: number;
  /** Only decisions that counted from then on are reported, as earlier events were removed; null for all. */
  readonly since: string | null;
  /** By what made the choice. */
  readonly byPolicy: {
    readonly learned: GoalGroup;
    readonly holdout: GoalGroup;
    readonly weights: GoalGroup;
  };
  /** Value per decision of the learned choice less that of the holdout group; null without both. */
  readonly gain: {
    /** The difference. */
    readonly gain: number;
    /** Lower end of its interval, which holds with 95 % however often it is looked at. */
    readonly low: number;
    /** Upper end of the interval. */
    readonly high: number;
  } | null;
  /** What its guard says; absent where it has none. */
  readonly guard?: {
    /** By how much more than the holdout group decisions may earn. */
    readonly worseThan: number;
    /** Decisions that began to count before then are compared: the windows of later ones are open. */
    readonly upTo: string;
    /** What it took out of choice, the longest first. */
    readonly takenOut: readonly TakenOut[];
  } | undefined;
}

/** What a content earned of a goal over time. */
export interface GoalTrend {
  /** Identifier of the goal. */
  readonly goalId: string;
  /** Over the range; null without a decision. */
  readonly total: ValuePoint | null;
  /** At most 12 points; those without a decision are left out. */
  readonly values: readonly ValuePoint[];
}

/** Constraints on the decision. */
export interface Guardrails {
  /** Categories that must not be chosen. */
  readonly excludeCategories?: readonly string[] | undefined;
  /** Maximum number of contacts of the user per day, in the time zone of the user. */
  readonly maxDailyContacts?: number | undefined;
}

/** A user with the identifier that the other operations take. */
export interface IdentifiedUser {
  /** Identifier of the user, as sent. */
  readonly userId: string;
  /** Hashed identifier: stable, and not reversible. */
  readonly hashId: string;
}

/** The batch is stored. */
export interface IngestEventsAnswer {
  /** Number of events, with the repeated ones. */
  readonly accepted: number;
  /** Of these, events whose `eventId` an earlier event has, which were not stored. Where events have ids. */
  readonly duplicates?: number | undefined;
  /** Identifier of the request; also in the header X-Service-Request-Id. */
  readonly requestId: string;
}

/** A batch of events. One event that is not valid refuses the whole batch. */
export interface IngestEventsRequest {
  /** The events. */
  readonly events: readonly Event[];
}

/** The users are stored. */
export interface IngestUsersAnswer {
  /** The users, in the order of the request. */
  readonly users: readonly IdentifiedUser[];
  /** Identifier of the request; also in the header X-Service-Request-Id. */
  readonly requestId: string;
}

/** A batch of users. One user that is not valid refuses the whole batch. */
export interface IngestUsersRequest {
  /** The users. */
  readonly users: readonly User[];
}

/** How the latest attempts of a subscription went. */
export interface LatestAttempts {
  /** Identifier of the subscription. */
  readonly webhookId: string;
  /** Attempts. */
  readonly attempts: number;
  /** Of these, those that were answered with a status from 200 to 299. */
  readonly delivered: number;
}

/** A message, and what became of it. */
export interface LatestMessage {
  /** The decision that chose it. */
  readonly decisionId: string;
  /** Hashed identifier of the user; empty for one who was erased. */
  readonly hashId: string;
  /** The content. */
  readonly contentId: string;
  /** When it was decided. */
  readonly at: string;
  /** Channel, surface and locale of the decision. */
  readonly context: { readonly [name: string]: string };
  readonly state: MessageState;
  /** When an app first got it, or reported what the user did with it; null while none has, and where it is not known: of an answered message whose decision counted before an app had fetched it. */
  readonly servedAt: string | null;
  /** What the user did with it, the first first. */
  readonly outcomes: readonly {
    /** What the user did. */
    readonly type: 'opened' | 'clicked' | 'actioned' | 'dismissed';
    /** When it was reported. */
    readonly at: string;
  }[];
}

/** A page of the messages of the workspace, newest first. */
export interface LatestMessagesAnswer {
  /** The messages. */
  readonly messages: readonly LatestMessage[];
  /** The value of `after` for the next page; missing on the last page. */
  readonly next?: string | undefined;
}

/** What the expert that decides learned of a content. */
export interface LearnedContent {
  /** Identifier of the content. */
  readonly contentId: string;
  /** Decisions learned. */
  readonly learned: number;
  /** Its largest weights, at most five: of a linear expert in the unit of the reward, of a logistic one of the log-odds. */
  readonly weights: readonly {
    /** The feature; null if the process that answers has not met it since its start. */
    readonly name: string | null;
    /** The weight. */
    readonly weight: number;
  }[];
}

/** A page of the versions, newest first. */
export interface ListCatalogVersionsAnswer {
  /** The version in force; 0 for the catalog of the service. */
  readonly current: number;
  /** The versions. */
  readonly versions: readonly CatalogVersion[];
  /** The value of `after` for the next page; missing on the last page. */
  readonly next?: string | undefined;
}

/** A page of the contents. */
export interface ListContentsAnswer {
  /** The contents. */
  readonly items: readonly ContentFigures[];
  /** The value of `after` for the next page; missing on the last page. */
  readonly next?: string | undefined;
}

/** A page of the decision log. */
export interface ListDecisionsAnswer {
  /** The decisions. */
  readonly decisions: readonly LoggedDecision[];
  /** The value of `after` for the next page; null on the last page. */
  readonly next: string | null;
  /** Decisions from before this time were removed by age, and the page reaches back beyond it. */
  readonly removedBefore?: string | undefined;
}

/** A page of deliveries, newest first. */
export interface ListDeliveriesAnswer {
  /** The deliveries. */
  readonly deliveries: readonly WebhookDelivery[];
  /** The value of `after` for the next page; missing on the last page. */
  readonly next?: string | undefined;
}

/** A page of the pending messages of a user. */
export interface ListMessagesAnswer {
  /** The messages. */
  readonly messages: readonly Message[];
  /** The value of `after` for the next page; missing on the last page. */
  readonly next?: string | undefined;
}

/** A page of the notifications, newest first. */
export interface ListNotificationsAnswer {
  /** The notifications. */
  readonly notifications: readonly Notification[];
  /** How many notifications of the same user and times are in each state, each counted up to 5,000 (of a user, the latest 5,000); on the first page. */
  readonly counts?: {
    /** About to be sent. */
    readonly queued: number;
    /** Held until later. */
    readonly held: number;
    /** Taken by a provider that has not said more. */
    readonly dispatched: number;
    /** Delivered. */
    readonly delivered: number;
    /** Failed. */
    readonly failed: number;
    /** Cancelled. */
    readonly cancelled: number;
  } | undefined;
  /** Why notifications of the same user and times failed, of the latest 5,000 that did; the 20 most frequent reasons, on the first page. */
  readonly failures?: readonly {
    /** The reason. */
    readonly failure: string;
    /** How many failed for it. */
    readonly count: number;
  }[] | undefined;
  /** The value of `after` for the next page; missing on the last page. */
  readonly next?: string | undefined;
}

/** The users who were active last. */
export interface ListUsersAnswer {
  /** The users, the last active first. */
  readonly users: readonly ActiveUser[];
  /** How many different users were active in the range, of what was looked at. */
  readonly active: {
    /** Users of events, of the latest 10,000. */
    readonly byEvents: number;
    /** Users of decisions, of the latest 10,000. */
    readonly byDecisions: number;
    /** Users who were stored or changed, up to 10,000. */
    readonly byChanges: number;
    /** True if there may be more. */
    readonly capped: boolean;
  };
  /** The value of `after` for the next page; missing on the last page. */
  readonly next?: string | undefined;
}

/** A page of the subscriptions. */
export interface ListWebhooksAnswer {
  /** The subscriptions. */
  readonly webhooks: readonly Webhook[];
  /** The value of `after` for the next page; missing on the last page. */
  readonly next?: string | undefined;
}

/** An entry of the decision log. */
export interface LoggedDecision {
  /** Identifier of the decision. */
  readonly decisionId: string;
  /** Hashed identifier of the user. */
  readonly hashId: string;
  /** When the decision was made. */
  readonly at: string;
  /** Channel, surface and locale of the decision. */
  readonly context: { readonly [name: string]: string };
  /** The chosen content; null for an action of type `none`. */
  readonly contentId: string | null;
  /** The candidates with the highest propensities. */
  readonly candidates: readonly Candidate[];
  readonly others?: OtherCandidates | undefined;
  /** Version of the model that ranked the candidates. */
  readonly modelVersion: number;
  /** Seed of the choice among the candidates. */
  readonly seed: string;
  /** What made the choice: the learned beliefs, fixed weights (of a placement, or even ones where a guard stopped the learned choice), or an even choice for a user in the holdout group. */
  readonly policy?: 'learned' | 'weights' | 'holdout' | undefined;
  /** The reward so far; null while none is due. */
  readonly reward: number | null;
  /** What it earned of each goal of the catalog, from 0 to 1. Goals of which it earned nothing are left out. */
  readonly goals?: { readonly [name: string]: number } | undefined;
  /** The reason in the answer, cut to 400 bytes. Missing for decisions of earlier versions and of erased users. */
  readonly reason?: string | undefined;
  readonly explanation?: Explanation | undefined;
  /** The contents that each rule excluded, most first. Empty also if `maxDailyContacts` was reached. Missing for decisions of earlier versions. */
  readonly removed?: readonly RemovedContents[] | undefined;
}

/** A message that waits to be shown to a user. */
export interface Message {
  /** The decision that chose it. */
  readonly decisionId: string;
  /** The content. */
  readonly contentId: string;
  /** Channel of the decision; null if it named none. */
  readonly channel: string | null;
  /** Surface of the decision; null if it named none. */
  readonly surface: string | null;
  readonly format: MessageFormat;
  /** Title. */
  readonly title: string;
  /** Text. */
  readonly body: string;
}

/** How a message is shown. */
export type MessageFormat = 'card' | 'modal' | 'embedded' | 'full-screen';

/** What the user did. */
export type MessageOutcome = 'opened' | 'clicked' | 'actioned' | 'dismissed';

/** What the user did with a message. */
export interface MessageOutcomeRequest {
  readonly type: MessageOutcome;
}

/** `waiting` for an app, `served` to one, `opened`, `tapped` (clicked or actioned), `dismissed`, or `ended` without an answer: its time was over, another took its place, or it no longer suited the user. */
export type MessageState = 'waiting' | 'served' | 'opened' | 'tapped' | 'dismissed' | 'ended';

/** One of the models that learn side by side. */
export interface ModelExpert {
  /** A linear regression for each content, or a logistic regression that contents share. */
  readonly kind: 'linear' | 'logistic';
  /** The features it has: all, those of the place, the traits, what users did, none, or the preference of each user alone. */
  readonly knows: 'everything' | 'place' | 'traits' | 'behavior' | 'nothing' | 'users';
  /** Log-likelihood of its predictions for the last thousand decisions, about. */
  readonly evidence: number;
  /** Whether it makes the choices. */
  readonly decides: boolean;
}

/** The delivery record of a notification. */
export interface Notification {
  /** Identifier of the notification. */
  readonly notificationId: string;
  /** Hashed identifier of the user. */
  readonly hashId: string;
  /** Template of the notification. */
  readonly templateId: string;
  /** Delivery channel. */
  readonly channel: string;
  /** What it is for: `transactional` or `marketing`. */
  readonly priority: string;
  readonly status: NotificationStatus;
  /** The states so far, oldest first. */
  readonly history: readonly NotificationTransition[];
  /** What took it, once it is `delivered`: `outbox` if no provider was called, because the workspace is a test one or the channel has no provider. */
  readonly sentBy?: 'provider' | 'outbox' | undefined;
  /** When it was to be sent; missing for at once. */
  readonly sendAt?: string | undefined;
  /** When a notification that is held back is looked at again: it is sent then, or held on. */
  readonly heldUntil?: string | undefined;
  /** Why the notification failed, in words: `no_address` if the channel cannot reach the user, `uncertain: …` if it may have been sent, `suppressed: …` if the user or a bounce forbids it. */
  readonly failure?: string | undefined;
}

/** What the user did. */
export type NotificationOutcome = 'opened' | 'clicked';

/** What the user did with a notification. */
export interface NotificationOutcomeRequest {
  readonly type: NotificationOutcome;
}

/** Its state: `cancelled`, unless it had ended or is on its way. */
export type NotificationStatus = 'queued' | 'held' | 'dispatched' | 'delivered' | 'failed' | 'cancelled';

/** A state that a notification entered. */
export interface NotificationTransition {
  readonly status: NotificationStatus;
  /** When it entered the state. */
  readonly at: string;
  readonly reason?: StateReason | undefined;
}

/** The candidates of a decision that are not named. */
export interface OtherCandidates {
  /** How many. */
  readonly count: number;
  /** Sum of their propensities. */
  readonly propensity: number;
  /** Their mean ranking. */
  readonly ranking: number;
  /** Sum of propensity × ranking. */
  readonly expected: number;
}

/** The outcome is stored. */
export interface OutcomeAnswer {
  /** Identifier of the request; also in the header X-Service-Request-Id. */
  readonly requestId: string;
}

/** What happened in the workspace in this hour and the 23 before. */
export interface OverviewAnswer {
  /** When it was counted. */
  readonly at: string;
  /** The beginning of the first hour: all are hours of the clock (UTC), the last of which has not ended. */
  readonly from: string;
  /** What happened in the same time a day earlier. */
  readonly before: {
    /** Events received. */
    readonly events: number;
    /** Decisions made; null for 20,000 or more. */
    readonly decisions: number | null;
  };
  /** Events. */
  readonly events: {
    /** Events that were ever received: the number of the newest one. */
    readonly stored: number;
    /** Events received. By hour, the oldest of 24 first. */
    readonly byHour: readonly number[];
  };
  /** Decisions. */
  readonly decisions: {
    /** Decisions made. By hour, the oldest of 24 first. */
    readonly byHour: readonly number[];
    /** How long the latest answers took in the process that answers, up to 1,000; null before the first. */
    readonly latency: {
      /** How many they are. */
      readonly answers: number;
      /** Within how many milliseconds half of them were given. */
      readonly p50Ms: number;
      /** The same of 95 %. */
      readonly p95Ms: number;
      /** The same of 99 %. */
      readonly p99Ms: number;
    } | null;
    /** Decisions that count, by what made the choice. */
    readonly counted: {
      /** Chosen by learned beliefs. */
      readonly learned: number;
      /** Chosen evenly, for users of the holdout group. */
      readonly holdout: number;
      /** Chosen by fixed weights. */
      readonly weights: number;
    };
  };
  /** Messages. */
  readonly messages: {
    /** Decisions that count: their message was served, or their channel is not polled. By hour, the oldest of 24 first. */
    readonly servedByHour: readonly number[];
    /** Of those served, the ones that were clicked or actioned. */
    readonly rewarded: number;
    /** The messages that wait for an app or for an answer, up to 5,000, by content, the most first. */
    readonly waiting: readonly WaitingMessages[];
    /** Outcomes `clicked` and `actioned`, by the time of the outcome. By hour, the oldest of 24 first. */
    readonly tappedByHour: readonly number[];
  };
  /** Notifications by their state, in the hour in which they were triggered. */
  readonly notifications: {
    /** Those that are queued. By hour, the oldest of 24 first. */
    readonly queued: readonly number[];
    /** Those that are held. By hour, the oldest of 24 first. */
    readonly held: readonly number[];
    /** Those that were dispatched. By hour, the oldest of 24 first. */
    readonly dispatched: readonly number[];
    /** Those that were delivered. By hour, the oldest of 24 first. */
    readonly delivered: readonly number[];
    /** Those that failed. By hour, the oldest of 24 first. */
    readonly failed: readonly number[];
    /** Those that were cancelled. By hour, the oldest of 24 first. */
    readonly cancelled: readonly number[];
  };
  /** Deliveries to subscriptions by their state, in the hour of their occasion. */
  readonly deliveries: {
    /** Those that are pending. By hour, the oldest of 24 first. */
    readonly pending: readonly number[];
    /** Those that were delivered. By hour, the oldest of 24 first. */
    readonly delivered: readonly number[];
    /** Those that failed. By hour, the oldest of 24 first. */
    readonly failed: readonly number[];
    /** Attempts, as the trend of deliveries has them for a day. */
    readonly attempts: number;
    /** Of these, those that were answered with a status from 200 to 299. */
    readonly attemptsSucceeded: number;
    /** The attempts of about the last hour by subscription; those without an attempt are left out. */
    readonly lastHour: readonly LatestAttempts[];
    /** Within about how many milliseconds 95 % of those that were answered were; null without any. */
    readonly p95Ms: number | null;
  };
  /** The channels with a provider, of a live workspace. */
  readonly providers: readonly ProviderState[];
  /** Which data the workspace has at all. */
  readonly has: {
    /** Whether users are stored. */
    readonly users: boolean;
    /** Whether there are subscriptions. */
    readonly webhooks: boolean;
  };
  /** When the last backup of the database was made; null if none was. */
  readonly lastBackupAt: string | null;
  /** True if a count may be more: an hour or a state has 20,000 entries or more, of which the newest were counted. */
  readonly capped: boolean;
}

/** A page of the pending messages of a user, served or not. */
export interface PeekMessagesAnswer {
  /** The messages. */
  readonly messages: readonly PeekedMessage[];
  /** The value of `after` for the next page; missing on the last page. */
  readonly next?: string | undefined;
}

/** A pending message. */
export interface PeekedMessage {
  /** The decision that chose it. */
  readonly decisionId: string;
  /** The content. */
  readonly contentId: string;
  /** Channel of the decision; null if it named none. */
  readonly channel: string | null;
  /** Surface of the decision; null if it named none. */
  readonly surface: string | null;
  readonly format: MessageFormat;
  /** Title. */
  readonly title: string;
  /** Text. */
  readonly body: string;
  /** When an app first got it; null while none has. */
  readonly servedAt: string | null;
}

/** What a notification is for. Default: what the template says, or else `marketing`. */
export type Priority = 'transactional' | 'marketing';

/** What the latest 200 notifications of each state say of a provider. */
export interface ProviderState {
  /** The channel. */
  readonly channel: string;
  /** When it last took one of these; null for none. */
  readonly lastSuccessAt: string | null;
  /** When one of these failed that it was asked to send, or may have been; null for none. */
  readonly lastFailureAt?: string | null | undefined;
  /** How many are queued after three attempts or more. */
  readonly waiting: number;
}

/** The version in force. */
export interface PutCatalogAnswer {
  /** Number of the version; 0 for the catalog of the service. */
  readonly version: number;
  /** Who made it; null if nobody was named. */
  readonly author: string | null;
  /** What it was for; null if that was not said. */
  readonly note: string | null;
  /** When it was stored; null for the built-in catalog. */
  readonly createdAt: string | null;
  /** True if the catalog was the same, and nothing was stored. */
  readonly unchanged: boolean;
  /** What was stored, but hardly is meant, as `POST /v1/catalog/validate` lists it. */
  readonly warnings?: readonly CatalogIssue[] | undefined;
}

/** A catalog (docs/catalog.md) that replaces the one in force. */
export interface PutCatalogRequest {
  /** The catalog. */
  readonly catalog: { readonly [name: string]: undefined };
  /** The version that it is based on. */
  readonly ifVersion?: number | undefined;
  /** Who makes the change, as the versions show it. */
  readonly author?: string | undefined;
  /** What the change is for. */
  readonly note?: string | undefined;
}

/** A rate over some steps. */
export interface RatePoint {
  /** The beginning of its first step. */
  readonly from: string;
  /** Decisions that count. */
  readonly served: number;
  /** Of these, those that were clicked or actioned. */
  readonly rewarded: number;
  /** Those whose message was dismissed, some after it was clicked. */
  readonly dismissed?: number | undefined;
  /** Rewarded of those served. */
  readonly rate: number;
  /** Lower end of the 95 % interval of the rate (Wilson). */
  readonly low: number;
  /** Upper end of the 95 % interval of the rate (Wilson). */
  readonly high: number;
}

/** How a user can be reached through a channel. */
export interface Reach {
  /** The channel. */
  readonly channel: string;
  /** Number of addresses or devices. */
  readonly addresses: number;
  /** Of these, dead ones: nothing is sent to them. */
  readonly bounced: number;
  /** Of these, ones that refused marketing. */
  readonly stopped: number;
}

/** The delivery is queued. */
export interface RedeliverAnswer {
  /** Identifier of the delivery. */
  readonly deliveryId: string;
  readonly status: DeliveryStatus;
  /** Identifier of the request; also in the header X-Service-Request-Id. */
  readonly requestId: string;
}

/** How many deliveries there are, and unless they were only counted, what is done. */
export interface RedeliverManyAnswer {
  /** How many there are, counted up to 100,000. */
  readonly matched: number;
  /** Deliveries before this time were removed by age. */
  readonly removedBefore?: string | undefined;
  /** What is sent again; missing if they were only counted. */
  readonly redelivery?: Redelivery | undefined;
}

/** Which deliveries of a subscription are sent again. */
export interface RedeliverManyRequest {
  /** Those of outcomes since then. */
  readonly since: string;
  /** `failed`: those that were given up; `undelivered`: also those that wait for their next attempt, which comes at once; `all`: also those that were delivered. Default: `failed`. */
  readonly status?: 'failed' | 'undelivered' | 'all' | undefined;
  /** Kinds of event to deliver. */
  readonly events?: readonly EventKind[] | undefined;
  /** How many a second at most. Default: as fast as they are answered. */
  readonly rate?: number | undefined;
  /** Only count them. */
  readonly dryRun?: boolean | undefined;
}

/** Deliveries of a subscription that are sent again, in order of occurrence and behind new ones. */
export interface Redelivery {
  /** Those since when. */
  readonly since: string;
  /** `failed`: those that were given up; `undelivered`: also those that wait for their next attempt, which comes at once; `all`: also those that were delivered. */
  readonly status: 'failed' | 'undelivered' | 'all';
  /** Of which kinds; missing for all. */
  readonly events?: readonly string[] | undefined;
  /** How many a second at most; missing without a limit. */
  readonly rate?: number | undefined;
  /** When it began. */
  readonly startedAt: string;
  /** How many there were then, counted up to 100,000. */
  readonly matched: number;
  /** How many were queued. */
  readonly queued: number;
  /** When all were queued; null before that. */
  readonly endedAt: string | null;
}

/** The contents that a rule excluded from a decision. */
export interface RemovedContents {
  /** The rule: `channel`, `surface`, `locale`, `paused`, `active` (dates), `trait`, `event`, `category`, `weights` (of the placement), `cooldown`, `mostPerUser`, `afterOutcome`, `guard` (of a goal), or `others` for further rules together. */
  readonly rule: string;
  /** The trait, event, category or goal of the rule. */
  readonly name?: string | undefined;
  /** How many contents it excluded that no earlier rule did. */
  readonly count: number;
  /** The first of them; none where the log had no space. */
  readonly contentIds: readonly string[];
}

/** Which version to go back to. */
export interface RevertCatalogRequest {
  /** The version, 0 for the catalog of the service; left out: the one before the version in force. */
  readonly to?: number | undefined;
  /** The version in force, where it is that of another author. */
  readonly over?: number | undefined;
  /** Who makes the change, as the versions show it. */
  readonly author?: string | undefined;
  /** What the change is for. */
  readonly note?: string | undefined;
}

/** The reward is stored. */
export interface RewardAnswer {
  /** Identifier of the decision. */
  readonly decisionId: string;
  /** The reward of the decision that is learned. */
  readonly reward: number;
  /** Identifier of the request; also in the header X-Service-Request-Id. */
  readonly requestId: string;
}

/** What a decision was worth. */
export interface RewardRequest {
  /** The reward. */
  readonly value: number;
  /** The goal of the catalog to which it is added. Left out: it is the reward of the decision, whatever else it earned. */
  readonly goalId?: string | undefined;
}

/** Replaces the signing secret. For 24 hours, `webhook-signature` has a signature by each secret. */
export interface RotateWebhookRequest {
  /** Secret that signs the deliveries. Its UTF-8 bytes are the key; it is never decoded and never returned. */
  readonly signingSecret: string;
}

/** A point of a series. */
export interface SeriesPoint {
  /** Start of the hour or day (UTC). */
  readonly from: string;
  /** Decisions that count: their message was served, or their channel is not polled. */
  readonly served: number;
  /** Of these, those that were clicked or actioned. */
  readonly rewarded: number;
  /** Rewarded of those served; null where none was. */
  readonly rate: number | null;
  /** Lower end of the 95 % interval of the rate. */
  readonly low: number | null;
  /** Upper end of the 95 % interval of the rate. */
  readonly high: number | null;
}

/** The time to which a test clock moves. */
export interface SetClockRequest {
  /** Later than the present of the service, by at most 3,660 days; in UTC. */
  readonly now: string;
}

/** Why it is held back: the time to send it has not come, its template is paused or not active yet, quiet hours of the user, or a cap on marketing. Or how `delivered` is known: by a receipt, or, where there are none, because the provider accepted it, or because it was written to the outbox, and no provider was called. */
export type StateReason = 'send_at' | 'paused' | 'scheduled' | 'quiet_hours' | 'day_cap' | 'week_cap' | 'confirmed by the provider' | 'accepted by the provider' | 'written to the outbox: test workspace' | 'written to the outbox: no provider';

/** The `data` of a message of the live event stream, as JSON in one line. */
export interface StreamedEvent {
  /** Identifier of the user. */
  readonly userId: string;
  /** Name of the event. */
  readonly event: string;
  /** When it happened. */
  readonly timestamp: string;
  /** Properties of the event, as they were sent. */
  readonly properties?: { readonly [name: string]: string | number | boolean } | undefined;
  /** Its id, if it was sent with one. */
  readonly eventId?: string | undefined;
  /** Who sent it, by the key: `client` for an app with a publishable key, `server`; missing where a service does not say it. */
  readonly origin?: 'client' | 'server' | undefined;
  /** When the service received it. */
  readonly receivedAt: string;
}

/** How the attempts to deliver to a subscription went over a range. */
export interface SubscriptionTrend {
  /** Identifier of the subscription. */
  readonly webhookId: string;
  /** How many were made. */
  readonly attempts: number;
  /** How many were answered with 2xx. */
  readonly delivered: number;
  /** Within about how many milliseconds half of those that were answered were; missing if none was. */
  readonly p50Ms?: number | undefined;
  /** The same of 95 %. */
  readonly p95Ms?: number | undefined;
  /** Attempts. By step. */
  readonly attemptsByStep: readonly number[];
  /** Of these, those that were answered with 2xx. By step. */
  readonly deliveredByStep: readonly number[];
  /** The last attempt that failed; missing where none did. */
  readonly lastFailure?: {
    /** When it was made, at the latest: attempts are counted by five minutes, or by the hour. */
    readonly before: string;
    /** How many attempts succeeded since. */
    readonly delivered: number;
  } | undefined;
}

/** What a guard took out of choice. */
export interface TakenOut {
  /** The content; null for the learned choice. */
  readonly contentId: string | null;
  /** When it was taken out. */
  readonly since: string;
  /** What its decisions earned of the goal, per decision, then. */
  readonly value: number;
  /** What those of the holdout group earned. */
  readonly holdout: number;
}

/** The contacts with a user that count against a cap. */
export interface TimelineContacts {
  /** `all` contacts of the calendar day of the user, against the `maxDailyContacts` of decisions; or `marketing`. */
  readonly of: 'all' | 'marketing';
  /** Contacts so far. */
  readonly used: number;
  /** Of `all`: how many of these failed. */
  readonly failed?: number | undefined;
  /** Of `all`: how many of these have not reached the user yet, such as a message that was not served. */
  readonly waiting?: number | undefined;
  /** The cap; null if each decision names its own. */
  readonly cap: number | null;
  /** Length of the window in hours, in calendar days of the user. */
  readonly windowHours: number;
  /** When the next contact is possible; missing while one is. */
  readonly nextFreeAt?: string | undefined;
}

/** How many entries of a kind a timeline has. */
export interface TimelineCount {
  /** What they are. */
  readonly kind: 'event' | 'decision' | 'message' | 'outcome' | 'notification';
  /** How many there are, counted up to the size of the page. */
  readonly count: number;
  /** True if there are more. */
  readonly more: boolean;
}

/** Something that happened to a user, without personal data. */
export interface TimelineEntry {
  /** What it is. */
  readonly kind: 'event' | 'decision' | 'message' | 'outcome' | 'notification';
  /** When it happened. */
  readonly at: string;
  /** The decision, also of a message and its outcomes; the notification; the number of an event. */
  readonly id: string;
  /** Name of an event. */
  readonly event?: string | undefined;
  /** Properties of an event. Values and names that look personal are `***`. */
  readonly properties?: { readonly [name: string]: string | number | boolean } | undefined;
  /** Size of the properties in bytes, if they are too long to be shown. */
  readonly leftOut?: number | undefined;
  /** Chosen content; null if nothing was chosen. That of the message of an outcome. */
  readonly contentId?: string | null | undefined;
  /** Channel, surface and locale. */
  readonly context?: { readonly [name: string]: string } | undefined;
  /** What made the choice. */
  readonly policy?: string | undefined;
  /** Reward so far; null while none is due. */
  readonly reward?: number | null | undefined;
  /** Title of a waiting message. */
  readonly title?: string | undefined;
  /** Format of a waiting message. */
  readonly format?: string | undefined;
  /** When a waiting message was first served; null before. */
  readonly servedAt?: string | null | undefined;
  /** What the user did. */
  readonly outcome?: string | undefined;
  /** What an outcome belongs to. */
  readonly of?: 'message' | 'notification' | undefined;
  /** Template of a notification, or of that of an outcome. */
  readonly templateId?: string | undefined;
  /** Channel of a notification or message. */
  readonly channel?: string | null | undefined;
  /** Surface of a message. */
  readonly surface?: string | null | undefined;
  /** Priority of a notification. */
  readonly priority?: string | undefined;
  /** State of a notification. */
  readonly status?: string | undefined;
  /** Why a notification is held or has failed, or how it is known to be delivered. */
  readonly reason?: string | undefined;
  /** Until when a notification is held. */
  readonly heldUntil?: string | undefined;
}

/** Which events the timeline has. */
export interface TimelineEvents {
  /** Names of the events that rules count: all of them are shown. */
  readonly counted: readonly string[];
  /** Events with other names are shown if they were received since then; null if no older ones are stored. */
  readonly scannedSince: string | null;
}

/** Whether marketing is sent to a user now, by the rules of the catalog for all marketing and what the user says. */
export interface TimelineMarketing {
  /** The channel. */
  readonly channel: string;
  /** `send`, `hold` until a time, or `refuse`. Addresses are not looked at. */
  readonly verdict: 'send' | 'hold' | 'refuse';
  /** Why it is held or refused: `quiet_hours`, `day_cap`, `week_cap`, `opted_out` or `not_opted_in`. */
  readonly reason?: string | undefined;
  /** Until when it is held. */
  readonly until?: string | undefined;
}

/** The notification is queued, or held until the time at which it is to be sent. */
export interface TriggerAnswer {
  /** Identifier of the notification. */
  readonly notificationId: string;
  readonly status: NotificationStatus;
  /** When it is to be sent; missing for at once. */
  readonly sendAt?: string | undefined;
  /** Identifier of the request; also in the header X-Service-Request-Id. */
  readonly requestId: string;
}

/** Triggers a notification. It contains no personal data: the service adds it. */
export interface TriggerRequest {
  /** Hashed identifier of the user, from `POST /v1/users`. */
  readonly hashId: string;
  /** Template of the catalog. */
  readonly templateId: string;
  readonly channel: Channel;
  /** Values of the variables of the template. */
  readonly variables?: { readonly [name: string]: string } | undefined;
  readonly priority?: Priority | undefined;
  /** When to send it, at most 30 days ahead. Default: at once. Consent, caps and quiet hours are checked then. */
  readonly sendAt?: string | undefined;
}

/** Changes a subscription. What is left out stays as it was. */
export interface UpdateWebhookRequest {
  /** Address that receives the deliveries: https, and not in a private network. */
  readonly url?: string | undefined;
  /** Kinds of event to deliver. */
  readonly events?: readonly EventKind[] | undefined;
  readonly status?: WebhookStatus | undefined;
  /** The subscription ends after this many seconds unless renewed. */
  readonly leaseSeconds?: number | undefined;
  /** Only outcomes that pass: terms such as `contentId:summer_* channel:push -surface:home` over type, contentId, templateId, channel, surface, category and goalId. Empty: all. */
  readonly filter?: string | undefined;
  /** What it is for, in your words. */
  readonly description?: string | undefined;
  /** At most so many deliveries a second. Null: no limit. */
  readonly maxRate?: number | null | undefined;
  /** Headers of each delivery, such as a key of your gateway: none that the service or the connection sets. Sealed; values are never returned. Replaces all; empty for none. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Also deliver the outcomes since `disabled`, when it was disabled last, or since a time; it must be active. Default `now`: none. */
  readonly from?: 'now' | 'disabled' | string | undefined;
}

/** A user. What is left out stays as it was, and null clears a field; `traits` are replaced as a whole. */
export interface User {
  /** Identifier of the user, in your own terms. */
  readonly userId: string;
  /** Name of the person. Stored encrypted and never returned. */
  readonly name?: string | null | undefined;
  /** Phone number. Stored encrypted and never returned. */
  readonly phone?: string | null | undefined;
  /** Account number. Stored encrypted and never returned. */
  readonly accountNumber?: string | null | undefined;
  /** IANA time zone, by which the days of the user are counted. */
  readonly timeZone?: string | null | undefined;
  /** Locale of the user (BCP 47). */
  readonly locale?: string | null | undefined;
  /** What else is known of the user, with names of your own. Stored encrypted and never returned. */
  readonly traits?: { readonly [name: string]: string | number | boolean } | null | undefined;
  /** Further phone numbers, the preferred one first. Replaces the list. Stored encrypted and never returned. */
  readonly phones?: readonly string[] | null | undefined;
  /** E-mail addresses, the preferred one first. Replaces the list; the trait `email` is another one. Stored encrypted and never returned. */
  readonly emails?: readonly string[] | null | undefined;
  /** Devices to add. A device belongs to the user who was sent with it last. */
  readonly devices?: readonly Device[] | undefined;
  /** Marketing that the user asks for: `email`, `email/news`, `*\/news`, or `*` for everything. Replaces earlier statements within the same scope. */
  readonly optIn?: readonly string[] | undefined;
  /** Marketing that the user refuses, likewise. Applied after `optIn`. */
  readonly optOut?: readonly string[] | undefined;
}

/** A deletion of the users that a run of an import created, and how far it has come. */
export interface UserDeletion {
  /** Identifier of the deletion. */
  readonly deletionId: string;
  /** True if the users are counted, and none is deleted. */
  readonly dryRun: boolean;
  /** `counting` or `deleting` while users are searched, then `done`. */
  readonly status: 'counting' | 'deleting' | 'done';
  /** Users that were deleted, or would be, so far. */
  readonly users: number;
  /** Users that the run created and that stay, because they were used since, so far. */
  readonly kept: number;
  /** Of a dry run: some of the users that would be deleted, while they are stored. */
  readonly sample: readonly {
    /** Identifier of the user. */
    readonly userId: string;
    /** Hashed identifier of the user. */
    readonly hashId: string;
  }[];
  /** When it was requested. */
  readonly requestedAt: string;
  /** When it ended; null until then. */
  readonly endedAt: string | null;
  /** In the answer to the request: whether users that the run created are stored, or it was deleted in the last 30 days. */
  readonly runKnown?: boolean | undefined;
  /** Identifier of the request; also in the header X-Service-Request-Id. */
  readonly requestId: string;
}

/** Whether the user is known, or is being erased: then nothing can be read or sent any more. */
export type UserStatus = 'known' | 'erasing';

/** A page of the timeline of a user, newest first. */
export interface UserTimelineAnswer {
  /** The entries. */
  readonly items: readonly TimelineEntry[];
  /** Contacts against the caps; on the first page. */
  readonly contacts?: readonly TimelineContacts[] | undefined;
  /** Whether marketing is sent to the user now, by channel; on the first page. */
  readonly marketing?: readonly TimelineMarketing[] | undefined;
  /** How many entries there are of each kind that is asked for; on the first page. */
  readonly counts?: readonly TimelineCount[] | undefined;
  /** How much there is of the user, as in the list of users; on the first page. */
  readonly totals?: {
    /** Events of the last 90 days, about. */
    readonly events: number;
    /** Decisions. */
    readonly decisions: number;
  } | undefined;
  readonly events?: TimelineEvents | undefined;
  /** Events received before this time were removed by age; on the last page. */
  readonly eventsRemovedBefore?: string | undefined;
  /** Decisions from before this time were removed by age, with their outcomes; on the last page. */
  readonly decisionsRemovedBefore?: string | undefined;
  /** The value of `after` for the next page; missing on the last page. */
  readonly next?: string | undefined;
}

/** A token that lets an app with a publishable key act for one user. */
export interface UserToken {
  /** The token, for the header X-Service-User-Token. */
  readonly token: string;
  /** When it expires. */
  readonly expiresAt: string;
}

/** The result of a check. */
export interface ValidateCatalogAnswer {
  /** True if the catalog may be stored. */
  readonly valid: boolean;
  /** The errors; up to 100. */
  readonly issues: readonly CatalogIssue[];
  /** What may be stored, but hardly is meant: an `activeUntil` that is past, placeholders that do not work, and what the latest events do not have of what goals count. */
  readonly warnings?: readonly CatalogIssue[] | undefined;
}

/** A catalog to check. */
export interface ValidateCatalogRequest {
  /** The catalog. */
  readonly catalog: { readonly [name: string]: undefined };
}

/** What decisions earned of a goal over some steps. */
export interface ValuePoint {
  /** The beginning of its first step. */
  readonly from: string;
  /** Decisions that the goal counts. */
  readonly served: number;
  /** What they earned per decision, from 0 to 1. */
  readonly value: number;
  /** Lower end of the 95 % interval of the value. */
  readonly low: number;
  /** Upper end of the 95 % interval of the value. */
  readonly high: number;
}

/** The messages of a content that wait. */
export interface WaitingMessages {
  /** The content. */
  readonly contentId: string;
  /** Those that no app has fetched yet. */
  readonly unseen: number;
  /** Those that an app has fetched, and that are not answered. */
  readonly seen: number;
}

/** Events that a watch cannot show any more. */
export interface WatchGap {
  /** The type of the frame. */
  readonly type: string;
  /** The first position. */
  readonly from: string;
  /** The last position. */
  readonly to: string;
  /** `removed`: they were deleted. `behind`: too many events arrived since. `reset`: the data was replaced. */
  readonly reason: 'removed' | 'behind' | 'reset';
}

/** The first frame of a watch. */
export interface WatchReady {
  /** The type of the frame. */
  readonly type: string;
  /** Where the watch begins. */
  readonly next: string;
}

/** What a watch counted since the previous tick. */
export interface WatchTick {
  /** The type of the frame. */
  readonly type: string;
  /** When it was sent. */
  readonly at: string;
  /** Events of the workspace. */
  readonly received: number;
  /** Of these, events that match the filter. */
  readonly matched: number;
  /** Of these, events that were sent. The others exceed what a watch shows a second. */
  readonly shown: number;
  /** Events that were not compared with the filter, because too many may match it. */
  readonly untested: number;
  /** Where a watch with `after` resumes. */
  readonly next: string;
}

/** An event that a watch shows. */
export interface WatchedEvent {
  /** The type of the frame. */
  readonly type: string;
  /** The position of the event. */
  readonly id: string;
  /** When the service received it. */
  readonly receivedAt: string;
  /** Identifier of the user; `***` if it looks personal. */
  readonly userId: string;
  /** The same user, hashed with the key of the workspace. */
  readonly hashId?: string | undefined;
  /** Name of the event; `***` if it looks personal. */
  readonly event: string;
  /** When it happened. */
  readonly timestamp: string;
  /** Its properties. Values and names that look personal are `***`. */
  readonly properties?: { readonly [name: string]: string | number | boolean } | undefined;
  /** Its id, if it was sent with one; `***` if it looks personal. */
  readonly eventId?: string | undefined;
  /** Who sent it, by the key: `client` for an app with a publishable key, `server`; missing where a service does not say it. */
  readonly origin?: 'client' | 'server' | undefined;
  /** Size of the properties in bytes, if they are too long to be shown. */
  readonly leftOut?: number | undefined;
}

/** A webhook subscription. The signing secret is never returned. */
export interface Webhook {
  /** Identifier of the subscription. */
  readonly id: string;
  /** Address that receives the deliveries. */
  readonly url: string;
  /** Kinds of event that are delivered. */
  readonly events: readonly string[];
  readonly status: WebhookStatus;
  /** When it was created. */
  readonly createdAt: string;
  /** Version of the signing secret: 1, and one more with each rotation. */
  readonly secretVersion?: number | undefined;
  /** When the signing secret was set. */
  readonly secretSince?: string | undefined;
  /** Which outcomes of its kinds it gets; missing for all. */
  readonly filter?: string | undefined;
  /** What it is for. */
  readonly description?: string | undefined;
  /** At most so many deliveries a second. */
  readonly maxRate?: number | undefined;
  /** Names of the headers of each delivery. */
  readonly headers?: readonly string[] | undefined;
  /** Why it is disabled, in words. */
  readonly disabledReason?: string | undefined;
  /** When it was disabled last. */
  readonly disabledAt?: string | undefined;
  /** The first failed attempt since one succeeded, or since it was enabled; missing if the latest succeeded. */
  readonly failingSince?: string | undefined;
  /** Its deliveries that wait for an attempt, counted up to 10,000; in a list up to 1,000, where it is asked for. */
  readonly pending?: number | undefined;
  /** The outcomes of its kinds since it was disabled, or since `from`. */
  readonly missed?: {
    /** Since when they are counted. */
    readonly from: string;
    /** How many there are, counted up to 100,000. */
    readonly outcomes: number;
    /** Of these, outcomes of erased users, which are not delivered. */
    readonly erased: number;
    /** Outcomes before this time were removed by age. */
    readonly removedBefore?: string | undefined;
  } | undefined;
  /** While it gets what it missed. */
  readonly catchingUp?: {
    /** Since when. */
    readonly from: string;
    /** Up to when the outcomes are queued. */
    readonly reached: string;
    /** How many were queued. */
    readonly queued: number;
    /** True once all are; the end of the log is then read again. */
    readonly allQueued: boolean;
  } | undefined;
  /** What is sent again, or was at last. */
  readonly redelivery?: Redelivery | undefined;
  /** How deliveries went. An hour is up to 5 minutes longer, a day and a week up to an hour. It does not depend on which deliveries are kept. */
  readonly performance?: {
    readonly hour: WebhookPerformance;
    readonly day: WebhookPerformance;
    readonly week: WebhookPerformance;
  } | undefined;
  /** When it ends unless renewed. */
  readonly leaseUntil?: string | undefined;
}

/** A delivery to a subscription. */
export interface WebhookDelivery {
  /** Identifier of the delivery. */
  readonly deliveryId: string;
  /** Identifier of the subscription. */
  readonly webhookId: string;
  /** Kind of event. */
  readonly type: string;
  readonly status: DeliveryStatus;
  /** When the event happened. */
  readonly occurredAt: string;
  /** The latest attempts, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** When it is sent again; null if it is not. */
  readonly nextAttemptAt: string | null;
}

/** How the attempts to deliver went. */
export interface WebhookPerformance {
  /** How many were made. */
  readonly attempts: number;
  /** How many were answered with 2xx. */
  readonly delivered: number;
  /** Within about how many milliseconds half of those that were answered were; missing if none was. */
  readonly p50Ms?: number | undefined;
  /** The same of 95 %. */
  readonly p95Ms?: number | undefined;
}

/** Whether deliveries are sent. */
export type WebhookStatus = 'active' | 'disabled';

export interface Operations {
  /** Ingest up to 1,000 events. One event that is not valid refuses the whole batch, and nothing is stored. Events may be sent again under the same idempotency key: they are stored once. Events of a user who is being erased are accepted and not stored. An app sends up to 50 events of its own user in 64 KiB, at most 7 days old and 5 minutes ahead; the workspace may name the events that apps track. The plan of events in the catalog may refuse what is not as planned. */
  ingestEvents(input: IngestEventsRequest, options?: CallOptions): Promise<IngestEventsAnswer>;
  /** Create or update up to 1,000 users. Returns the hashed identifier of each user, which the other operations take. Personal fields are stored encrypted and never returned. A user who is being erased is refused until that has ended. */
  ingestUsers(input: IngestUsersRequest, options?: CallOptions): Promise<IngestUsersAnswer>;
  /** Create a token with which an app acts for one user. To be called by your server for a user who is signed in. The app sends the token in `X-Service-User-Token` beside a publishable key. The user need not be known yet. */
  createUserToken(input: { readonly hashId: string } & CreateUserTokenRequest, options?: CallOptions): Promise<UserToken>;
  /** Choose the next best action for a user. Returns an action and its runner-ups, and logs the decision. A user that is not known is treated as a new one. If nothing is eligible, the type of the action is `none` and its reason says why. */
  decide(input: DecideRequest, options?: CallOptions): Promise<DecideAnswer>;
  /** Trigger a templated notification. Queues the notification, at once or for `sendAt`. It counts as a contact of the user, on the day on which it is to be sent. */
  trigger(input: TriggerRequest, options?: CallOptions): Promise<TriggerAnswer>;
  /** Subscribe a URL to outcomes. Deliveries are signed with the secret and sent at least once; see `webhooks` in this document. A workspace has at most 1,000 subscriptions. */
  createWebhook(input: CreateWebhookRequest, options?: CallOptions): Promise<Webhook>;
  /** Opt a user in to marketing, or out of it. By channel and category. A statement replaces earlier ones within its scope. Marketing that a user refused fails with `opted_out`; transactional notifications are not affected. */
  setConsent(input: { readonly hashId: string } & ConsentRequest, options?: CallOptions): Promise<ConsentAnswer>;
  /** What is known of a user, without personal data. The channels through which the user can be reached, consent, and the names of fields and traits. Values are never returned. */
  getUser(input: { readonly hashId: string }, options?: CallOptions): Promise<GetUserAnswer>;
  /** What happened to a user, newest first. Events, decisions, waiting messages, outcomes and notifications in one list, without personal data. Events are those that rules of the catalog count, and those among the newest of the workspace; `events` says which. The first page has the contacts against the caps. */
  getUserTimeline(input: { readonly hashId: string } & {
    /** Only these kinds, separated by commas: event, decision, message, outcome, notification. */
    readonly kinds?: string | undefined;
    /** Only what happened before this time. */
    readonly until?: string | undefined;
    /** Maximum number of entries on the page, from 1 to 200; 100 if it is left out. A page may be shorter. */
    readonly limit?: number | undefined;
    /** The `next` of the previous page. */
    readonly after?: string | undefined;
  }, options?: CallOptions): Promise<UserTimelineAnswer>;
  /** Erase a user. Erases everything personal, and what only this user produced: events, messages, notifications, deliveries and what was learned of the user alone. A user of whom there are events alone is erased too: their userIds are searched for the hashId, so any hashId is answered. Opt-outs and bounced addresses are kept, as keyed hashes. The decision log keeps what was chosen, without the user. */
  deleteUser(input: { readonly hashId: string }, options?: CallOptions): Promise<DeleteUserAnswer>;
  /** Delete events, or count those that would be. Deletes the events that are stored now and selected, in pieces, as if they had never come: indexes, counts, features, and what goals earned of them follow, and their ids may be sent again. A run that is deleted without other conditions can send no more events. Decisions that were made and webhooks that were sent stay. A deletion that selects the same as one that has yet to end is that one. One deletion of a workspace runs at a time. */
  deleteEvents(input: DeleteEventsRequest, options?: CallOptions): Promise<EventDeletion>;
  /** How far a deletion of events has come. It is kept for 30 days. */
  getEventDeletion(input: { readonly id: string }, options?: CallOptions): Promise<EventDeletion>;
  /** Delete the users that a run created, or count them. Deletes the users that a run of an import created, in pieces, unless they were used since: changed by another request, or known by an event, a decision, a notification, an outcome or a statement about marketing. What the run changed in users that existed before stays. The run can send no more users. A deletion of the same run that has yet to end is that one. */
  deleteUsers(input: DeleteUsersRequest, options?: CallOptions): Promise<UserDeletion>;
  /** How far a deletion of users has come. It is kept for 30 days. */
  getUserDeletion(input: { readonly id: string }, options?: CallOptions): Promise<UserDeletion>;
  /** The live event stream (Server-Sent Events). Sends each ingested event within seconds. A message has the position in `id`, `event` as its type, and the event as JSON in `data`. The stream begins with a message that has only an `id`. A message of the type `gap` says that events since the position were removed by age, with `removedBefore` in `data`. Comments keep an idle stream open. */
  streamEvents(input?: undefined, options?: StreamOptions): AsyncIterable<{ readonly id: string; readonly event: StreamedEvent }>;
  /** Watch the events that match a filter, as a person can read them (Server-Sent Events). For a page or a terminal; use `streamEvents` to process every event. The stream begins with a `ready` frame. An `event` frame has an event, in which values that look personal are masked and not found by the filter. A `tick` frame has counts four times a second while events arrive, and at least every second. A `gap` frame names events that cannot be shown any more. At most 5,000 events a second are sent with a filter and 100 without. The `id` of a frame, also the `next` in its data, is where a watch with `after` or `Last-Event-ID` resumes: it sends all matching events since, up to 2,000,000 events back. */
  watchEvents(input?: {
    /** Only events that match are shown, such as `user:u-17 amount>100 -source:web`. Terms are joined by AND. */
    readonly filter?: string | undefined;
    /** The `next` of an earlier frame: the watch resumes there. */
    readonly after?: string | undefined;
  }, options?: StreamOptions): AsyncIterable<{ readonly id: string; readonly event: WatchReady | WatchedEvent | WatchTick | WatchGap }>;
  /** How often events were not as planned. Counts what events did against the plan in force when they were sent: the section `events` of the catalog. Those that were refused for it are counted apart from those that were stored. Nothing of their values is kept. */
  getEventPlan(input?: {
    /** Counts of so many days (UTC), today included: 1 to 90. Default: 7. */
    readonly days?: string | undefined;
  }, options?: CallOptions): Promise<EventPlanAnswer>;
  /** What is stored, page by page, for analysis. Events and decisions in the order in which they were stored; deliveries, notifications and outcomes by time. Requests of users come first. Keys, secrets and personal fields are not in it; properties of events are as they were sent. */
  exportRecords(input: { readonly type: string } & {
    /** Only records that were stored from this time on. */
    readonly since?: string | undefined;
    /** Only records that were stored before this time. */
    readonly until?: string | undefined;
    /** The `next` of the previous page. */
    readonly after?: string | undefined;
    /** Maximum number of records on the page, from 1 to 4000. A page may be shorter. */
    readonly limit?: number | undefined;
  }, options?: CallOptions): Promise<ExportAnswer>;
  /** The decision log, oldest first: candidates, propensities, model version, seed and reward. What off-policy evaluation needs: each decision with its candidates. */
  listDecisions(input?: {
    /** Only decisions for this user. */
    readonly hashId?: string | undefined;
    /** Only decisions that chose this content. */
    readonly contentId?: string | undefined;
    /** Only decisions from this time on. */
    readonly since?: string | undefined;
    /** Only decisions before this time. */
    readonly until?: string | undefined;
    /** Which come first. Default: oldest. */
    readonly order?: 'oldest' | 'newest' | undefined;
    /** The `next` of the previous page. */
    readonly after?: string | undefined;
    /** Maximum number of decisions on the page, from 1 to 1000. A page may be shorter. */
    readonly limit?: number | undefined;
  }, options?: CallOptions): Promise<ListDecisionsAnswer>;
  /** One entry of the decision log. The decision with its candidates and its reward so far. */
  getDecision(input: { readonly id: string }, options?: CallOptions): Promise<LoggedDecision>;
  /** Report what a decision was worth. Stored once per decision and goal: a repetition changes nothing, and another value replaces the one before. */
  rewardDecision(input: { readonly decisionId: string } & RewardRequest, options?: CallOptions): Promise<RewardAnswer>;
  /** The pending messages of a user. What an app polls. Each message is checked again: one that has expired or no longer suits the user is withdrawn. A message that is served for the first time counts as a contact from then on. Send the ETag of the answer before as If-None-Match: where nothing changed, the answer is 304. */
  listMessages(input: {
    /** Only messages for this surface. */
    readonly surface?: string | undefined;
    /** Only messages for this channel. */
    readonly channel?: string | undefined;
    /** The `next` of the previous page. */
    readonly after?: string | undefined;
    /** Hashed identifier of the user. */
    readonly hashId: string;
  }, options?: CallOptions): Promise<ListMessagesAnswer>;
  /** The pending messages of a user, without serving them. What `listMessages` would answer, for support: nothing is counted as a contact, withdrawn or marked as served. An app cannot call it. */
  peekMessages(input: { readonly hashId: string } & {
    /** Only messages for this surface. */
    readonly surface?: string | undefined;
    /** Only messages for this channel. */
    readonly channel?: string | undefined;
    /** The `next` of the previous page. */
    readonly after?: string | undefined;
  }, options?: CallOptions): Promise<PeekMessagesAnswer>;
  /** The messages of the workspace and what became of them, newest first. Of all users, answered or not. A page has at most 100, found among the next 2,000 decisions: it may be empty while others follow. An app cannot call it. */
  listLatestMessages(input?: {
    /** Only the message of this decision. */
    readonly decisionId?: string | undefined;
    /** Only messages for this user. */
    readonly hashId?: string | undefined;
    /** Only messages of this content. */
    readonly contentId?: string | undefined;
    /** Only messages of decisions for this surface. */
    readonly surface?: string | undefined;
    /** Only messages in this state. */
    readonly state?: MessageState | undefined;
    /** Only messages of decisions from this time on. */
    readonly since?: string | undefined;
    /** Only messages of decisions before this time. */
    readonly until?: string | undefined;
    /** The `next` of the previous page. */
    readonly after?: string | undefined;
  }, options?: CallOptions): Promise<LatestMessagesAnswer>;
  /** Report what the user did with a message. Stored once per decision and type. `opened` delivers `campaign.opened`, `clicked` delivers `campaign.clicked`, `actioned` delivers `decision.actioned`. */
  messageOutcome(input: { readonly decisionId: string } & MessageOutcomeRequest, options?: CallOptions): Promise<OutcomeAnswer>;
  /** The delivery records of notifications, newest first. Of the whole workspace, of one user, or in one state. */
  listNotifications(input?: {
    /** Only notifications to this user. */
    readonly hashId?: string | undefined;
    /** Only notifications in this state. */
    readonly status?: 'queued' | 'held' | 'dispatched' | 'delivered' | 'failed' | 'cancelled' | undefined;
    /** Only notifications that failed for this reason, as `failure` has it. */
    readonly failure?: string | undefined;
    /** Only notifications triggered from this time on. */
    readonly since?: string | undefined;
    /** Only notifications triggered before this time. */
    readonly until?: string | undefined;
    /** The `next` of the previous page. */
    readonly after?: string | undefined;
  }, options?: CallOptions): Promise<ListNotificationsAnswer>;
  /** The delivery record of a notification. The states so far, with their times. */
  getNotification(input: { readonly id: string }, options?: CallOptions): Promise<Notification>;
  /** Cancel a notification. Nothing of it is sent after the answer, which says whether anything left before. Waits up to 15 s for an attempt that has begun. */
  cancelNotification(input: { readonly id: string }, options?: CallOptions): Promise<CancelNotificationAnswer>;
  /** Report a tap on a notification. Stored once per notification and type. `opened` delivers `campaign.opened`, `clicked` delivers `campaign.clicked`. */
  notificationOutcome(input: { readonly id: string } & NotificationOutcomeRequest, options?: CallOptions): Promise<OutcomeAnswer>;
  /** The contents of the catalog with their reward rates. In the order of the catalog, then those that are no longer in it. Figures count the decisions whose message was served, or whose channel is not polled; intervals hold with 95 % confidence (Wilson). */
  listContents(input?: {
    /** The `next` of the previous page. */
    readonly after?: string | undefined;
  }, options?: CallOptions): Promise<ListContentsAnswer>;
  /** A content with its reward rate over time. By hour for the last 15 days, or by day for the last 400 days. */
  getContent(input: { readonly id: string } & {
    /** Width of the points. Default: hours while the figures are younger than 14 days, else days. */
    readonly step?: 'hour' | 'day' | undefined;
  }, options?: CallOptions): Promise<GetContentAnswer>;
  /** What happened in the last 24 hours, by hour. Events, decisions, messages, notifications and deliveries. It costs about the same however much that was. */
  getOverview(input?: undefined, options?: CallOptions): Promise<OverviewAnswer>;
  /** The users who were active last, without personal data. Of the latest 2,000 events, 1,000 decisions, 1,000 outcomes and 100 changes of users in a range of time, at most 100 users, the last active first. The next page goes on with those who were active before, and may name a user again who was active then too. */
  listUsers(input?: {
    /** Active from then on. */
    readonly since?: string | undefined;
    /** Active before. */
    readonly until?: string | undefined;
    /** Without users of whom there is only that they were stored or changed. */
    readonly active?: 'true' | undefined;
    /** The `next` of the previous page. */
    readonly after?: string | undefined;
  }, options?: CallOptions): Promise<ListUsersAnswer>;
  /** Which contents were served, what they earned, and what learning gained, over time. Counted by hour for 14 days, and by day for 400. */
  getDecisionTrend(input?: {
    /** From when on. Default: 24 hours before the end. */
    readonly since?: string | undefined;
    /** Up to when. Default: now. */
    readonly until?: string | undefined;
    /** How many contents, those that were served most, from 1 to 50; 5 if it is left out. */
    readonly contents?: number | undefined;
  }, options?: CallOptions): Promise<DecisionTrend>;
  /** Events over time. Found by the numbers of the events, so that it costs about the same however many there are. */
  getEventTrend(input?: {
    /** From when on. Default: 24 hours before the end. */
    readonly since?: string | undefined;
    /** Up to when. Default: now. */
    readonly until?: string | undefined;
  }, options?: CallOptions): Promise<EventTrend>;
  /** How attempts to deliver went over time, by latency. Counted by hour for a week. It does not depend on which deliveries are kept. */
  getDeliveryTrend(input?: {
    /** From when on. Default: 24 hours before the end. */
    readonly since?: string | undefined;
    /** Up to when. Default: now. */
    readonly until?: string | undefined;
    /** Only attempts of this subscription. */
    readonly webhookId?: string | undefined;
  }, options?: CallOptions): Promise<DeliveryTrend>;
  /** The test clock. For test workspaces of a service with `svc serve --test-clock`. */
  getClock(input?: {
    /** Counts what becomes due until this time. */
    readonly until?: string | undefined;
  }, options?: CallOptions): Promise<Clock>;
  /** Move the test clock forward. The clock moves from one time at which work becomes due to the next, and the service does that work. It is done when `movingTo` of `GET /v1/clock` is null. All workspaces of the store have this time. */
  setClock(input: SetClockRequest, options?: CallOptions): Promise<Clock>;
  /** The state of the learned model, its learning curve, and what it gains over the holdout group. The learning curve has the rate of all contents over time. Users of the holdout group get contents that are chosen evenly. */
  getModel(input?: {
    /** Width of the points. Default: hours while the figures are younger than 14 days, else days. */
    readonly step?: 'hour' | 'day' | undefined;
  }, options?: CallOptions): Promise<GetModelAnswer>;
  /** The catalog in force. Version 0 is the catalog of the service: that of the file it was started with, or the built-in one. While a node runs with a catalog file, the catalog is read-only and `reason` says so. */
  getCatalog(input?: undefined, options?: CallOptions): Promise<GetCatalogAnswer>;
  /** Replace the catalog. Stores a new version, which all nodes use within a second. Answers 409 if `ifVersion` is not the version in force, or while a node runs with a catalog file (`serve --catalog`). An identical catalog stores nothing. */
  putCatalog(input: PutCatalogRequest, options?: CallOptions): Promise<PutCatalogAnswer>;
  /** Check a catalog without storing it. Answers with every error and its path. */
  validateCatalog(input: ValidateCatalogRequest, options?: CallOptions): Promise<ValidateCatalogAnswer>;
  /** The stored versions of the catalog, newest first. The last 100 versions are kept, and those of the last 90 days, as far as 64 MiB allow. */
  listCatalogVersions(input?: {
    /** Only versions stored from this time on. */
    readonly since?: string | undefined;
    /** Only versions stored before this time. */
    readonly until?: string | undefined;
    /** The `next` of the previous page. */
    readonly after?: string | undefined;
  }, options?: CallOptions): Promise<ListCatalogVersionsAnswer>;
  /** A stored version of the catalog. With its contents and templates, as it was stored. */
  getCatalogVersion(input: { readonly version: string }, options?: CallOptions): Promise<CatalogVersionAnswer>;
  /** Go back to an earlier version of the catalog. Stores an earlier version again as the newest; without `to`, the one before. Later versions of other authors are only undone if `over` names the version in force: else the answer is 409. */
  revertCatalog(input: RevertCatalogRequest, options?: CallOptions): Promise<PutCatalogAnswer>;
  /** List the webhook subscriptions. Also the disabled ones, oldest first. */
  listWebhooks(input?: {
    /** With how many deliveries of each wait for an attempt; a page then has up to 100 subscriptions. */
    readonly pending?: 'true' | undefined;
    /** The `next` of the previous page. */
    readonly after?: string | undefined;
  }, options?: CallOptions): Promise<ListWebhooksAnswer>;
  /** Show a webhook subscription. The signing secret is never returned. For a disabled subscription, or with `from`, it says how many outcomes it missed. */
  getWebhook(input: { readonly id: string } & {
    /** Count what it missed since then: `disabled` or a time. */
    readonly from?: 'disabled' | string | undefined;
  }, options?: CallOptions): Promise<Webhook>;
  /** Change, enable or renew a webhook subscription. Fields that are left out stay as they were. `leaseSeconds` renews a lease. */
  updateWebhook(input: { readonly id: string } & UpdateWebhookRequest, options?: CallOptions): Promise<Webhook>;
  /** Remove a webhook subscription. Deliveries that are not sent yet are dropped. */
  deleteWebhook(input: { readonly id: string }, options?: CallOptions): Promise<void>;
  /** Set a new signing secret; both sign for 24 hours. `webhook-signature` then has a signature by each secret. `X-Service-Signature` has room for one, and uses the new secret at once. */
  rotateWebhook(input: { readonly id: string } & RotateWebhookRequest, options?: CallOptions): Promise<Webhook>;
  /** The recent deliveries of a subscription. Each with its latest attempts and the time of the next one. */
  listDeliveries(input: { readonly id: string } & {
    /** Only deliveries in this state. */
    readonly status?: 'pending' | 'delivered' | 'failed' | undefined;
    /** Only deliveries of what happened from this time on. */
    readonly since?: string | undefined;
    /** Only deliveries of what happened before this time. */
    readonly until?: string | undefined;
    /** The `next` of the previous page. */
    readonly after?: string | undefined;
  }, options?: CallOptions): Promise<ListDeliveriesAnswer>;
  /** The recent deliveries of all subscriptions, newest first. Each with its subscription, its latest attempts and the time of the next one. */
  listAllDeliveries(input?: {
    /** Only deliveries in this state. */
    readonly status?: 'pending' | 'delivered' | 'failed' | undefined;
    /** Only deliveries of what happened from this time on. */
    readonly since?: string | undefined;
    /** Only deliveries of what happened before this time. */
    readonly until?: string | undefined;
    /** The `next` of the previous page. */
    readonly after?: string | undefined;
  }, options?: CallOptions): Promise<ListDeliveriesAnswer>;
  /** One delivery with its body and its attempts. Each attempt says which versions of the signing secret signed it. Neither secrets nor signatures are returned. */
  getDelivery(input: { readonly id: string }, options?: CallOptions): Promise<DeliveryRecord>;
  /** Send many deliveries again. Sends the same bytes under the same identifiers, in order of occurrence and behind new deliveries. The subscription must be active, and shows how far it is. */
  redeliverMany(input: { readonly id: string } & RedeliverManyRequest, options?: CallOptions): Promise<RedeliverManyAnswer>;
  /** Stop sending many deliveries again. What is queued is sent. */
  stopRedelivery(input: { readonly id: string }, options?: CallOptions): Promise<Redelivery>;
  /** Send a delivery again. Sends the same bytes under the same identifier. The subscription must be active. */
  redeliver(input: { readonly id: string; readonly deliveryId: string }, options?: CallOptions): Promise<RedeliverAnswer>;
}
