/**
 * What each command prints under `--json`, as schemas: docs/schemas is generated from them. Answers of the service are
 * printed as they come, so those schemas hold for a service that answers as openapi.json says.
 */
import * as z from 'zod/mini';
import { about } from '../contract/parts.ts';
import * as s from '../contract/schemas.ts';
import {
  KeyCreated,
  KeyRevoked,
  KeyRotated,
  KeysOutput,
  WorkspaceCreated,
  WorkspaceFrozen,
  WorkspacesOutput,
  WorkspaceUpdated,
} from './accounts.ts';
import { batchOf } from './batches.ts';
import { CatalogDiffOutput, CatalogOutput, EventsPlanOutput } from './catalog.ts';
import { BackupOutput, CopyOutput, ExportedRecord, ExportOutput, RestoreOutput } from './data.ts';
import { ERROR_OUTPUT } from './errors.ts';
import { EvaluationOutput } from './evaluation.ts';
import { EventsDeleted, RunUndone } from './event-deletion.ts';
import { document, flag, lines, number, type Printed, text, timeOrNull } from './fields.ts';
import { ImportedUser, ImportOutput, InspectOutput, SourcesOutput } from './imports.ts';
import { ImportsForgotten, ImportsOutput } from './journals.ts';
import { ConformanceOutput, ListenOutput, ReplayOutput, SendOutput, VerifyOutput } from './listen.ts';
import { PreviewOutput } from './notifications.ts';
import {
  CommandsOutput,
  PluginInstalled,
  PluginLinked,
  PluginsOutput,
  PluginUninstalled,
} from './program.ts';
import {
  ConsoleOutput,
  DoctorOutput,
  LimitsOutput,
  MigrateOutput,
  ProfileAdded,
  ProfileOutput,
  ProfileRemoved,
  ProfileRenamed,
  ProfilesOutput,
  ProfileUsed,
  RegionsOutput,
  ResetOutput,
  ServeOutput,
  VersionOutput,
} from './settings.ts';

const source = z.optional(text('`this machine` if the service cannot list or show subscriptions.'));
const withSecret = z.extend(s.Webhook, {
  signingSecret: z.optional(text('The secret, if it was made here: printed this once.')),
});

const operations = z.object({
  operations: about(
    'The operations of the service.',
    z.array(
      z.object({
        operationId: text('Name of the operation.'),
        method: text('HTTP method.'),
        path: text('Path below the base URL.'),
        group: text('Rate-limit group.'),
        summary: text('What it does.'),
        beyondSpecification: flag('True if the specification does not have it.'),
      }),
    ),
  ),
});

