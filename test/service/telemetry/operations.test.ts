import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startTestService } from '../../support/process/service.ts';
import { exchange } from '../../support/scenarios/hostile-requests.ts';

const event = { userId: 'u1', event: 'opened', timestamp: '2026-01-01T00:00:00Z' };

/** The metrics in the expressions of deploy/grafana-dashboard.json. */
function dashboardMetrics(): Set<string> {
  const { panels } = JSON.parse(readFileSync('deploy/grafana-dashboard.json', 'utf8')) as {
    panels: { targets: { expr: string }[] }[];
  };
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  return new Set(expressions.flatMap((text) => text.match(/\b(?:svc|process|nodejs)_\w+/g) ?? []));
}

describe('operations', () => {
  it('exposes each metric of the dashboard, which has each metric of the service', async () => {
    const service = await startTestService({ metricsPort: 0 });
    await service.fetch('/v1/events', { body: { events: [event] } });
    const text = await (await fetch(service.metricsUrl!)).text();
    const exposed = new Map(
      [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name!, type!]),
    );
    const named = [...dashboardMetrics()].map((name) =>
      exposed.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''),
    );
    expect(named.filter((name) => !exposed.has(name))).toEqual([]);
    const own = [...exposed.keys()].filter((name) => name.startsWith('svc_'));
    expect(own.filter((name) => !named.includes(name))).toEqual([]);
    expect(own.length).toBeGreaterThan(5);
  });

  it('answers health checks without a key', async () => {
    const service = await startTestService({ metricsPort: 0 });
    const operations = service.metricsUrl!.replace('/metrics', '');
    for (const base of [service.url, operations]) {
      expect((await fetch(`${base}/healthz`)).status).toBe(200);
      expect((await fetch(`${base}/readyz`)).status).toBe(200);
    }
    expect((await fetch(`${operations}/v1/events`)).status).toBe(404);
    expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
  });

  it('answers health checks over HTTP/1.0 without a Host header', async () => {
    const service = await startTestService();
    const ask = (version: string, ...headers: string[]) =>
      exchange(Number(new URL(service.url).port), [
        [`GET /readyz HTTP/${version}`, ...headers, '', ''].join('\r\n'),
      ]);
    expect((await ask('1.0')).status).toBe(200);
    expect((await ask('1.1', 'connection: close')).status).toBe(400);
  });

  it('is live but not ready while the store does not answer', async () => {
    const service = await startTestService({ metricsPort: 0 });
    const { store } = service.platform;
    store.read = () => Promise.reject(new Error('away'));
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    expect(await (await fetch(service.metricsUrl!)).text()).toMatch(/^svc_store_up 0$/m);
  });

  it('counts requests by endpoint and status, and due work', async () => {
    const service = await startTestService({ metricsPort: 0, limits: { ingest: 1 } });
    for (let i = 0; i < 2; i++) await service.fetch('/v1/events', { body: { events: [event] } });
    const text = await (await fetch(service.metricsUrl!)).text();
    expect(text).toMatch(/^svc_http_requests_total\{endpoint="ingestEvents",status="202"\} 1$/m);
    expect(text).toMatch(/^svc_http_requests_total\{endpoint="ingestEvents",status="429"\} 1$/m);
    expect(text).toMatch(/^svc_http_request_duration_seconds_count\{endpoint="ingestEvents"\} 2$/m);
    expect(text).toMatch(/^svc_due_total\{kind="deliveries"\} 0$/m);
    expect(text).toMatch(/^svc_store_up 1$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
  });
});
