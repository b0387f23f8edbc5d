import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { IDEMPOTENCY_TTL_MS } from '../../contract/limits.ts';
import {
  areApart,
  type Difference,
  differences,
  type ImportName,
  optionsText,
  siblingsPath,
} from './journal/identity.ts';
import type { Journal, JournalState } from './journal/journal.ts';
import type { AmbiguousBatch } from './journal/journal-batches.ts';
import { RejectsClaim } from './journal/rejects-claim.ts';
import { Siblings } from './journal/siblings.ts';
import type { ImportOptions, ImportWorld } from './options.ts';
import type { Inputs } from './read/inputs.ts';
import { isAsLeft } from './report/rejects-file.ts';

/**
 * The import cannot begin. An earlier run of it is `unfinished`, had an input that `changed`, or other `options`; or the
 * journal is that of `another` import, or the file for its `rejects` is (RejectsTaken).
 */
export class ImportRefused extends Error {
  readonly reason: 'unfinished' | 'changed' | 'options' | 'another' | 'rejects';
  /** The earlier run reached its end. */
  readonly finished: boolean;
  readonly differences: readonly Difference[];
  /** It finished, and its inputs hold more now. */
  readonly appended: boolean;

  constructor(
    reason: ImportRefused['reason'],
    finished = false,
    found: readonly Difference[] = [],
    appended = false,
  ) {
    super(`the import cannot begin: ${reason}`);
    this.name = 'ImportRefused';
    this.reason = reason;
    this.finished = finished;
    this.differences = found;
    this.appended = appended;
  }
}

/** Another import, which is unfinished or under way, has the same file for its rejects. */
export class RejectsTaken extends ImportRefused {
  /** The file as it was named. */
  readonly path: string;
  /** It is not there yet: that import is under way. */
  readonly underWay: boolean;

  constructor(path: string, found: readonly Difference[], underWay: boolean) {
    super('rejects', false, found);
    this.path = path;
    this.underWay = underWay;
  }
}

/** An import that may begin, as it stands. */
export interface OpenedImport {
  readonly state: JournalState;
  /** Undefined where it writes no rejects. */
  readonly claim: RejectsClaim | undefined;
  /** It had finished, and its inputs may hold more now. */
  readonly appended: boolean;
}

/**
 * Decides between a new import and going on with one, as the flags say, and claims its rejects file; one that finished
 * writes there no more. Throws ImportRefused.
 */
export async function openOrResume(
  journal: Journal,
  inputs: Inputs,
  options: ImportOptions,
  world: ImportWorld,
): Promise<OpenedImport> {
  const { mode, name, mapping } = options;
  const text = optionsText(name, mapping, options.format);
  const prints = inputs.prints;
  const known = mode !== 'restart' ? knownOf(journal) : undefined;
  const found = known ? differences(known.options, text) : [];
  if (known) {
    const { finished } = known;
    const unfinished = !finished && journal.touched;
    const apart = areApart(found);
    if (apart && (unfinished || (mode === 'resume' && finished)))
      throw new ImportRefused('another', finished, found);
    if (mode === 'fresh' && unfinished) throw new ImportRefused('unfinished', finished, found);
    // Where nothing arrived, and it is not the same, it is another import.
    const alike = found.length === 0 && known.inputs === prints;
    if (mode === 'resume' && (unfinished || (!finished && alike))) return goOn(known, found);
    if (mode === 'resume' && finished) {
      const begun = await goOnBehind(known, found);
      if (begun) return begun;
    }
  }
  const siblings = siblingsOf(options);
  if (mode === 'restart') siblings?.forget();
  const sibling = mode === 'restart' ? undefined : siblings?.unfinished();
  if (sibling !== undefined)
    throw new ImportRefused(mode === 'resume' ? 'options' : 'unfinished', false, differences(sibling, text));
  const claim = await claimed(options.rejects, text, options);
  await siblings?.note();
  const piped = inputs.opened.some(({ fingerprint }) => fingerprint === null);
  if (mode === 'fresh' && known && journal.touched && !piped && known.inputs === prints && !areApart(found))
    world.onNotice(againText(name, journal.lastAt));
  const state = { id: randomUUID(), options: text, inputs: prints, rejectsPath: options.rejects };
  journal.begin({ ...state, rejectsPath: resolve(name.cwd, options.rejects) });
  return { state: { ...state, finished: false, rejectsLength: 0 }, claim, appended: false };

  /** With an import that is unfinished: the inputs must be what they were. */
  async function goOn(state: JournalState, found: readonly Difference[]): Promise<OpenedImport> {
    if (found.length > 0) throw new ImportRefused('options', false, found);
    if (state.inputs !== prints) throw new ImportRefused('changed', false);
    for (const doubt of journal.ambiguousBefore(world.clock.now() - IDEMPOTENCY_TTL_MS))
      world.onNotice(doubtText(doubt, name));
    const rejectsPath = asNamed(state.rejectsPath, options);
    const claim = await claimed(rejectsPath, text, options);
    return { state: { ...state, rejectsPath }, claim, appended: state.contents !== undefined };
  }

  /** With one that finished, behind what it sent. Undefined where the inputs hold something else now. */
  async function goOnBehind(
    state: JournalState,
    found: readonly Difference[],
  ): Promise<OpenedImport | undefined> {
    const compared = await inputs.compare(state.contents, dirname(journal.path), world.stop);
    const unchanged = compared === 'same' || (compared === 'unknown' && state.inputs === prints);
    if (compared === 'other') {
      world.onNotice(otherText(name, journal.lastAt));
      return undefined;
    }
    if (found.length > 0) throw new ImportRefused('options', true, found, !unchanged);
    if (compared === 'unknown' && !unchanged) throw new ImportRefused('changed', true);
    if (unchanged)
      return {
        state: { ...state, rejectsPath: asNamed(state.rejectsPath, options) },
        claim: undefined,
        appended: false,
      };
    world.onNotice(appendedText(name, journal.lastAt));
    const claim = await claimed(options.rejects, text, options);
    const path = resolve(name.cwd, options.rejects);
    const rejectsLength =
      path === state.rejectsPath && (await isAsLeft(path, state.rejectsLength, name.inputs))
        ? state.rejectsLength
        : 0;
    journal.reopen({ inputs: prints, rejectsPath: path, rejectsLength });
    return {
      state: { ...state, finished: false, inputs: prints, rejectsPath: options.rejects, rejectsLength },
      claim,
      appended: true,
    };
  }
}

