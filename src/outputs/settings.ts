import * as z from 'zod/mini';
import { about } from '../contract/parts.ts';
import { flag, number, text, textOrNull, timeOrNull, whole, wholeOrNull } from './fields.ts';

const profile = {
  name: text('Name of the profile.'),
  current: flag('True for the profile in use.'),
  workspace: textOrNull('Workspace; null for `local`.'),
  region: textOrNull('Region.'),
  baseUrl: textOrNull('Address of the service; null for `local`.'),
  apiKey: textOrNull('The key, masked.'),
  sandbox: flag('True for a sandbox.'),
  keysHonoured: flag('True if the service is known to honour idempotency keys.'),
  acceptAnyAnswer: flag('True if any 2xx of the service acknowledges records.'),
  eventIds: flag('True if the service is known to take `eventId`.'),
};
export const ProfilesOutput = z.object({
  profiles: about('The profiles, `local` last.', z.array(z.object(profile))),
});
export const ProfileOutput = z.union([
  z.object(profile),
  z.object({
    name: profile.name,
    current: profile.current,
    database: text('The data of `local`.'),
    keysHonoured: profile.keysHonoured,
    acceptAnyAnswer: profile.acceptAnyAnswer,
    eventIds: profile.eventIds,
  }),
]);
export const ProfileAdded = z.object({ name: profile.name, current: profile.current });
export const ProfileRenamed = z.object({ name: text('The new name.'), was: text('The old name.') });
export const ProfileRemoved = z.object({ removed: text('Name of the profile.') });
export const ProfileUsed = z.object({ current: text('Name of the profile in use.') });

export const RegionsOutput = z.object({
  regions: about(
    'The addresses that profiles name.',
    z.array(
      z.object({
        region: textOrNull('Region of the profiles.'),
        baseUrl: text('Address.'),
        profiles: about('Names of the profiles.', z.array(z.string())),
        answered: z.optional(textOrNull('With --ping: the region that answered.')),
        latencyMs: z.optional(
          about('With --ping: latency in ms; null without an answer.', z.nullable(z.number())),
        ),
        error: z.optional(textOrNull('With --ping: why there was no answer.')),
      }),
    ),
  ),
});

export const LimitsOutput = z.object({
  limits: about(
    'The rate-limit groups.',
    z.array(
      z.object({
        group: text('Name of the group.'),
        covers: text('The operations of the group.'),
        limit: wholeOrNull('Limit in force; null if none was seen, or if `seenAt` is set and there is none.'),
        remaining: wholeOrNull('Requests left in the window.'),
        used: wholeOrNull('Requests used in the window.'),
        reset: timeOrNull('When the oldest request leaves the window.'),
        seenAt: timeOrNull('When this was seen; null if never.'),
        stale: flag('True if this is older than a window.'),
        default: whole('Default limit of the specification.'),
        ceiling: whole('Hard ceiling of the specification.'),
      }),
    ),
  ),
});

export const DoctorOutput = z.object({
  ok: flag('True if no check failed.'),
  probed: flag('True with --probe.'),
  checks: about(
    'The checks.',
    z.array(
      z.object({
        check: text('Name of the check.'),
        status: about('The result.', z.enum(['ok', 'warn', 'fail', 'skipped'])),
        seen: text('The finding, in words.'),
        next: textOrNull('The next step to take.'),
        exitCode: whole('Exit code of this check.'),
      }),
    ),
  ),
});

export const ServeOutput = z.object({
  ready: flag('True: connections are accepted.'),
  url: text('Address of the service.'),
  workspace: text('Its first workspace.'),
  mode: about(
    'Whether its notifications leave the service: `test` writes them to the outbox and calls no provider.',
    z.enum(['live', 'test']),
  ),
  apiKey: textOrNull('The key made at the first start; null if another node made it.'),
  key: textOrNull('The same, by the name that `keys create` and `workspaces create` give it.'),
  keyId: textOrNull('Identifier of the key; null if another node made it.'),
  pid: whole('Identifier of the process.'),
  metricsUrl: z.optional(text('Address of the metrics, with --metrics-port.')),
  consoleUrl: z.optional(text('Address of the console with a code, with --console.')),
  processes: z.optional(whole('Number of processes, with --processes.')),
});
export const ConsoleOutput = z.object({
  ready: flag('True: the page is served.'),
  url: text('Address of the page, with a code that is valid once, within five minutes.'),
  joined: flag('True if a console that ran already serves the page: the command has ended.'),
});
export const MigrateOutput = z.object({
  from: number('Version of the schema before.'),
  to: number('Version of the schema now.'),
});
export const ResetOutput = z.object({
  database: text('The database.'),
  removed: about('Files that were removed.', z.array(z.string())),
});
export const VersionOutput = z.object({
  version: text('Version of svc.'),
  node: text('Version of Node.js.'),
});
