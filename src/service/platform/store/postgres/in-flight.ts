import { StoreUnavailable } from '../store.ts';
import type { Client } from './send.ts';

/** A statement of unknown workspaces that takes longer, in ms, counts as one that waits for a lost worker. */
const WAITING_MS = 1_000;

interface Sent {
  readonly client: Client;
  readonly workspaceId: string | undefined;
  readonly since: number;
}

/**
 * The statements of a process that wait for the answer of a distributed database. One that needs a worker that is silent
 * is not answered, and its coordinator does not even end it at the timeout of the statement: it waits for the worker to
 * cancel it. So its connection is closed from here, which leaves the others their part of the pool.
 */
export class InFlight {
  readonly #sent = new Set<Sent>();
  readonly #isUnreachable: (workspaceId: string) => boolean;

  /** `isUnreachable` says whether the worker of a workspace does not answer. */
  constructor(isUnreachable: (workspaceId: string) => boolean) {
    this.#isUnreachable = isUnreachable;
  }

  /**
   * Sends a statement, with `send`, which concerns rows of a workspace, or of none or several (undefined). Rejects with
   * StoreUnavailable at once if the workspace is out.
   */
  async send<T>(client: Client, workspaceId: string | undefined, send: () => Promise<T>): Promise<T> {
    if (workspaceId !== undefined && this.#isUnreachable(workspaceId))
      throw new StoreUnavailable(`the worker of ${workspaceId} does not answer`, undefined);
    const sent = { client, workspaceId, since: performance.now() };
    this.#sent.add(sent);
    try {
      return await send();
    } finally {
      this.#sent.delete(sent);
    }
  }

  /** Closes the connections whose statements wait for a worker that was lost. They reject with an error of the driver. */
  giveUp(): void {
    const late = performance.now() - WAITING_MS;
    for (const { client, workspaceId, since } of this.#sent)
      if (workspaceId === undefined ? since < late : this.#isUnreachable(workspaceId))
        client.connection?.stream.destroy();
  }
}
