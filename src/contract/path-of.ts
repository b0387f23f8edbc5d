import type { EndpointName } from './endpoints.ts';
import { OPERATIONS } from './operations.gen.ts';

/** Fills the `{name}` parameters of an endpoint's path. Throws if one is missing, which is a bug in the caller. */
export function pathOf(name: EndpointName, params: Record<string, string> = {}): string {
  return OPERATIONS[name].path.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = params[key];
    if (value === undefined) throw new Error(`path parameter ${key} of ${name} is missing`);
    return encodeURIComponent(value);
  });
}
