/** One of `count` equal parts; `index` starts at 0. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}
