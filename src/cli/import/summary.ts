import type { ImportResult } from '../../import/result.ts';
import { bold, type Text } from '../render/text.ts';

/** The result of an import for people. */
export function summary(result: ImportResult, noun: string): Text {
  const n = (value: number) => value.toLocaleString('en-US');
  const rows: [string, string][] = [
    ['read', n(result.read)],
    ['accepted', n(result.accepted)],
    ['rejected', n(result.rejected)],
    ['skipped', n(result.skipped)],
    ['unsent', n(result.unsent)],
  ];
  const width = Math.max(...rows.map(([, value]) => value.length));
  const requests =
    `${n(result.batches)} batches in ${n(result.requests)} requests, ${n(result.retries)} retries, ` +
    `${n(result.rateLimited)} over the limit`;
  const lines: Text[] = rows.map(([name, value]) => [
    `  ${name.padEnd(9)}`,
    bold(value.padStart(width)),
    '\n',
  ]);
  const rate = `${n(result.eventsPerSecond)} ${noun}/s, ${(result.elapsedMs / 1000).toFixed(1)} s`;
  lines.push(`  ${requests}\n  ${n(result.bytes)} bytes, ${rate}`);
  if (result.rejectsFile) lines.push(`\n  rejects: ${result.rejectsFile}`);
  if (result.resumeCommand) lines.push(`\n  go on:   ${result.resumeCommand}`);
  return lines;
}
