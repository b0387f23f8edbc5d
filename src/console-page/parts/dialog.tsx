import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure } from './states.tsx';

/** Asks before something is done that cannot be undone. Escape and Cancel leave everything as it is; Enter in a field does it. */
export function Confirm(props: {
  title: string;
  /** What the button says that does it. */
  verb: string;
  /** True for what takes something away. */
  danger?: boolean;
  /** True while there is nothing to do. */
  idle?: boolean;
  /** What is said beside the buttons. */
  hint?: ComponentChildren;
  /** What stands below the buttons, so that they are reached first. */
  foot?: ComponentChildren;
  run: () => Promise<unknown>;
  close: () => void;
  children: ComponentChildren;
}): VNode {
  const { title, verb, danger = false, idle = false, hint, run, close, children, foot } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  useEffect(() => dialog.current?.showModal(), []);
  const go = (event: SubmitEvent) => {
    event.preventDefault();
    if (busy || idle) return;
    setBusy(true);
    setError(undefined);
    run().then(
      // It gives the focus back to what opened it, which a dialog that is taken out does not.
      () => dialog.current?.close(),
      (failure: Error) => {
        setBusy(false);
        setError(failure);
      },
    );
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
          <button type="submit" class={danger ? 'primary danger' : 'primary'} disabled={busy || idle}>
            {busy ? 'Working…' : verb}
          </button>
          {hint}
        </div>
        {foot}
      </form>
    </dialog>
  );
}
