import { once } from 'node:events';
import type { PartFile } from '../../../cli/files/part-file.ts';
import type { Output } from '../../../cli/terminal/output.ts';
import { Redraw } from '../../../cli/terminal/redraw.ts';
import type { World } from '../../../cli/terminal/world.ts';
import type { ExportType } from '../../../contract/export.ts';
import { type Encoder, encoderOf, type Format } from './encoder.ts';
import type { ParquetState } from './parquet.ts';
import type { After, Page, Source } from './source.ts';

/** Where an export goes on: in a type, a workspace and its pages. */
interface Place {
  readonly type: ExportType;
  readonly workspace: string;
  /** Null after the last page of the workspace. */
  readonly after: After | null;
}

/** What is saved with the file of an export. */
export interface Progress {
  readonly place: Place;
  readonly records: number;
  readonly encoder: ParquetState | null;
  readonly removedBefore: number | null;
}

interface Exported {
  readonly records: number;
  /** Records from before this time, Unix ms, were removed by age; undefined if none were. */
  readonly removedBefore: number | undefined;
  /** False if the export was interrupted: the file says how to go on. */
  readonly complete: boolean;
}

interface ExportOptions {
  readonly types: readonly ExportType[];
  readonly format: Format;
  /** Undefined for standard output. */
  readonly file: PartFile<Progress> | undefined;
  readonly world: World;
  readonly out: Output;
  readonly signal: AbortSignal;
}

/** Exports all records of the types, page by page. Resolves also when it is interrupted. */
export async function exportRecords(source: Source, options: ExportOptions): Promise<Exported> {
  const { types, format, file, world, out, signal } = options;
  const saved = file?.saved?.state;
  const encoder = encoderOf(format, types, saved?.encoder, !file && world.stdout.isTTY === true);
  const write = async (bytes: Uint8Array | undefined) => {
    if (!bytes || bytes.length === 0) return;
    if (file) return file.append(bytes);
    // Waits for a slow reader, so that records do not accumulate in memory.
    if (!world.stdout.write(bytes)) await once(world.stdout, 'drain', { signal });
  };
  const show = progressOn(options);
  const onUnfinished = (workspace: string) => {
    show.clear();
    out.warn(
      `${workspace} is a copy that is not complete: records may be missing until the command that began it is repeated`,
    );
  };
  let removedBefore = saved?.removedBefore ?? undefined;
  let records = saved?.records ?? 0;
  let place = saved?.place;
  const progress = (): Progress => ({
    place: place!,
    records,
    encoder: encoder.state(),
    removedBefore: removedBefore ?? null,
  });
  try {
    for await (const { page, ...next } of pages(source, types, saved?.place, onUnfinished)) {
      const bytes = await encoder.add(next.type, next.workspace, page);
      records += page.rows;
      place = { ...next, after: page.next ?? null };
      removedBefore = latest(removedBefore, page.removedBefore);
      await write(bytes);
      if (bytes) await file?.save(progress, world.clock.now());
      show.update(records);
      signal.throwIfAborted();
    }
    await write(await encoder.end());
    await file?.complete();
  } catch (error) {
    if (!signal.aborted) throw error;
    await keep(encoder, file, write, place && progress, world);
    return { records, removedBefore, complete: false };
  } finally {
    show.clear();
  }
  return { records, removedBefore, complete: true };
}

/** Saves all that was read, for the export that goes on. */
async function keep(
  encoder: Encoder,
  file: PartFile<Progress> | undefined,
  write: (bytes: Uint8Array | undefined) => Promise<void>,
  progress: (() => Progress) | undefined,
  world: World,
): Promise<void> {
  if (!file || !progress) return;
  await write(await encoder.flush());
  await file.save(progress, world.clock.now(), true);
}

/** The pages of all types, each of all workspaces, from a place on. */
async function* pages(
  source: Source,
  types: readonly ExportType[],
  from: Place | undefined,
  onUnfinished: (workspace: string) => void,
): AsyncGenerator<{ type: ExportType; workspace: string; page: Page }> {
  for (const type of from ? types.slice(types.indexOf(from.type)) : types) {
    const place = type === from?.type ? from : undefined;
    if (place && place.after !== null) yield* pagesOf(source, type, place.workspace, place.after);
    let last = place?.workspace ?? '';
    for (;;) {
      const workspaces = await source.workspaces(last);
      if (workspaces.length === 0) break;
      for (const workspace of workspaces) {
        if (type === types[0] && (await source.isUnfinishedCopy(workspace))) onUnfinished(workspace);
        yield* pagesOf(source, type, workspace, undefined);
      }
      last = workspaces.at(-1)!;
    }
  }
}

async function* pagesOf(source: Source, type: ExportType, workspace: string, from: After | undefined) {
  for (let after = from; ; ) {
    const page = await source.page(workspace, type, after);
    yield { type, workspace, page };
    if (page.next === undefined) return;
    after = page.next;
  }
}

const latest = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

interface ProgressLine {
  readonly update: (records: number) => void;
  readonly clear: () => void;
}

/** Shows how many records were exported: on a terminal only, into which no records go. */
function progressOn({ world, out, file }: ExportOptions): ProgressLine {
  if (world.stderr.isTTY !== true || out.quiet || out.json || (!file && world.stdout.isTTY))
    return { update: () => {}, clear: () => {} };
  const redraw = new Redraw(world.stderr);
  let drawnAt = 0;
  return {
    update: (records) => {
      const now = world.clock.now();
      if (now - drawnAt < 100) return;
      drawnAt = now;
      redraw.draw(`${records.toLocaleString('en-US')} records`);
    },
    clear: () => redraw.clear(),
  };
}
