import { SvcError } from '../../../cli/errors/svc-error.ts';
import type { Output } from '../../../cli/terminal/output.ts';
import type { World } from '../../../cli/terminal/world.ts';
import { TimeSpan } from '../deliver/time-span.ts';
import { ambiguityNote } from '../guess/ambiguity.ts';
import type { PreflightFailed } from '../guess/check-sample.ts';
import { encodingFlag, withNeeded } from '../guess/encoding-flag.ts';
import { findingsOf } from '../guess/findings.ts';
import { type Flag, wordsOfFlags } from '../guess/flag.ts';
import { decideTypes } from '../guess/types.ts';
import type { ImportFlags } from '../option-table/flags.ts';
import { withFlags } from '../option-table/suggested-flags.ts';
import { mappingOf } from '../option-table/table.ts';
import { newCounters } from '../record/counters.ts';
import type { RecordKind } from '../record/record-kind.ts';
import { extentOf } from './extent.ts';
import { inspectionText } from './inspect-view.ts';
import { inspectionOf } from './inspection.ts';
import type { RecoveryCommands } from './recovery-commands.ts';
import { type ImportResult, resultOf } from './result.ts';

/**
 * Reports on standard error what the sample of an import holds that was not started, and returns its result and the
 * error with the command that would import more.
 */
export function reportPreflight(
  failed: PreflightFailed,
  { kind, flags, recovery }: { kind: RecordKind; flags: ImportFlags; recovery: RecoveryCommands },
  { out, world }: { out: Output; world: Pick<World, 'stderr'> },
): { result: ImportResult; error: SvcError } {
  const { samples, check } = failed;
  const mapping = mappingOf(kind, flags, undefined);
  const undecoded = flags.encoding === undefined ? samples.map((sample) => sample.undecoded) : [];
  const encoding = undecoded.some(({ length }) => length > 0)
    ? encodingFlag(Buffer.concat(undecoded))
    : undefined;
  const mappingWith = (more: readonly Flag[]) => mappingOf(kind, withFlags(flags, more), undefined);
  const found = findingsOf(samples, mapping, mappingWith, flags.columns !== undefined);
  const findings = encoding ? withNeeded(found, encoding) : found;
  const { suggestion } = findings;
  const better =
    encoding !== undefined ||
    (suggestion.flags.length > 0 && !(findings.check && findings.check.rejected >= check.rejected));
  const command = better
    ? recovery.without([], wordsOfFlags(suggestion.flags))
    : recovery.without(['no-preflight'], ['--no-preflight']);
  const stderr = world.stderr;
  const width = stderr.isTTY ? (stderr.columns ?? 80) : undefined;
  const inspection = inspectionOf(findings, extentOf(findings, undefined), command);
  out.info(
    inspectionText(
      inspection,
      findings,
      findings.check && { ...findings.check, read: findings.check.records },
      {
        width,
        color: out.colors(stderr),
      },
    ),
  );
  const counters = { ...newCounters(), read: check.records, unsent: check.records };
  const traffic = { requests: 0, retries: 0, rateLimited: 0, rateLimit: null, heldBackMs: 0 };
  const result = resultOf(
    counters,
    traffic,
    new TimeSpan(),
    { ...mapping, columnTypes: decideTypes(samples, mapping) },
    {
      files: samples.length,
      elapsedMs: 0,
      rejectsFile: null,
      resumeCommand: null,
      sha256: null,
    },
  );
  const note = better ? ambiguityNote(suggestion) : undefined;
  const example = [...check.examples][0];
  return {
    result,
    error: new SvcError(
      'preflight',
      `${check.rejected} of the first ${check.records} records would be rejected${example ? ` (${example[0].slice(0, 60)} ${example[1]})` : ''}; nothing was sent`,
      { hint: note ? `${command}\n        ${note}` : command, cause: failed },
    ),
  };
}
