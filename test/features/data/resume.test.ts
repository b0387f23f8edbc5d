import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { expect, it } from 'vitest';
import { PartFile } from '../../../src/cli/files/part-file.ts';
import { Output } from '../../../src/cli/terminal/output.ts';
import type { World } from '../../../src/cli/terminal/world.ts';
import { FORMATS } from '../../../src/features/data/export/encoder.ts';
import { exportRecords, type Progress } from '../../../src/features/data/export/export.ts';
import type { Page, Source } from '../../../src/features/data/export/source.ts';
import { tempDir } from '../../support/temp.ts';

/** Outcomes of some workspaces, in pages of some lengths, of which reads fail or are interrupted. */
class Pages implements Source {
  readonly #lengths: readonly (readonly number[])[];
  /** Called before each read. */
  readonly #before: () => void;

  constructor(lengths: readonly (readonly number[])[], before: () => void) {
    this.#lengths = lengths;
    this.#before = before;
  }

  isUnfinishedCopy = async () => false;

  workspaces = async (after: string) => this.#lengths.map((_, i) => `ws_${i}`).filter((id) => id > after);

  async page(workspace: string, _type: string, after: unknown): Promise<Page> {
    this.#before();
    const lengths = this.#lengths[Number(workspace.slice(3))]!;
    const at = after === undefined ? 0 : Number(after);
    const ids = Array.from({ length: lengths[at] ?? 0 }, (_, i) => `${workspace} ${at} ${i}`);
    const fill = <T>(value: T) => ids.map(() => value);
    return {
      columns: { of: fill('message'), id: ids, outcome: fill('opened'), at: fill(1_700_000_000_000) },
      rows: ids.length,
      next: at + 1 < lengths.length ? String(at + 1) : undefined,
    };
  }

  close = async () => {};
}

const killed = new Error('killed');

it.each(FORMATS)(
  'an export to %s that is killed or interrupted at any page goes on, and loses nothing',
  async (format) => {
    const lengths = fc.array(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 3,
    });
    const ends = fc.array(fc.record({ after: fc.nat(8), by: fc.constantFrom('kill', 'interrupt') }), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(lengths, ends, async (all, stops) => {
        const dir = tempDir();
        const path = join(dir, `out.${format}`);
        let now = 0;
        const run = async (end?: { after: number; by: string }) => {
          const interrupt = new AbortController();
          let left = end?.after ?? Number.POSITIVE_INFINITY;
          const source = new Pages(all, () => {
            // Progress is saved once a second.
            now += 700;
            if (left-- > 0) return;
            if (end!.by === 'kill') throw killed;
            interrupt.abort();
          });
          const world = {
            stdout: new PassThrough(),
            stderr: new PassThrough(),
            clock: { now: () => now, sleep: async () => {} },
          } as unknown as World;
          const file = await PartFile.open<Progress>(path, { identity: 'all', restart: false, name: 'out' });
          const done = await exportRecords(source, {
            types: ['outcome'],
            format,
            file,
            world,
            out: new Output(world, { json: false, quiet: true }),
            signal: interrupt.signal,
          }).catch((error) => {
            if (error !== killed) throw error;
          });
          await file.close();
          return done;
        };
        for (const stop of stops) {
          const done = await run(stop);
          if (!done?.complete) expect(existsSync(path)).toBe(false);
          else break;
        }
        const total = all.flat().reduce((sum, n) => sum + n, 0);
        if (!existsSync(path)) expect(await run()).toMatchObject({ records: total, complete: true });
        expect(readdirSync(dir)).toEqual([`out.${format}`]);
        const ids = all.flatMap((pages, ws) =>
          pages.flatMap((n, at) => Array.from({ length: n }, (_, i) => `ws_${ws} ${at} ${i}`)),
        );
        expect(await idsIn(path, format)).toEqual(ids);
      }),
      { numRuns: 30 },
    );
  },
);

async function idsIn(path: string, format: string): Promise<unknown[]> {
  const bytes = readFileSync(path);
  if (format === 'parquet') {
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    const compressors = { GZIP: (input: Uint8Array) => new Uint8Array(gunzipSync(input)) };
    return (await parquetReadObjects({ file, compressors })).map(({ id }) => id);
  }
  const lines = bytes.toString().trim().split('\n');
  if (format === 'csv') {
    expect(lines[0]).toBe('workspace,of,id,outcome,at');
    return lines.slice(1).map((line) => line.split(',')[2]);
  }
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line).id);
}

it('one process writes a file, and an export of other records does not go on with it', async () => {
  const path = join(tempDir(), 'out.csv');
  const first = await PartFile.open(path, { identity: 'a', restart: false, name: 'out.csv' });
  const again = PartFile.open(path, { identity: 'a', restart: false, name: 'out.csv' });
  await expect(again).rejects.toMatchObject({ code: 'locked' });
  await first.append(Buffer.from('some'));
  await first.save(() => 1, 0, true);
  await first.close();
  const other = PartFile.open(path, { identity: 'b', restart: false, name: 'out.csv' });
  await expect(other).rejects.toMatchObject({ code: 'usage' });
  const resumed = await PartFile.open(path, { identity: 'a', restart: false, name: 'out.csv' });
  expect(resumed.saved).toEqual({ bytes: 4, state: 1 });
  await resumed.close();
  const fresh = await PartFile.open(path, { identity: 'b', restart: true, name: 'out.csv' });
  expect([fresh.saved, fresh.bytes]).toEqual([undefined, 0]);
  await fresh.close();
});
