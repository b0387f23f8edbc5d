import type { Context } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import { pipesUntil, untilStopped } from '../../cli/input/stdin.ts';
import { readServerSentEvents } from '../../client/sse.ts';
import { objectOf } from '../../kit/object-of.ts';
import { Batcher } from '../import/deliver/batcher.ts';
import { throwIfStopped } from '../import/input/stopped.ts';
import { withMappingFile } from '../import/mapping-file/mapping-flags.ts';
import type { MappingFlags } from '../import/option-table/flags.ts';
import { mappingOf, readingOf } from '../import/option-table/table.ts';
import { batchesOf } from '../import/run/batches.ts';
import { Inputs } from '../import/run/inputs.ts';
import { prepareImport } from '../import/run/prepare.ts';
import type { PlanBuilder } from './plan-builder.ts';

type ReadContext = Pick<Context, 'world' | 'signal' | 'out' | 'connect'>;

/** How long a pipe is waited for, for a sample of it. */
const PIPE_WAIT_MS = 5000;

/** Adds the events that an import of the inputs would send. Returns how many records it would reject. */
export async function addFromFiles(
  builder: PlanBuilder,
  names: readonly string[],
  given: MappingFlags,
  { world, signal: stop, out }: ReadContext,
): Promise<number> {
  const flags = withMappingFile(given, world.cwd);
  const mapping = { ...mappingOf('events', flags, undefined), validate: true };
  const reading = readingOf(flags);
  const inputs = await Inputs.open({
    names,
    cwd: world.cwd,
    stdin: untilStopped(world.stdin, stop),
    openPipe: pipesUntil(stop),
    reading,
    mapping,
    shard: undefined,
    stop,
    onNotice: (text) => out.warn(text),
  });
  const options = { mapping, reading, preflight: true, flushInterval: PIPE_WAIT_MS };
  let rejected = 0;
  try {
    inputs.mapping = {
      ...mapping,
      columnTypes: await prepareImport(inputs, options, { clock: world.clock, stop }),
    };
    const batcher = new Batcher({ kind: 'events', size: 1000 });
    for (const index of inputs.opened.keys()) {
      const feed = await inputs.feed(index, batcher, { hashed: false });
      try {
        const flush = { clock: world.clock, interval: undefined, signal: stop };
        for await (const { body, records, rejects } of batchesOf(feed.records, batcher, flush)) {
          rejected += rejects.length;
          if (records.count === 0) continue;
          const { events } = JSON.parse(body.toString('utf8')) as {
            events: { event: string; properties?: object }[];
          };
          for (const { event, properties } of events) builder.add(event, properties);
        }
      } finally {
        await feed.close();
      }
      throwIfStopped(stop);
    }
  } finally {
    await inputs.close();
  }
  return rejected;
}

/** How long the live event stream may be silent while it sends what was stored, in ms. */
const SILENCE_MS = 3000;

/**
 * Adds the newest `limit` events that the service has, from its live event stream, which resumes before them. Returns
 * whether there may be older ones.
 */
export async function addFromService(
  builder: PlanBuilder,
  limit: number,
  { connect, signal, world }: ReadContext,
): Promise<boolean> {
  const { client } = await connect({ lasting: true });
  const head = Number(await headOf(client, signal));
  if (Number.isNaN(head))
    throw new SvcError('not_offered', 'this service does not number its events', {
      hint: 'make the plan of a file of events',
    });
  if (head === 0) return false;
  const after = Math.max(0, head - limit);
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const headers = { 'last-event-id': String(after) };
  let lastAt = world.clock.now();
  // Numbers may be missing at the end, so that none says that all were sent.
  const timer = setInterval(() => {
    if (world.clock.now() - lastAt > SILENCE_MS) over.abort();
  }, SILENCE_MS / 4).unref();
  try {
    const stream = await client.stream('streamEvents', { headers, signal: either });
    for await (const { id, event, data } of readServerSentEvents(stream, '')) {
      lastAt = world.clock.now();
      if (data === undefined || event === 'gap') continue;
      if (Number(id) > head) break;
      const sent = objectOf(JSON.parse(data));
      builder.add(String(sent.event), objectOf(sent.properties));
      if (Number(id) === head) break;
    }
  } catch (error) {
    if (!either.aborted) throw error;
  } finally {
    clearInterval(timer);
    over.abort();
  }
  throwIfStopped(signal);
  return after > 0;
}

/** The number of the newest event: the id of the first message of the stream. */
async function headOf(
  client: Awaited<ReturnType<ReadContext['connect']>>['client'],
  signal: AbortSignal,
): Promise<string> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const stream = await orUnsupportedFeature(
    'the live event stream',
    client.stream('streamEvents', { signal: either }),
  );
  try {
    for await (const { id } of readServerSentEvents(stream, '')) return id;
    return '';
  } finally {
    over.abort();
  }
}
