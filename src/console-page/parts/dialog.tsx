import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure } from './states.tsx';

/** Asks before something is done that cannot be undone. Escape and Cancel leave everything as it is; Enter in a field does it. */
export function Confirm(props: {
  title: string;
  /** What the button says that does it. */
  verb: string;
  run: () => Promise<unknown>;
  close: () => void;
  children: ComponentChildren;
}): VNode {
  const { title, verb, run, close, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  useEffect(() => dialog.current?.showModal(), []);
  const go = (event: SubmitEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    run().then(close, (failure: Error) => {
      setBusy(false);
      setError(failure);
    });
  };
  return (
    <dialog ref={dialog} aria-label={title} onClose={close}>
      <form onSubmit={go}>
        <h2>{title}</h2>
        {children}
        {error && <Failure error={error} />}
        <div class="actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={busy}>
            {busy ? 'Working…' : verb}
          </button>
        </div>
      </form>
    </dialog>
  );
}
