/** Where traces are exported to, and which. */
export interface TracingSettings {
  /** Address of the receiver, with the path of its traces. */
  readonly url: string;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly headers: Readonly<Record<string, string>>;
  readonly gzip: boolean;
  /** For one export, in ms. */
  readonly timeoutMs: number;
  readonly sampler: Sampler;
  /** The resource; `service.name` is always set. */
  readonly resource: Readonly<Record<string, string>>;
}

export interface Sampler {
  readonly root: 'on' | 'off' | 'ratio';
  /** A caller's decision to sample decides. */
  readonly parentBased: boolean;
  /** The part of the traces, 0 to 1. */
  readonly ratio: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A variable has a value that cannot be used. The message names both. */
class TracingSettingsError extends Error {
  constructor(variable: string, value: string, reason: string) {
    super(`${variable}=${value.slice(0, MAX_SHOWN)} ${reason}`);
    this.name = 'TracingSettingsError';
  }
}

const MAX_SHOWN = 100;
const DEFAULT_ENDPOINT = 'http://localhost:4318';
const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 60_000;
/** Attributes of the resource, and headers. */
const MAX_PAIRS = 64;

/**
 * Reads the standard variables of the OTLP exporter (OpenTelemetry specification, "Environment variables" and "OTLP
 * exporter"). Undefined if neither an endpoint nor OTEL_TRACES_EXPORTER=otlp is set, or the SDK is disabled. An empty
 * variable counts as not set. `version` is that of svc. Throws TracingSettingsError for a value that cannot be used, also
 * without an endpoint: who sets OTEL_EXPORTER_OTLP_PROTOCOL=grpc alone expects traces at the standard address.
 */
export function tracingSettings(environment: Environment, version: string): TracingSettings | undefined {
  const get = (name: string) => environment[name]?.trim() || undefined;
  if (get('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const exporter = get('OTEL_TRACES_EXPORTER');
  if (exporter === 'none') return undefined;
  if (exporter !== undefined && exporter !== 'otlp')
    throw new TracingSettingsError('OTEL_TRACES_EXPORTER', exporter, 'is not supported: use otlp or none');
  const own = get('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const general = get('OTEL_EXPORTER_OTLP_ENDPOINT');
  /** The first variable that is set, and its value. */
  const either = (...names: string[]): [string, string] | undefined => {
    for (const name of names) {
      const value = get(name);
      if (value !== undefined) return [name, value];
    }
    return undefined;
  };
  const settings: TracingSettings = {
    url:
      own === undefined
        ? below(checkedUrl('OTEL_EXPORTER_OTLP_ENDPOINT', general ?? DEFAULT_ENDPOINT))
        : checkedUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', own).href,
    protocol: protocolOf(either('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL')),
    headers: headersOf(either('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS')),
    gzip: compressionOf(either('OTEL_EXPORTER_OTLP_TRACES_COMPRESSION', 'OTEL_EXPORTER_OTLP_COMPRESSION')),
    timeoutMs: timeoutOf(either('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT')),
    sampler: samplerOf(get('OTEL_TRACES_SAMPLER'), get('OTEL_TRACES_SAMPLER_ARG')),
    resource: resourceOf(get('OTEL_SERVICE_NAME'), get('OTEL_RESOURCE_ATTRIBUTES'), version),
  };
  return own === undefined && general === undefined && exporter === undefined ? undefined : settings;
}

function checkedUrl(variable: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new TracingSettingsError(
    variable,
    text.replace(/\/\/[^/]*@/, '//***@'),
    'is not an http or https URL',
  );
}

/** The path of traces below the address for all signals. */
function below(url: URL): string {
  const found = new URL(url);
  found.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return found.href;
}

function protocolOf(given: [string, string] | undefined): TracingSettings['protocol'] {
  if (given === undefined) return 'http/protobuf';
  const [variable, value] = given;
  if (value === 'http/protobuf' || value === 'http/json') return value;
  throw new TracingSettingsError(variable, value, 'is not supported: use http/protobuf or http/json');
}

function compressionOf(given: [string, string] | undefined): boolean {
  if (given === undefined || given[1] === 'none') return false;
  if (given[1] === 'gzip') return true;
  throw new TracingSettingsError(given[0], given[1], 'is not supported: use gzip or none');
}

function timeoutOf(given: [string, string] | undefined): number {
  if (given === undefined) return DEFAULT_TIMEOUT_MS;
  const [variable, value] = given;
  const ms = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (ms >= 1 && ms <= MAX_TIMEOUT_MS) return ms;
  throw new TracingSettingsError(
    variable,
    value,
    `is not a number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`,
  );
}

const SAMPLERS: Readonly<Record<string, Omit<Sampler, 'ratio'>>> = {
  always_on: { root: 'on', parentBased: false },
  always_off: { root: 'off', parentBased: false },
  traceidratio: { root: 'ratio', parentBased: false },
  parentbased_always_on: { root: 'on', parentBased: true },
  parentbased_always_off: { root: 'off', parentBased: true },
  parentbased_traceidratio: { root: 'ratio', parentBased: true },
};

function samplerOf(name = 'parentbased_always_on', argument = '1'): Sampler {
  const found = Object.hasOwn(SAMPLERS, name) ? SAMPLERS[name] : undefined;
  if (!found)
    throw new TracingSettingsError(
      'OTEL_TRACES_SAMPLER',
      name,
      `is not supported: use one of ${Object.keys(SAMPLERS).join(', ')}`,
    );
  if (found.root !== 'ratio') return { ...found, ratio: 1 };
  const ratio = /^(\d+(\.\d*)?|\.\d+)(e-?\d{1,3})?$/i.test(argument) ? Number(argument) : Number.NaN;
  if (ratio >= 0 && ratio <= 1) return { ...found, ratio };
  throw new TracingSettingsError('OTEL_TRACES_SAMPLER_ARG', argument, 'is not a number from 0 to 1');
}

function headersOf(given: [string, string] | undefined): Record<string, string> {
  if (given === undefined) return {};
  const [variable, text] = given;
  // The value may hold a credential: the error names only the variable.
  const fail = () =>
    new TracingSettingsError(variable, '…', 'is not a list such as name=value,other=value of valid headers');
  const headers = pairsOf(text, fail);
  for (const [name, value] of Object.entries(headers))
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value)) throw fail();
  return headers;
}

function resourceOf(
  name: string | undefined,
  attributes: string | undefined,
  version: string,
): Record<string, string> {
  const fail = () =>
    new TracingSettingsError(
      'OTEL_RESOURCE_ATTRIBUTES',
      attributes ?? '',
      'is not a list such as key=value,other=value',
    );
  const given = attributes === undefined ? {} : pairsOf(attributes, fail);
  return {
    'service.name': 'svc',
    'service.version': version,
    ...given,
    ...(name === undefined ? {} : { 'service.name': name }),
  };
}

/** Parses `key=value` pairs with percent-encoded values (W3C Baggage), without properties. Throws what `fail` returns. */
function pairsOf(text: string, fail: () => Error): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  if (pairs.length > MAX_PAIRS) throw fail();
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      const key = pair.slice(0, Math.max(at, 0)).trim();
      if (key === '') throw fail();
      try {
        return [key, decodeURIComponent(pair.slice(at + 1).trim())];
      } catch {
        throw fail();
      }
    }),
  );
}
