import { signal } from '@preact/signals';

/** Where the token is kept: in this tab, for this origin, until the tab is closed. */
const KEY = 'svc-console-token';

/** Where a new tab asks the open ones of this origin for the session, so that a link can be opened in one. */
const TABS = 'svc-console-session';
const ASK_MS = 300;
const tabs = new BroadcastChannel(TABS);

/** Whether the page may talk to the console: `ended` needs a new code from `svc console`. */
export const session = signal<'open' | 'ended'>('ended');

/** The token of this tab, which every request carries in `x-console-token`. */
export const token = (): string | null => sessionStorage.getItem(KEY);

tabs.onmessage = ({ data }: MessageEvent<{ ask?: true; ended?: string }>) => {
  if (data.ask && session.value === 'open') tabs.postMessage({ token: token() });
  if (data.ended === token()) forget();
};

/** Takes the token of the open tab that answers first; returns without one if none does soon. */
const askTabs = () =>
  new Promise<void>((resolve) => {
    const asking = new BroadcastChannel(TABS);
    const done = () => {
      asking.close();
      resolve();
    };
    asking.onmessage = ({ data }: MessageEvent<{ token?: unknown }>) => {
      if (typeof data.token !== 'string') return;
      sessionStorage.setItem(KEY, data.token);
      done();
    };
    asking.postMessage({ ask: true });
    setTimeout(done, ASK_MS);
  });

/**
 * Exchanges the code in the fragment for a token. Without one, or if it is not good, goes on with the token that the tab
 * has, or that another has: the console ends that session if it does not know the token.
 */
export async function openSession(): Promise<void> {
  const code = /^#code=([\w-]{1,200})$/.exec(location.hash)?.[1];
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  if (code !== undefined) {
    const answer = await fetch('/console/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    const given = answer.ok ? ((await answer.json()) as { token?: unknown }).token : undefined;
    if (typeof given === 'string') sessionStorage.setItem(KEY, given);
  } else if (token() === null) await askTabs();
  session.value = token() === null ? 'ended' : 'open';
}

/** Forgets a token that the console no longer accepts, in all tabs that have it. */
export function endSession(): void {
  tabs.postMessage({ ended: token() });
  forget();
}

function forget(): void {
  sessionStorage.removeItem(KEY);
  session.value = 'ended';
}
