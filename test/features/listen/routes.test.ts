import { describe, expect, it } from 'vitest';
import { parseRoutes, RouteError, routeFor } from '../../../src/features/listen/routes.ts';

const read = (...values: string[]) => parseRoutes(values).map(({ kind, url }) => [kind, url.href]);

describe('routes', () => {
  it.each([
    ['http://localhost:3000/hook', undefined, 'http://localhost:3000/hook'],
    ['campaign.clicked=https://example.com/a?b=c', 'campaign.clicked', 'https://example.com/a?b=c'],
    ['http://localhost:3000/?kind=x', undefined, 'http://localhost:3000/?kind=x'],
    ['3000', undefined, 'http://127.0.0.1:3000/'],
    [':3000/hook', undefined, 'http://127.0.0.1:3000/hook'],
    ['localhost:3000/hook', undefined, 'http://localhost:3000/hook'],
    ['decision.actioned=8080', 'decision.actioned', 'http://127.0.0.1:8080/'],
  ])('%s', (value, kind, url) => {
    expect(read(value)).toEqual([[kind, url]]);
  });

  it.each(['', 'http://', 'ftp://example.com', 'campaign.clicked=', 'file:///etc/passwd', 'http://[::1'])(
    'refuses %j',
    (value) => expect(() => parseRoutes([value])).toThrow(RouteError),
  );

  it('refuses two targets for the same kind', () => {
    expect(() => parseRoutes(['a.b=1', 'a.b=2'])).toThrow('two targets for a.b');
    expect(() => parseRoutes(['3000', '3001'])).toThrow('without a kind');
  });

  it('prefers the route of the kind to the one without a kind', () => {
    const routes = parseRoutes(['1', 'a.b=2']);
    expect(routeFor(routes, 'a.b')?.url.port).toBe('2');
    expect(routeFor(routes, 'other')?.url.port).toBe('1');
    expect(routeFor(routes, undefined)?.url.port).toBe('1');
    expect(routeFor(routes.slice(1), 'other')).toBeUndefined();
  });
});
