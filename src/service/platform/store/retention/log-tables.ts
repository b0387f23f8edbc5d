import type { NumberedLog } from '../retained-logs.ts';

/** The table of a log, and the columns of its rows' numbers, times (Unix ms) and long values. */
export interface LogTable {
  readonly table: string;
  readonly number: string;
  readonly time: string;
  readonly long: readonly string[];
}

export const LOG_TABLES: Readonly<Record<NumberedLog, LogTable>> = {
  events: { table: 'event', number: 'number', time: 'received_at', long: ['properties'] },
  decisions: {
    table: 'decision',
    number: 'seq',
    time: 'at_ms',
    long: ['context', 'candidates', 'others', 'features'],
  },
};
