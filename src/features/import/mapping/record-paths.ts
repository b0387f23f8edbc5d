import { elementsOf, membersOf } from '../../../kit/json/json-members.ts';

/** Nesting that is deeper is left as it is. */
export const MAX_DEPTH = 64;

/** What was found in a record: the text of the value in each slot, and a path that occurred twice. */
export interface Found {
  readonly values: (string | undefined)[];
  repeated: string | undefined;
}

/** Where the value of a path goes: into a slot, and whether it stays in the record too. */
interface Slot {
  readonly index: number;
  readonly stays: boolean;
}

/**
 * Finds the values of dotted paths in JSON objects: `actor.login`, `items.0.id`. A name that contains points is found by
 * the same path.
 */
export class RecordPaths {
  private readonly slots = new Map<string, Slot>();
  private readonly dropped: ReadonlySet<string>;
  private readonly beginnings = new Set<string>();

  /** Values of `taken` are removed from the record, those of `read` stay; `dropped` are removed unread. */
  constructor(taken: readonly string[], read: readonly string[], dropped: ReadonlySet<string>) {
    for (const path of taken) this.add(path, false);
    for (const path of read) this.add(path, true);
    this.dropped = dropped;
    for (const path of [...taken, ...read, ...dropped])
      for (let at = path.indexOf('.'); at > 0; at = path.indexOf('.', at + 1))
        this.beginnings.add(path.slice(0, at));
  }

  /** Makes the result of a search. */
  nothing(): Found {
    return { values: new Array<string | undefined>(this.slots.size).fill(undefined), repeated: undefined };
  }

  /** Returns the value that was found at a path that was given to the constructor. */
  valueAt(path: string, { values }: Found): string | undefined {
    return values[this.slots.get(path)!.index];
  }

  /**
   * Puts the text of a value in its slot, and those of the values inside. Returns the text of what stays in the record,
   * undefined if nothing does.
   */
  take(path: string, value: string, found: Found, depth = 0): string | undefined {
    if (this.dropped.has(path)) return undefined;
    const slot = this.slots.get(path);
    if (slot) {
      if (found.values[slot.index] !== undefined) found.repeated = path;
      found.values[slot.index] = value;
      return slot.stays ? value : undefined;
    }
    if (depth >= MAX_DEPTH || !this.beginnings.has(path)) return value;
    if (value[0] === '{') return this.takeMembers(path, value, found, depth);
    // What is found in an array stays: its elements keep their places.
    if (value[0] === '[')
      for (const { name, start, end } of elementsOf(value))
        this.take(`${path}.${name}`, value.slice(start, end), found, depth + 1);
    return value;
  }

  private takeMembers(path: string, value: string, found: Found, depth: number): string | undefined {
    const left: string[] = [];
    const members = membersOf(value);
    let changed = false;
    for (const { name, at, start, end } of members) {
      const inner = value.slice(start, end);
      const rest = this.take(`${path}.${name}`, inner, found, depth + 1);
      if (rest !== inner) changed = true;
      if (rest !== undefined) left.push(value.slice(at, start) + rest);
    }
    if (!changed) return value;
    return left.length === 0 ? undefined : `{${left.join(',')}}`;
  }

  /** Returns whether any value inside may be of interest. */
  concerns(path: string): boolean {
    return this.slots.has(path) || this.dropped.has(path) || this.beginnings.has(path);
  }

  private add(path: string, stays: boolean): void {
    if (!this.slots.has(path)) this.slots.set(path, { index: this.slots.size, stays });
  }
}
