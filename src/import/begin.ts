import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { IDEMPOTENCY_TTL_MS } from '../contract/limits.ts';
import { areApart, type Difference, differences, type ImportName, optionsText } from './identity.ts';
import type { Inputs } from './inputs.ts';
import type { Doubt, Journal, JournalState } from './journal.ts';
import type { ImportOptions, ImportWorld } from './options.ts';
import { RejectsClaim } from './rejects-claim.ts';

/**
 * The import cannot begin. An earlier run of it is `unfinished`, had an input that `changed`, or other `options`; or the
 * journal is that of `another` import, or the file for its `rejects` is (RejectsTaken).
 */
export class ImportRefused extends Error {
  readonly reason: 'unfinished' | 'changed' | 'options' | 'another' | 'rejects';
  /** The earlier run reached its end. */
  readonly finished: boolean;
  readonly differences: readonly Difference[];

  constructor(reason: ImportRefused['reason'], finished = false, found: readonly Difference[] = []) {
    super(`the import cannot begin: ${reason}`);
    this.name = 'ImportRefused';
    this.reason = reason;
    this.finished = finished;
    this.differences = found;
  }
}

/** Another import, which is unfinished or under way, has the same file for its rejects. */
export class RejectsTaken extends ImportRefused {
  /** The file as it was named. */
  readonly path: string;

  constructor(path: string, found: readonly Difference[]) {
    super('rejects', false, found);
    this.path = path;
  }
}

/**
 * Decides between a new import and going on with one, as the flags say, and claims its rejects file; one that finished
 * writes there no more. Throws ImportRefused.
 */
export async function begin(
  journal: Journal,
  inputs: Inputs,
  options: ImportOptions,
  world: ImportWorld,
): Promise<{ state: JournalState; claim: RejectsClaim | undefined }> {
  const { mode, name, shaping } = options;
  const text = optionsText(name, shaping, options.format);
  const prints = JSON.stringify(inputs.looked.map(({ fingerprint }) => fingerprint));
  const known = mode !== 'restart' && journal.touched ? journal.state() : undefined;
  const found = known ? differences(known.options, text) : [];
  if (known) {
    const { finished } = known;
    if (areApart(found) && (mode === 'resume' || !finished))
      throw new ImportRefused('another', finished, found);
    if (mode === 'fresh' && !finished) throw new ImportRefused('unfinished', finished, found);
    if (mode === 'resume') {
      if (found.length > 0) throw new ImportRefused('options', finished, found);
      if (known.inputs !== prints) throw new ImportRefused('changed', finished);
      for (const doubt of journal.doubtsBefore(world.clock.now() - IDEMPOTENCY_TTL_MS))
        world.onNotice(doubtText(doubt, name));
      const rejectsPath = asNamed(known.rejectsPath, options);
      const state = { ...known, rejectsPath };
      return { state, claim: finished ? undefined : await claimed(rejectsPath, text, options) };
    }
  }
  const claim = await claimed(options.rejects, text, options);
  const piped = inputs.looked.some(({ fingerprint }) => fingerprint === null);
  if (known && !piped && known.inputs === prints && !areApart(found))
    world.onNotice(againText(name, journal.lastAt));
  const state = { id: randomUUID(), options: text, inputs: prints, rejectsPath: options.rejects };
  journal.begin({ ...state, rejectsPath: resolve(name.cwd, options.rejects) });
  return { state: { ...state, finished: false, rejectsLength: 0 }, claim };
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
  throw new RejectsTaken(rejects, other.options === undefined ? [] : differences(other.options, text));
}

/** A new import has keys of its own, so that the service takes what it has for new. */
function againText({ kind, inputs }: ImportName, at: number): string {
  const what = inputs.length === 1 ? `${inputs[0]} was` : 'these files were';
  const then =
    kind === 'events'
      ? 'the service keeps each event that it took then once more'
      : 'a user that changed since is set back';
  return (
    `${what} imported on ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC and did not change since: ` +
    `it is sent again as new, and ${then} (--resume sends nothing twice)`
  );
}

function doubtText(doubt: Doubt, name: ImportName): string {
  const { file, firstLine, lastLine, records, sentAt } = doubt;
  return (
    `${name.inputs[file]}: lines ${firstLine} to ${lastLine} (${records} records) are in doubt since ` +
    `${new Date(sentAt).toISOString()}, over 24 hours: the service may have forgotten their key, so sending them ` +
    'again may store them twice'
  );
}
