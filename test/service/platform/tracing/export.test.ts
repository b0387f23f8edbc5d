import { expect, onTestFinished, test } from 'vitest';
import { exportTraces } from '../../../../src/service/platform/tracing/export.ts';
import { tracingSettings } from '../../../../src/service/platform/tracing/settings.ts';
import { withoutRepeats } from '../../../../src/service/telemetry/log-repeats.ts';
import { startReceiver } from '../../../support/peers/receiver.ts';

test('logs each span that a receiver without answers never takes', async () => {
  const silent = await startReceiver(() => {});
  onTestFinished(() => silent.close());
  const lines: Record<string, unknown>[] = [];
  const settings = tracingSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: silent.url }, '1')!;
  const tracing = exportTraces(settings, (_level, message, fields) => lines.push({ message, ...fields }));
  for (let i = 0; i < 5_000; i++) tracing.start({ kind: 'server', name: 'GET', parent: undefined }).end(200);
  tracing
    .start({ kind: 'server', name: 'GET', parent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-00` })
    .end(200);
  await tracing.close();
  expect(lines).toEqual([
    {
      message: 'traces were not exported',
      spans: 2_952,
      reason: 'until the end of the service: more than 2048 were waiting for the receiver',
    },
    { message: 'traces were not exported', spans: 2_048, reason: 'the service ended before they were' },
  ]);
});

test('counts each span that a receiver refuses, although the log omits repetitions', async () => {
  const refusing = await startReceiver((response) => void response.writeHead(400).end());
  onTestFinished(() => refusing.close());
  const lines: { spans: number; reason: string }[] = [];
  const log = withoutRepeats((_level, _message, fields) => lines.push(fields as never), Date.now);
  const settings = tracingSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: refusing.url }, '1')!;
  const tracing = exportTraces(settings, log);
  for (let i = 0; i < 2_000; i++) tracing.start({ kind: 'server', name: 'GET', parent: undefined }).end(200);
  await tracing.close();
  expect(lines.reduce((sum, { spans }) => sum + spans, 0)).toBe(2_000);
  expect(lines).toHaveLength(2);
});