/** None where --checkpoint names the journal: that import is kept apart on purpose. */
function siblingsOf({ claims, journal, name }: ImportOptions): Siblings | undefined {
  return dirname(journal) === claims && journal.endsWith('.journal')
    ? new Siblings(siblingsPath(claims, name), journal)
    : undefined;
}

/** The import on record, where it finished or some batch of it had its end or may have had. */
function knownOf(journal: Journal): JournalState | undefined {
  const state = journal.state();
  if (!state) return undefined;
  if (state.finished) return state;
  if (state.contents && journal.restoreFinished(state.contents)) return { ...state, finished: true };
  return journal.begun ? state : undefined;
}

/** The rejects file of an earlier run, which may have begun in another folder, as it is named now. */
function asNamed(path: string, { name, rejects }: ImportOptions): string {
  return path === resolve(name.cwd, rejects) ? rejects : path;
}

/** Claims the rejects file for the import whose options are `text`. Throws RejectsTaken. */
async function claimed(
  rejects: string,
  text: string,
  { name, claims, journal }: ImportOptions,
): Promise<RejectsClaim> {
  const claim = new RejectsClaim(claims, resolve(name.cwd, rejects), resolve(journal));
  const other = await claim.take();
  if (!other) return claim;
  const found = other.options === undefined ? [] : differences(other.options, text);
  throw new RejectsTaken(rejects, found, !existsSync(resolve(name.cwd, rejects)));
}

/** A new import has keys of its own, so that the service takes what it has for new. */
function againText({ kind, inputs }: ImportName, at: number): string {
  const what = inputs.length === 1 ? `${inputs[0]} was` : 'these files were';
  const then =
    kind === 'events'
      ? 'the service keeps each event that it took then once more'
      : 'a user that changed since is set back';
  return (
    `${what} imported on ${minuteOf(at)} and did not change since: ` +
    `it is sent again as new, and ${then} (--resume sends nothing twice)`
  );
}

/** What `--resume` finds behind what an import that finished has sent. */
function appendedText({ inputs, kind }: ImportName, at: number): string {
  return `${whichText(inputs)} appended to since the import${dayText(at)} that finished: only the new ${kind} are sent`;
}

function otherText({ inputs }: ImportName, at: number): string {
  return `${whichText(inputs, 'holds', 'hold')} something else than the import${dayText(at)} that finished: a new import begins, and sends all of it`;
}

function whichText(inputs: readonly string[], one = 'was', many = 'were'): string {
  if (inputs.length > 1) return `these inputs ${many}`;
  return `${inputs[0] === '-' ? 'standard input' : inputs[0]} ${one}`;
}

/** Nothing for an import that sent nothing. */
function dayText(at: number): string {
  return at > 0 ? ` of ${minuteOf(at)}` : '';
}

function minuteOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function doubtText(doubt: AmbiguousBatch, name: ImportName): string {
  const { file, firstLine, lastLine, records, sentAt } = doubt;
  return (
    `${name.inputs[file]}: lines ${firstLine} to ${lastLine} (${records} records) are in doubt since ` +
    `${new Date(sentAt).toISOString()}, over 24 hours: the service may have forgotten their key, so sending them ` +
    'again may store them twice'
  );
}
