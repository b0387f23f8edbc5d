import type { Random } from '../../src/kit/random.ts';

/** A database, as far as it holds the workspace that moves. */
interface Cell {
  rows: Set<number>;
  state: 'absent' | 'incoming' | 'open' | 'frozen';
  /** Of the last move that it took part in. */
  epoch: number;
}

/** What the directory says: one row, changed by compare and set on its epoch. */
interface Entry {
  cell: number;
  epoch: number;
  movingTo: number | undefined;
}

/** A process that carries out a move. It keeps nothing that is needed after it is killed. */
interface Mover {
  readonly epoch: number;
  readonly from: number;
  readonly to: number;
  caughtUp: boolean;
}

export interface MovingReport {
  readonly accepted: number;
  /** Answers that were lost, so that the client repeated the request under its key. */
  readonly repeated: number;
  readonly moves: number;
  readonly kills: number;
  readonly abandoned: number;
  /** Rows that were acknowledged and are missing, or that an erasure removed and are back. */
  readonly wrong: number;
}

const NODES = 3;

/**
 * Runs one random schedule of writes, erasures, moves, kills of the mover, second movers and moves that are given up, with nodes that
 * route by what they remember of the directory. `fenced`: cells compare the epoch of each request and copy with theirs, and take copies only
 * before they open.
 */
export function runSchedule(random: Random, steps: number, fenced: boolean): MovingReport {
  const pick = (n: number) => Math.floor(random() * n);
  const cells: Cell[] = [0, 1].map((n) => ({
    rows: new Set(),
    state: n === 0 ? 'open' : 'absent',
    epoch: 0,
  }));
  let entry: Entry = { cell: 0, epoch: 0, movingTo: undefined };
  const nodes: Entry[] = Array.from({ length: NODES }, () => entry);
  let movers: Mover[] = [];
  const expected = new Set<number>();
  const counts = { accepted: 0, repeated: 0, moves: 0, kills: 0, abandoned: 0 };
  let nextRow = 0;

  /** Routes a request by a node's memory; returns the cell that takes it, or undefined for a 503. */
  const route = (node: number): Cell | undefined => {
    const known = nodes[node]!;
    const cell = cells[known.cell]!;
    const current = !fenced || cell.epoch === known.epoch;
    if (cell.state === 'open' && current) return cell;
    nodes[node] = entry;
    return undefined;
  };
  const write = () => {
    const row = nextRow++;
    // The client repeats the request until it has an answer, perhaps through another node.
    for (let tries = 0; tries < 4; tries++) {
      const cell = route(pick(NODES));
      if (!cell) continue;
      cell.rows.add(row);
      expected.add(row);
      if (random() < 0.8) {
        counts.accepted++;
        return;
      }
      counts.repeated++;
    }
  };
  const erase = () => {
    const cell = route(pick(NODES));
    const row = [...(cell?.rows ?? [])][pick(cell?.rows.size ?? 0)];
    if (!cell || row === undefined) return;
    cell.rows.delete(row);
    expected.delete(row);
  };
  const begin = () => {
    if (entry.movingTo !== undefined) return;
    const to = 1 - entry.cell;
    entry = { ...entry, epoch: entry.epoch + 1, movingTo: to };
    cells[entry.cell]!.epoch = entry.epoch;
    // What an earlier move left there is removed.
    cells[to] = { rows: new Set(), state: 'incoming', epoch: entry.epoch };
    movers.push(moverOf(entry));
  };
  /** Gives a move up: the old cell opens again under a new epoch, which shuts out the mover. */
  const abandon = () => {
    if (entry.movingTo === undefined) return;
    counts.abandoned++;
    entry = { cell: entry.cell, epoch: entry.epoch + 1, movingTo: undefined };
    cells[entry.cell] = { ...cells[entry.cell]!, state: 'open', epoch: entry.epoch };
  };
  const proceed = (mover: Mover) => {
    const [from, to] = [cells[mover.from]!, cells[mover.to]!];
    const stale = from.epoch !== mover.epoch || to.epoch !== mover.epoch;
    // A cell takes a copy only before it opens: a second mover may still be at work then.
    if (fenced && (stale || to.state !== 'incoming')) {
      movers = movers.filter((other) => other !== mover);
      return;
    }
    if (from.state === 'open') {
      // Passes of the copy, while the workspace is in use.
      for (const row of from.rows) if (random() < 0.3) to.rows.add(row);
      if (random() < 0.4) from.state = 'frozen';
    } else if (!mover.caughtUp) {
      to.rows = new Set(from.rows);
      mover.caughtUp = true;
    } else {
      to.state = 'open';
      if (entry.epoch === mover.epoch || !fenced) {
        entry = { cell: mover.to, epoch: mover.epoch, movingTo: undefined };
        counts.moves++;
      }
      movers = movers.filter((other) => other !== mover);
    }
  };

  for (let step = 0; step < steps; step++) {
    const what = random();
    if (what < 0.5) write();
    else if (what < 0.55) erase();
    else if (what < 0.6) begin();
    else if (what < 0.62) abandon();
    else if (what < 0.66 && movers.length > 0) {
      // Killed, or only believed dead: then it goes on beside the one that takes over.
      const lost = pick(movers.length);
      if (random() < 0.5) movers.splice(lost, 1);
      counts.kills++;
      if (entry.movingTo !== undefined) movers.push(moverOf(entry));
    } else if (movers.length > 0) proceed(movers[pick(movers.length)]!);
  }
  const { rows } = cells[entry.cell]!;
  const missing = [...expected].filter((row) => !rows.has(row)).length;
  const back = [...rows].filter((row) => !expected.has(row)).length;
  return { ...counts, wrong: missing + back };
}

function moverOf({ epoch, cell, movingTo }: Entry): Mover {
  return { epoch, from: cell, to: movingTo!, caughtUp: false };
}
