import { expect, it } from 'vitest';
import { tracingSettings } from '../../../../src/service/platform/tracing/settings.ts';

const endpoint = 'http://collector:4318';
const read = (env: Record<string, string>) =>
  tracingSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env }, '1.2.3');

it('exports nothing unless an endpoint or the exporter is named', () => {
  expect(tracingSettings({}, '1')).toBeUndefined();
  expect(tracingSettings({ OTEL_SERVICE_NAME: 'x', OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, '1')).toBeUndefined();
  expect(read({ OTEL_SDK_DISABLED: 'TRUE' })).toBeUndefined();
  expect(read({ OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
  expect(tracingSettings({ OTEL_TRACES_EXPORTER: 'otlp' }, '1')).toMatchObject({
    url: 'http://localhost:4318/v1/traces',
  });
});

it('reads the variables of the specification, those for traces first', () => {
  expect(read({})).toEqual({
    url: `${endpoint}/v1/traces`,
    protocol: 'http/protobuf',
    headers: {},
    gzip: false,
    timeoutMs: 10_000,
    sampler: { root: 'on', parentBased: true, ratio: 1 },
    resource: { 'service.name': 'svc', 'service.version': '1.2.3' },
  });
  expect(
    read({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://other/path',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b, x-tenant = one',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_SERVICE_NAME: 'decisions',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=prod%2Ceu,service.name=other',
    }),
  ).toEqual({
    url: 'https://other/path',
    protocol: 'http/json',
    headers: { 'api-key': 'a b', 'x-tenant': 'one' },
    gzip: true,
    timeoutMs: 500,
    sampler: { root: 'ratio', parentBased: false, ratio: 0.25 },
    resource: {
      'service.name': 'decisions',
      'service.version': '1.2.3',
      'deployment.environment': 'prod,eu',
    },
  });
});

it.each([
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '/v1/traces'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=a%0Ab'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'api key=a'],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '0'],
  ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd'],
  ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER', 'constructor'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=%'],
])('refuses %s=%s, and names it', (variable, value) => {
  expect(() => read({ [variable]: value })).toThrow(new RegExp(`^${variable}=`));
});

it('refuses a value that it does not support also without an endpoint', () => {
  const message = /^OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported/;
  expect(() => tracingSettings({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, '1')).toThrow(message);
  const off = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_SDK_DISABLED: 'true' };
  expect(tracingSettings(off, '1')).toBeUndefined();
});

it.each(['1.5', '-1', 'half'])('refuses to sample the part %s of the traces', (argument) => {
  const env = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: argument };
  expect(() => read(env)).toThrow(/^OTEL_TRACES_SAMPLER_ARG=/);
});

it('shows no credential in an error', () => {
  expect(() => read({ OTEL_EXPORTER_OTLP_HEADERS: 'hidden' })).toThrow(/^(?!.*hidden)/);
  expect(() => read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://u:hidden@h' })).toThrow(/^(?!.*hidden)/);
});
