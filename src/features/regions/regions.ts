import type { Profile } from '../../profiles/profiles.ts';

/** A regional base URL and the profiles that use it. */
export interface Region {
  /** Null if the profiles name no region. */
  readonly region: string | null;
  readonly baseUrl: string;
  readonly profiles: readonly string[];
}

/** The regions of all profiles: each address once, sorted by region. */
export function regionsOf(profiles: Readonly<Record<string, Profile>>): Region[] {
  const found = new Map<string, { region: string | null; baseUrl: string; profiles: string[] }>();
  for (const [name, { region = null, baseUrl }] of Object.entries(profiles)) {
    const address = baseUrl.replace(/\/+$/, '');
    const key = JSON.stringify([region, address]);
    const known = found.get(key) ?? { region, baseUrl: address, profiles: [] };
    known.profiles.push(name);
    found.set(key, known);
  }
  return [...found.values()].sort((a, b) => {
    const [left, right] = [a, b].map((one) => `${one.region ?? '\uffff'} ${one.baseUrl}`) as [string, string];
    return left < right ? -1 : 1;
  });
}
