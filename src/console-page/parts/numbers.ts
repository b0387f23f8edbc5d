/** A count with separators: `1,100`. */
export const count = (n: number): string => n.toLocaleString('en-US');

/** A share in percent, with as many digits as tell small ones apart: `85 %`, `6.4 %`, `0.03 %`. */
export function percent(share: number): string {
  const value = share * 100;
  if (value === 0 || value >= 10) return `${Math.round(value)} %`;
  return `${value >= 0.1 ? value.toFixed(1) : value.toPrecision(1)} %`;
}

/** A rate or score in three digits: `0.352`. */
export const score = (n: number): string => n.toFixed(3);

/** `1 item`, `2 items`. */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;
