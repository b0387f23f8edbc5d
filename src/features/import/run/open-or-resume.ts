import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { IDEMPOTENCY_TTL_MS } from '../../../contract/limits.ts';
import { areDifferentImports, type Difference, differences } from '../deliver/differences.ts';
import { ImportRefused, RejectsTaken, RunUndoing } from '../deliver/import-refused.ts';
import type { Journal, JournalState } from '../deliver/journal/journal.ts';
import type { AmbiguousBatch } from '../deliver/journal/journal-batches.ts';
import type { RejectsClaim } from '../deliver/rejects-claim.ts';
import { isUnchangedSince } from '../deliver/rejects-file.ts';
import { throwIfStopped } from '../input/stopped.ts';
import { mapsEventIds, withoutEventIds } from '../mapping/event-ids.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { JournaledRule } from '../option-table/option.ts';
import type { ColumnTypes } from '../record/cell-type.ts';
import { asTyped, claimOne, rejectsPaths } from './claim-rejects.ts';
import { type ImportName, optionsText } from './identity.ts';
import type { Inputs } from './inputs.ts';
import type { ImportOptions, ImportWorld } from './options.ts';

/** An import that may start, new or resumed. */
export interface OpenedImport {
  readonly state: JournalState;
  /** Undefined if it writes no rejects. */
  readonly claim: RejectsClaim | undefined;
  /** It had finished, and records may have been appended to its inputs since. */
  readonly appended: boolean;
  /** With the rule of event ids, unless the service did not take them when the import began. */
  readonly mapping: Mapping;
}

/**
 * Starts a new import or resumes an earlier one, as the flags say, and claims its rejects file. A finished import needs
 * no claim. `prepare` decides the types of the columns of a new import. Throws ImportRefused.
 */
export async function openOrResume(
  journal: Journal,
  inputs: Inputs,
  options: ImportOptions,
  world: ImportWorld,
  prepare: (mapping: Mapping) => Promise<ColumnTypes>,
): Promise<OpenedImport> {
  const { mode, name } = options;
  const { undoing } = journal;
  if (undoing !== undefined) throw new RunUndoing(undoing);
  const earlier = mode !== 'restart' ? earlierImport(journal) : undefined;
  const piped = inputs.opened.some(({ fingerprint }) => fingerprint === null);
  // Users are sent again: the command prints their hashIds, and the service stores each of them once.
  const withoutIds = mapsEventIds(options.mapping) ? withoutEventIds(options.mapping) : undefined;
  // What an import decided about event ids holds for all of its records, also if the service takes them now.
  let mapping = withoutIds && earlier && !hasEventIds(earlier.options) ? withoutIds : options.mapping;
  let text = optionsText(name, mapping, options.reading);
  const once = mode === 'resume' || (mode === 'fresh' && !piped && name.kind === 'events');
  if (once && earlier?.contents) inputs.arrange(earlier.contents);
  let fingerprints = inputs.fingerprints;
  const found = earlier ? differences(earlier.options, text) : [];
  if (earlier) {
    const { finished } = earlier;
    const unfinished = !finished && journal.touched;
    const different = areDifferentImports(found);
    if (different && (unfinished || (mode === 'resume' && finished)))
      throw new ImportRefused('another', finished, found);
    if (mode === 'fresh' && unfinished) throw new ImportRefused('unfinished', finished, found);
    // If nothing was sent and the options or inputs differ, it is another import.
    const same = found.length === 0 && earlier.inputs === fingerprints;
    if (mode === 'resume' && (unfinished || (!finished && same))) return resumeUnfinished(earlier, found);
    // Without --resume, an import of which the service accepted nothing is repeated.
    if (once && finished && !different && (mode === 'resume' || journal.touched)) {
      const resumed = await resumeFinished(earlier, found);
      if (resumed) return resumed;
    }
  }
  inputs.arrange();
  fingerprints = inputs.fingerprints;
  if (withoutIds) {
    const takes = (await world.takesEventIds?.()) ?? true;
    throwIfStopped(world.stop);
    mapping = takes ? options.mapping : withoutIds;
    text = optionsText(name, mapping, options.reading);
  }
  const columnTypes = await prepare(mapping);
  // The rejects of an import of which nothing was accepted are those of its repetition.
  const replaced = mode === 'restart' || !journal.touched ? journal.state()?.options : undefined;
  const { claim, rejects } = await claimOne(
    await freeRejects(earlier ?? journal.state()),
    text,
    options,
    replaced,
  );
  if (
    mode === 'fresh' &&
    name.kind === 'users' &&
    earlier &&
    journal.touched &&
    !piped &&
    earlier.inputs === fingerprints &&
    !areDifferentImports(found)
  )
    world.onNotice(againText(name, journal.lastAt));
  const state = {
    id: randomUUID(),
    options: text,
    inputs: fingerprints,
    rejectsPath: rejects,
    columnTypes,
  };
  journal.start({ ...state, rejectsPath: resolve(name.cwd, rejects) });
  return { state: { ...state, finished: false, rejectsLength: 0 }, claim, appended: false, mapping };

  /** Resumes an unfinished import. Its inputs must not have changed. */
  async function resumeUnfinished(state: JournalState, found: readonly Difference[]): Promise<OpenedImport> {
    if (found.length > 0) throw new ImportRefused('options', false, found);
    if (state.inputs !== fingerprints) throw new ImportRefused('changed', false);
    for (const batch of journal.ambiguousBefore(world.clock.now() - IDEMPOTENCY_TTL_MS))
      world.onNotice(ambiguousText(batch, inputs.names));
    // Nothing is in it yet: the folder may be one in which nothing may be created.
    const moved = options.rejectsNamed && state.rejectsLength === 0;
    const rejectsPath = moved ? options.rejects : asTyped(state.rejectsPath, options);
    const { claim } = await claimOne([rejectsPath], text, options);
    if (moved) journal.reopen({ ...state, rejectsPath: resolve(name.cwd, rejectsPath) });
    return { state: { ...state, rejectsPath }, claim, appended: state.contents !== undefined, mapping };
  }

  /** Resumes a finished import with the records that were appended since. Undefined if the inputs were replaced. */
  async function resumeFinished(
    state: JournalState,
    found: readonly Difference[],
  ): Promise<OpenedImport | undefined> {
    const compared = await inputs.compare(state.contents, dirname(journal.path), world.stop);
    const unchanged = compared === 'same' || (compared === 'unknown' && state.inputs === fingerprints);
    if (compared === 'other') {
      world.onNotice(otherText(name, journal.lastAt));
      return undefined;
    }
    const rejected = state.rejectsLength > 0 ? asTyped(state.rejectsPath, options) : undefined;
    if (found.length > 0) throw new ImportRefused('options', true, found, !unchanged, rejected);
    if (compared === 'unknown' && !unchanged) throw new ImportRefused('changed', true);
    if (unchanged) {
      if (!world.stop.aborted) world.onNotice(unchangedText(name, journal.lastAt));
      return {
        state: { ...state, rejectsPath: asTyped(state.rejectsPath, options) },
        claim: undefined,
        appended: false,
        mapping,
      };
    }
    world.onNotice(appendedText(name, journal.lastAt));
    const { claim, rejects } = await claimOne(await freeRejects(state), text, options);
    const path = resolve(name.cwd, rejects);
    const rejectsLength = path === state.rejectsPath && existsSync(path) ? state.rejectsLength : 0;
    journal.reopen({ inputs: fingerprints, rejectsPath: path, rejectsLength });
    return {
      state: { ...state, finished: false, inputs: fingerprints, rejectsPath: rejects, rejectsLength },
      claim,
      appended: true,
      mapping,
    };
  }

  /** The paths that the rejects file may have: not that of the earlier run, if the user changed it since. */
  async function freeRejects(before: JournalState | undefined): Promise<string[]> {
    const { rejectsPath = '', rejectsLength = 0 } = before ?? {};
    const isChanged =
      rejectsLength > 0 &&
      existsSync(rejectsPath) &&
      !(await isUnchangedSince(rejectsPath, rejectsLength, inputs.names));
    const paths = rejectsPaths(options, rejectsPath);
    if (!isChanged) return paths;
    const free = paths.filter((path) => resolve(name.cwd, path) !== rejectsPath);
    if (free.length === 0) throw new RejectsTaken(options.rejects, 'ended', []);
    return free;
  }
}

