import { readServerSentEvents } from '../../../src/client/sse.ts';
import type { WatchFrame } from '../../../src/contract/schemas/events.ts';
import type { TestService } from '../process/service.ts';

type Shown = Extract<WatchFrame, { type: 'event' }>;

/** An open watch of events. */
export interface OpenWatch {
  /** The frames so far, in order. */
  readonly frames: WatchFrame[];
  /** The events so far. */
  events(): Shown[];
  /** The sums of the counts of all ticks so far. */
  counts(): { received: number; matched: number; shown: number; untested: number };
  /** The ID of the last frame, with which another watch resumes. */
  lastId(): string;
  /** Reads until the condition holds. Throws if the stream ends before. */
  until(condition: () => boolean): Promise<void>;
  /** Resolves when the service has ended the stream. */
  ended(): Promise<void>;
  cancel(): Promise<void>;
}

/** Opens a watch and reads its first frame. */
export async function openWatch(
  service: Pick<TestService, 'fetch'>,
  query: { filter?: string; after?: string } = {},
  headers: Record<string, string> = {},
): Promise<OpenWatch> {
  const answer = await service.fetch(`/v1/events/watch?${new URLSearchParams(query)}`, { headers });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  const messages = readServerSentEvents(answer.body!);
  const frames: WatchFrame[] = [];
  let last = '';
  const read = async () => {
    const { value, done } = await messages.next();
    if (done) return false;
    last = value.id;
    if (value.data !== undefined) {
      const data = JSON.parse(value.data) as WatchFrame;
      if (data.type !== value.event) throw new Error(`a frame ${value.event} has data of ${data.type}`);
      frames.push(data);
    }
    return true;
  };
  const open: OpenWatch = {
    frames,
    events: () => frames.filter((frame) => frame.type === 'event'),
    counts: () => {
      const sums = { received: 0, matched: 0, shown: 0, untested: 0 };
      for (const frame of frames)
        if (frame.type === 'tick')
          for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += frame[name];
      return sums;
    },
    lastId: () => last,
    async until(condition) {
      while (!condition())
        if (!(await read())) throw new Error(`the watch ended after ${JSON.stringify(frames.slice(-5))}`);
    },
    async ended() {
      while (await read());
    },
    cancel: async () => void (await messages.return(undefined)),
  };
  await open.until(() => frames.length > 0);
  return open;
}
