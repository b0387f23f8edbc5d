import { type PaceView, pacedSeconds, pacedShort, pacedText } from '../../../cli/terminal/pace.ts';
import type { Output } from '../../../cli/terminal/world.ts';
import type { Clock } from '../../../kit/clock.ts';
import type { Progress } from './progress-tracker.ts';

export interface ProgressOptions {
  readonly stream: Output;
  readonly clock: Clock;
  /** Show nothing. */
  readonly quiet: boolean;
  readonly color: boolean;
  /** `events` or `users`. */
  readonly noun: string;
  /** Undefined if no limit is known. */
  readonly pace: () => PaceView | undefined;
}

const REDRAW_MS = 200;
const LINE_MS = 10_000;
/** The period of which the rate is shown, in milliseconds. */
const RATE_PERIOD_MS = 10_000;
/** Below this number of columns, words are omitted. */
const NARROW = 60;
/** An import that waits for the limit for more than this share of the time is rate limited. */
const HELD_SHARE = 0.1;
const CLEAR = '\r\u001b[2K';

interface Sample {
  readonly at: number;
  readonly records: number;
  /** Bytes of the files whose records are settled. */
  readonly done: number;
  /** See PaceView. */
  readonly throttledMs: number;
}

/** Shows the progress of an import on stderr: a bar on a terminal, else a line every 10 s. */
export class ProgressView {
  private readonly options: ProgressOptions;
  private readonly ended = new AbortController();
  private readonly startedAt: number;
  private latest: Progress | undefined;
  private samples: Sample[] = [];
  private drawn = false;

  constructor(options: ProgressOptions) {
    this.options = options;
    this.startedAt = options.clock.now();
    if (!options.quiet) void this.loop();
  }

  update(progress: Progress): void {
    this.latest = progress;
  }

  /** Removes the bar, so that a line of text can be written. */
  clear(): void {
    if (this.drawn) this.options.stream.write(CLEAR);
    this.drawn = false;
  }

  end(): void {
    this.ended.abort();
    this.clear();
  }

  private async loop(): Promise<void> {
    const { clock, stream } = this.options;
    const terminal = stream.isTTY === true;
    try {
      for (;;) {
        await clock.sleep(terminal ? REDRAW_MS : LINE_MS, this.ended.signal);
        if (!this.latest) continue;
        const facts = this.facts(this.latest, clock.now());
        if (terminal) {
          stream.write(CLEAR + barLine(facts, (stream.columns ?? 80) - 1, this.options.color));
          this.drawn = true;
        } else stream.write(`${plainLine(facts)}\n`);
      }
    } catch {
      // The sleep was ended by `end`.
    }
  }

  private facts({ counters, taken, size, requestsLeft }: Progress, now: number): Facts {
    const { noun } = this.options;
    const pace = this.options.pace();
    const throttledMs = pace?.throttledMs ?? 0;
    const records = counters.accepted + counters.rejected;
    const settled = records + counters.skipped;
    // Count only settled records: a small file is read at once, but may be sent for minutes.
    const done = taken * Math.min(1, settled / Math.max(1, counters.read));
    this.samples.push({ at: now, records, done, throttledMs });
    while (this.samples.length > 2 && now - this.samples[1]!.at >= RATE_PERIOD_MS) this.samples.shift();
    const first =
      this.samples.length > 1
        ? this.samples[0]!
        : { at: this.startedAt, records: 0, done: 0, throttledMs: 0 };
    const span = Math.max(1, now - first.at) / 1000;
    // While the limit blocks all requests, the rate since the start is more useful than that of the last seconds.
    const sent = done * (records / Math.max(1, settled));
    const speed = (done - first.done) / span || (sent * 1000) / Math.max(1, now - this.startedAt);
    const fraction = size ? Math.min(1, done / size) : undefined;
    const paced = throttledMs - first.throttledMs > span * 1000 * HELD_SHARE ? pace : undefined;
    const left = size !== undefined && speed > 0 ? Math.max(0, size - done) / speed : undefined;
    return {
      noun,
      fraction,
      records: settled,
      rejected: counters.rejected,
      rate: Math.round((records - first.records) / span),
      quota: pace && (pace.own + pace.others) / pace.limit,
      paced,
      // Batches are settled in bursts, but the limit spreads requests evenly.
      left: paced && Number.isFinite(requestsLeft) ? pacedSeconds(paced, requestsLeft) : left,
    };
  }
}

/** The contents of a progress line. */
export interface Facts {
  readonly noun: string;
  /** Of the input, 0 to 1; undefined for a pipe. */
  readonly fraction: number | undefined;
  readonly records: number;
  readonly rejected: number;
  /** Records a second. */
  readonly rate: number;
  /** Share of the quota in use, 0 to 1. */
  readonly quota: number | undefined;
  /** The limit, if it slows the import down. */
  readonly paced: PaceView | undefined;
  /** Seconds. */
  readonly left: number | undefined;
}

/** Formats a line of at most `width` columns. Omits the least important parts if needed; a bar fills the rest. */
export function barLine(facts: Facts, width: number, color: boolean): string {
  const parts: { text: string; weight: number }[] = [];
  const add = (text: string | undefined, weight: number) =>
    text !== undefined && parts.push({ text, weight });
  add(percent(facts.fraction), 6);
  // On a narrow terminal, the time left is more important than the noun.
  add(facts.records.toLocaleString('en-US') + (width < NARROW ? '' : ` ${facts.noun}`), 5);
  add(`${facts.rate.toLocaleString('en-US')}/s`, 4);
  add(facts.rejected > 0 ? `${facts.rejected.toLocaleString('en-US')} rejected` : undefined, 2);
  add(facts.quota === undefined ? undefined : `quota ${percent(facts.quota)}`, 1);
  add(facts.paced && pacedShort(facts.paced), 1.5);
  add(facts.left === undefined ? undefined : `${duration(facts.left)} left`, 3);
  const length = () => parts.reduce((sum, part) => sum + part.text.length + 2, -2);
  while (parts.length > 1 && length() > width)
    parts.splice(
      parts.indexOf(parts.reduce((least, part) => (part.weight < least.weight ? part : least))),
      1,
    );
  const text = parts
    .map((part) => part.text)
    .join('  ')
    .slice(0, width);
  const room = Math.min(30, width - text.length - 2);
  if (facts.fraction === undefined || room < 8) return text;
  const full = Math.round(facts.fraction * room);
  const done = '█'.repeat(full);
  const rest = '░'.repeat(room - full);
  return `${color ? `\u001b[32m${done}\u001b[39m\u001b[2m${rest}\u001b[22m` : done + rest}  ${text}`;
}

/** Formats a complete line for output that is not a terminal. */
export function plainLine(facts: Facts): string {
  return [
    ...(facts.fraction === undefined ? [] : [percent(facts.fraction)]),
    `${facts.records.toLocaleString('en-US')} ${facts.noun}`,
    `${facts.rate.toLocaleString('en-US')}/s`,
    ...(facts.rejected > 0 ? [`${facts.rejected.toLocaleString('en-US')} rejected`] : []),
    ...(facts.quota === undefined ? [] : [`${percent(facts.quota)} of the quota in use`]),
    ...(facts.paced ? [pacedText(facts.paced)] : []),
    ...(facts.left === undefined ? [] : [`${duration(facts.left)} left`]),
  ].join(', ');
}

function percent(fraction: number | undefined): string | undefined {
  return fraction === undefined ? undefined : `${Math.floor(fraction * 100)}%`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m${String(whole % 60).padStart(2, '0')}s`;
  return `${Math.floor(whole / 3600)}h${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')}m`;
}