/** Returns whether an import of a journal maps event ids. */
function hasEventIds(options: string): boolean {
  const { map } = JSON.parse(options) as { map?: readonly JournaledRule[] };
  return map?.some(([, target]) => target === 'eventId') ?? false;
}

/** Returns the import in the journal if it has finished, or if a batch of it was or may have been settled. */
function earlierImport(journal: Journal): JournalState | undefined {
  const state = journal.state();
  if (!state) return undefined;
  if (state.finished) return state;
  if (state.contents && journal.restoreFinished(state.contents)) return { ...state, finished: true };
  return journal.hasSettled ? state : undefined;
}

/** Warns that users are sent again. */
function againText({ inputs }: ImportName, at: number): string {
  return (
    `${whichText(inputs)} imported${dayText(at, 'on')} and did not change since: users that changed since are overwritten ` +
    '(use --resume to avoid this)'
  );
}

/** The journal knows this path, this destination and this machine, and no other way to the same records. */
function unchangedText({ inputs }: ImportName, at: number): string {
  return (
    `${whichText(inputs)} sent to this workspace completely from this machine${dayText(at, 'on')} and did not change ` +
    'since: nothing is sent (--restart sends all of it again)'
  );
}

function appendedText({ inputs, kind }: ImportName, at: number): string {
  return `${whichText(inputs)} appended to since the finished import${dayText(at)}: only the new ${kind} are sent`;
}

function otherText({ inputs }: ImportName, at: number): string {
  return `${whichText(inputs, 'differs', 'differ')} from what the finished import${dayText(at)} sent: a new import sends all of it`;
}

function whichText(inputs: readonly string[], one = 'was', many = 'were'): string {
  if (inputs.length > 1) return `these inputs ${many}`;
  return `${inputs[0] === '-' ? 'standard input' : inputs[0]} ${one}`;
}

/** Empty for an import that sent nothing. */
function dayText(at: number, word = 'of'): string {
  return at > 0 ? ` ${word} ${minuteOf(at)}` : '';
}

function minuteOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function ambiguousText(batch: AmbiguousBatch, names: readonly string[]): string {
  const { file, firstLine, lastLine, records, sentAt } = batch;
  return (
    `${names[file]}: the outcome of lines ${firstLine} to ${lastLine} (${records} records) is unknown since ` +
    `${new Date(sentAt).toISOString()}, more than 24 hours: their idempotency key may have expired, so sending ` +
    'them again may store them twice'
  );
}
