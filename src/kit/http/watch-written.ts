import type { Dispatcher } from 'undici';

/** A dispatcher for one request, and what is known of that request. */
export interface WatchedDispatcher {
  readonly dispatcher: Dispatcher;
  /** True from the first byte of the request that is written to a connected socket, TLS included. */
  written(): boolean;
}

/**
 * Watches whether anything of a request was written. Only then may the other side have received it, whatever error
 * follows: the code of an error does not say whether it was raised before or after.
 */
export function watchWritten(dispatcher: Dispatcher): WatchedDispatcher {
  let written = false;
  const dispatch: Dispatcher['dispatch'] = (options, handler) => {
    const onConnect = handler.onConnect?.bind(handler);
    // Of a handler of another kind nothing can be said.
    if (!onConnect) written = true;
    // undici calls it when it has a connection, and writes the request unless it is aborted meanwhile.
    handler.onConnect = (abort) => {
      let aborted = false;
      onConnect?.((error) => {
        aborted = true;
        abort(error);
      });
      written = !aborted;
    };
    return dispatcher.dispatch(options, handler);
  };
  return { dispatcher: { dispatch } as Dispatcher, written: () => written };
}
