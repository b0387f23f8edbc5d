/** A count with separators: `1,100`. */
export const count = (n: number): string => n.toLocaleString('en-US');

/** A count that is short: `812`, `12.4 k`, `1.24 M`. The whole one belongs into the title. */
export function compact(n: number): string {
  if (n < 10_000) return count(n);
  const [value, unit] = n < 999_500 ? [n / 1e3, 'k'] : n < 999_500_000 ? [n / 1e6, 'M'] : [n / 1e9, 'G'];
  return `${value.toPrecision(3)} ${unit}`;
}

/** A size: `12.4 MB`. */
export const bytes = (n: number): string => (n < 10_000 ? `${count(n)} B` : `${compact(n)}B`);

/** A share in percent, with as many digits as tell small ones apart: `85 %`, `6.4 %`, `0.03 %`. */
export function percent(share: number): string {
  const value = share * 100;
  if (value === 0 || value >= 10) return `${count(Math.round(value))} %`;
  return `${value >= 0.1 ? value.toFixed(1) : value.toPrecision(1)} %`;
}

/** A difference of shares in percentage points, with its sign: `+12.1`. */
export const points = (share: number): string =>
  `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)}`;

/** A rate or score in three digits, with more for small ones: `0.352`, `0.00042`. */
export const score = (n: number): string =>
  Math.abs(n) < 0.001 && Math.abs(n) >= 1e-6 ? n.toPrecision(2) : n.toFixed(3);

/** `1 item`, `2 items`. */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;

/** What the engines of the store are called. */
export const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