/** By the id of the command: `events:import`. */
export const OUTPUTS: Readonly<Record<string, Printed>> = {
  error: ERROR_OUTPUT,
  version: document('The version.', VersionOutput),
  api: document(
    'The answer of the service, as it came; with --list, the operations.',
    z.union([operations, z.unknown()]),
  ),
  'catalog:diff': document('How two catalogs differ.', CatalogDiffOutput),
  'catalog:get': document('The catalog and its version.', CatalogOutput),
  'catalog:put': document('The version in force.', s.PutCatalogAnswer),
  'catalog:revert': document('The version in force.', s.PutCatalogAnswer),
  'catalog:validate': document('The result of the check.', s.ValidateCatalogAnswer),
  'catalog:versions': document('The versions.', s.ListCatalogVersionsAnswer),
  'clock:advance': document('The clock.', s.Clock),
  'clock:show': document('The clock.', s.Clock),
  commands: document('The commands.', CommandsOutput),
  console: lines('The address of the page.', ConsoleOutput),
  'contents:get': document('The content.', s.GetContentAnswer),
  'contents:list': document('The contents.', s.ListContentsAnswer),
  'data:export': lines('A record; with --output, what was written.', z.union([ExportedRecord, ExportOutput])),
  'data:backup': document('What was written.', BackupOutput),
  'data:copy': document('What was copied; with --dry-run, what would be.', CopyOutput),
  'data:restore': document('What was restored.', RestoreOutput),
  'data:reset': document('What was removed.', ResetOutput),
  decide: document('The decision; with --input, one line for each request.', batchOf(s.DecideAnswer)),
  'decisions:evaluate': document('The estimates.', EvaluationOutput),
  'decisions:get': document('The entry of the decision log.', s.LoggedDecision),
  'decisions:list': document('The decisions.', z.omit(s.ListDecisionsAnswer, { next: true })),
  'decisions:reward': document('The reward that is stored.', s.RewardAnswer),
  demo: lines(
    'A step of the demo.',
    z.looseObject({
      move: text('Name of the step.'),
      elapsedMs: z.optional(number('Duration of the demo, in the last line.')),
    }),
  ),
  doctor: document('The checks.', DoctorOutput),
  'events:import': document('The result, also after a failure.', ImportOutput),
  'events:inspect': document('What the inputs hold.', InspectOutput),
  'events:sources': document('The sources, or one of them as a mapping file.', SourcesOutput),
  'events:plan': document('The plan, its types, or what was counted against it.', EventsPlanOutput),
  'events:send': document('The answer of the service.', s.IngestEventsAnswer),
  'events:tail': lines('An event.', s.StreamedEvent),
  'events:delete': document('The events that were deleted, or counted.', EventsDeleted),
  'imports:forget': document('The journals that were removed.', ImportsForgotten),
  'imports:undo': document(
    'The events of the run, or the users that it created, that were deleted or counted.',
    RunUndone,
  ),
  'imports:list': document('The imports.', ImportsOutput),
  'keys:create': document('The key.', KeyCreated),
  'keys:list': document('The keys.', KeysOutput),
  'keys:revoke': document('The key that was revoked.', KeyRevoked),
  'keys:rotate': document('The key that replaces another.', KeyRotated),
  limits: document('The limits; with --watch, one line for each change.', LimitsOutput),
  'messages:list': document('The pending messages.', s.ListMessagesAnswer),
  'messages:outcome': document('The answer of the service.', s.OutcomeAnswer),
  model: document('The state of the model.', s.GetModelAnswer),
  'notifications:cancel': document('What became of the notification.', s.CancelNotificationAnswer),
  'notifications:get': document('The delivery record.', s.Notification),
  'notifications:list': document('The notifications.', s.ListNotificationsAnswer),
  'notifications:outcome': document('The answer of the service.', s.OutcomeAnswer),
  'notifications:preview': document('What a user would get.', PreviewOutput),
  'notifications:trigger': document(
    'The notification, and with --wait its delivery record; with --input, one line for each request.',
    batchOf(about('The notification.', z.union([s.Notification, s.TriggerAnswer]))),
  ),
  'notifications:watch': lines(
    'A state of the notification.',
    z.object({
      notificationId: text('Identifier of the notification.'),
      status: text('The state.'),
      at: timeOrNull('When it entered the state; null if the service does not say.'),
      reason: z.optional(text('Why it is held, or how it is known to be delivered, if the service says so.')),
    }),
  ),
  'plugins:install': document('The plugin.', PluginInstalled),
  'plugins:link': document('The plugin.', PluginLinked),
  'plugins:list': document('The plugins.', PluginsOutput),
  'plugins:uninstall': document('The plugin that was removed.', PluginUninstalled),
  'profiles:add': document('The profile.', ProfileAdded),
  'profiles:list': document('The profiles.', ProfilesOutput),
  'profiles:remove': document('The profile that was removed.', ProfileRemoved),
  'profiles:rename': document('The profile.', ProfileRenamed),
  'profiles:show': document('The profile.', ProfileOutput),
  'profiles:use': document('The profile in use.', ProfileUsed),
  'regions:list': document('The regions.', RegionsOutput),
  serve: lines('The service is ready: the first line.', ServeOutput),
  'serve:migrate': document('The versions of the schema.', MigrateOutput),
  'users:delete': document('The erasure has begun.', s.DeleteUserAnswer),
  'users:export': lines(
    'A record about the user; the first one is the user.',
    z.looseObject({ type: text('Kind of record.') }),
  ),
  'users:get': document('What is known of the user.', s.GetUserAnswer),
  'users:import': lines('A user; with --dry-run, the plan.', z.union([ImportedUser, ImportOutput])),
  'users:timeline': document('The timeline.', s.UserTimelineAnswer),
  'users:token': document('The token.', s.UserToken),
  'webhooks:create': document('The subscription.', withSecret),
  'webhooks:delete': document(
    'The subscription that was removed.',
    z.object({ deleted: text('Identifier of the subscription.') }),
  ),
  'webhooks:deliveries': document('The recent deliveries.', s.ListDeliveriesAnswer),
  'webhooks:delivery': document('The delivery.', s.DeliveryRecord),
  'webhooks:get': document('The subscription.', z.extend(s.Webhook, { source })),
  'webhooks:list': document('The subscriptions.', z.extend(s.ListWebhooksAnswer, { source })),
  'webhooks:listen': lines('What arrived.', ListenOutput),
  'webhooks:redeliver': document(
    'The answer of the service: for one delivery, or for many.',
    z.union([s.RedeliverAnswer, s.RedeliverManyAnswer, s.StopRedeliveryAnswer]),
  ),
  'webhooks:replay': lines('A delivery that was sent again.', ReplayOutput),
  'webhooks:rotate': document('The subscription.', withSecret),
  'webhooks:send': document('The answer of the handler.', SendOutput),
  'webhooks:sign': document(
    'The signature.',
    z.object({ signature: text('Lowercase hex HMAC-SHA-256 of the body.') }),
  ),
  'webhooks:test': document('The rows of the conformance run.', ConformanceOutput),
  'webhooks:update': document('The subscription.', s.Webhook),
  'webhooks:verify': document('The verdict.', VerifyOutput),
  'workspaces:create': document('The workspace.', WorkspaceCreated),
  'workspaces:freeze': document('The workspace.', WorkspaceFrozen),
  'workspaces:open': document('The workspace.', WorkspaceFrozen),
  'workspaces:list': document('The workspaces.', WorkspacesOutput),
  'workspaces:update': document('The workspace.', WorkspaceUpdated),
};

/** Commands that print no JSON of their own. */
export const WITHOUT_OUTPUT: Readonly<Record<string, string>> = {
  completion: 'prints a script for the shell',
  'serve:exec': 'prints what its command prints',
};
