import { join, resolve } from 'node:path';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { parseDuration } from '../../cli/flags/duration.ts';
import type { GivenPlan } from '../catalog/event-plan-file.ts';
import type { ImportFlags } from './option-table/flags.ts';
import { mappingOf, partOfFlags, readingOf } from './option-table/table.ts';
import type { RecordKind } from './record/record-kind.ts';
import { type ImportName, journalPath } from './run/identity.ts';
import type { ImportOptions } from './run/options.ts';
import { rejectsPath } from './run/rejects-path.ts';

/** Parses `50%` or `0.5` as a fraction above 0, at most 1. Throws a `usage` error. */
export function shareOf(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text);
  const share = match ? Number(match[1]) / (match[2] ? 100 : 1) : 0;
  if (share > 0 && share <= 1) return share;
  throw new SvcError('usage', `--share ${text} is not a share of the limit`, {
    hint: 'give one above 0% and up to 100%, such as --share 50%',
  });
}

export interface Place {
  readonly kind: RecordKind;
  readonly inputs: readonly string[];
  readonly cwd: string;
  readonly dataDir: string;
  readonly resumeCommand: string;
  readonly onZoneless: () => void;
  readonly plan?: GivenPlan | undefined;
}

/** The service and workspace that records are sent to; empty texts before a connection is made. */
export interface Target {
  readonly baseUrl: string;
  readonly workspace: string;
}

/** Parses the flags of an import, and returns what makes its options for a target. Throws a `usage` error. */
export function importOptions(flags: ImportFlags, place: Place): (target: Target) => ImportOptions {
  const { kind, inputs, cwd, dataDir, resumeCommand, onZoneless, plan } = place;
  const input = partOfFlags('input', flags, { kind, zone: 'UTC', format: flags.format });
  const parsed = {
    reading: readingOf(flags),
    mapping: { ...mappingOf(kind, flags, onZoneless), plan },
    preflight: !flags['no-preflight'] && !flags['fail-fast'] && flags['max-errors'] === undefined,
    concurrency: flags.concurrency,
    maxErrors: flags['fail-fast'] ? 1 : flags['max-errors'],
    flushInterval: parseDuration(flags['flush-interval'], '--flush-interval'),
    maxWait: parseDuration(flags['max-wait'], '--max-wait'),
    mode: flags.resume ? ('resume' as const) : flags.restart ? ('restart' as const) : ('fresh' as const),
    rejects: flags.rejects ?? rejectsPath(inputs, cwd, input.shard),
    rejectsNamed: flags.rejects !== undefined,
    rejectsOfInputs: flags.rejects === undefined && !inputs.includes('-'),
    claims: join(dataDir, 'imports'),
    resumeCommand,
  };
  return (target) => {
    const { checkpoint } = flags;
    const name: ImportName = { kind, inputs, cwd, ...target, ...input };
    const journal = checkpoint === undefined ? journalPath(dataDir, name) : resolve(cwd, checkpoint);
    return { name, ...parsed, journal };
  };
}

/** The rejects file of a dry run beside that of the import, which may belong to one. */
export function dryRunRejects({ rejects }: ImportOptions): string {
  return `${rejects.replace(/(\.rejects)?\.ndjson$/, '')}.dry-run.rejects.ndjson`;
}
