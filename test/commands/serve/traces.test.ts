import { expect, it, onTestFinished } from 'vitest';
import { type OtlpReceiver, startOtlpReceiver } from '../../support/peers/otlp-receiver.ts';
import { startReceiver } from '../../support/peers/receiver.ts';
import { runServe } from '../../support/process/run-serve.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { until } from '../../support/process/webhooks-service.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const caller = '00f067aa0ba902b7';

async function otlpReceiver(): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver();
  onTestFinished(() => receiver.close());
  return receiver;
}

/** Fields of the answers that the tests read. */
interface Answer {
  readonly users: { readonly hashId: string }[];
  readonly decisionId: string;
}

/** Runs `svc serve` with these variables, makes requests with `work`, and stops it. */
async function served(
  env: Record<string, string>,
  work: (send: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>) => unknown,
) {
  const serving = await runServe(['--allow-loopback-webhooks'], { env });
  await work(
    async (path, body, headers) => (await (await serving.post(path, body, headers)).json()) as Answer,
  );
  return serving.stop();
}

it.each(['http/protobuf', 'http/json'])(
  'exports the traces of requests and deliveries over %s',
  async (protocol) => {
    const collector = await otlpReceiver();
    const target = await startReceiver();
    onTestFinished(() => target.close());
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_SERVICE_NAME: 'decisions',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
    };
    const run = await served(env, async (send) => {
      const events = ['campaign.clicked'];
      await send('/v1/webhooks', {
        url: `${target.url}?secret`,
        events,
        signingSecret: 'a signing secret of a test',
      });
      const users = [{ userId: 'ada@example.com', name: 'Ada Lovelace', phone: '+441234567890' }];
      const { hashId } = (await send('/v1/users', { users })).users[0]!;
      const { decisionId } = await send('/v1/decisioning/decide', { hashId });
      const traceparent = `00-${trace}-${caller}-01`;
      await send(`/v1/messages/${decisionId}/outcomes`, { type: 'clicked' }, { traceparent });
      await send('/v1/missing/ada@example.com', {});
      // The two that end last, so that the end of the service has none to send.
      await until(async () =>
        ['POST', 'POST webhook'].every((last) => collector.spans().some(({ name }) => name === last)),
      );
    });
    expect(run.code).toBe(0);
    const spans = collector.spans();
    expect(collector.received[0]!.headers['x-tenant']).toBe('one');
    expect(spans.map(({ name }) => name).sort()).toEqual([
      'POST',
      'POST /v1/decisioning/decide',
      'POST /v1/messages/{decisionId}/outcomes',
      'POST /v1/users',
      'POST /v1/webhooks',
      'POST webhook',
    ]);
    const find = (wanted: string) => spans.find(({ name }) => name === wanted)!;
    const outcome = find('POST /v1/messages/{decisionId}/outcomes');
    expect(outcome).toMatchObject({
      traceId: trace,
      parentSpanId: caller,
      kind: 2,
      status: 0,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/messages/{decisionId}/outcomes',
        'http.response.status_code': 202,
        'svc.request_id': expect.stringMatching(/^req_/),
      },
      resource: {
        'service.name': 'decisions',
        'deployment.environment': 'test',
        'service.version': expect.any(String),
      },
    });
    const delivery = find('POST webhook');
    expect(delivery).toMatchObject({ traceId: trace, parentSpanId: outcome.spanId, kind: 3, status: 0 });
    expect(target.received[0]!.headers.traceparent).toBe(`00-${trace}-${delivery.spanId}-01`);
    const root = find('POST /v1/users');
    expect(root.parentSpanId).toBe('');
    expect(root.traceId).not.toBe(trace);
    expect(JSON.stringify(spans)).not.toMatch(/ada@|Ada|\+44|secret/);
  },
);

it('samples as the variables say, and a caller that does not sample is followed', async () => {
  const collector = await otlpReceiver();
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}v1/traces` };
  await served({ ...env, OTEL_TRACES_SAMPLER: 'always_off' }, (send) => send('/v1/users', {}));
  await served(env, (send) => send('/v1/users', {}, { traceparent: `00-${trace}-${caller}-00` }));
  await served({ ...env, OTEL_SDK_DISABLED: 'true' }, (send) => send('/v1/users', {}));
  expect(collector.received).toEqual([]);
});

it.each([{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4317' }, {}])(
  'refuses gRPC aloud with %o',
  async (endpoint) => {
    const env = { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    const run = await runSvc(['serve', '--port', '0'], { env });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(
      'OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported: use http/protobuf or http/json',
    );
  },
);

it('serves and stops although the receiver is away or never answers', async () => {
  const silent = await startReceiver(() => {});
  onTestFinished(() => silent.close());
  for (const url of ['http://127.0.0.1:9/', silent.url]) {
    const answers: object[] = [];
    const run = await served({ OTEL_EXPORTER_OTLP_ENDPOINT: url }, async (send) => {
      for (let i = 0; i < 3; i++) answers.push(await send('/v1/decisioning/decide', { hashId: 'h' }));
    });
    expect(run.code).toBe(0);
    expect(answers.every((answer) => 'decisionId' in answer)).toBe(true);
    expect(run.stderr).toContain('"spans":3,"reason":"the service ended before they were"');
  }
});
