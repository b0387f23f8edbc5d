import { signal } from '@preact/signals';

/** Where the token is kept: in this tab, for this origin, until the tab is closed. */
const KEY = 'svc-console-token';

/** Whether the page may talk to the console: `ended` needs a new code from `svc console`. */
export const session = signal<'open' | 'ended'>('ended');

/** The token of this tab, which every request carries in `x-console-token`. */
export const token = (): string | null => sessionStorage.getItem(KEY);

/**
 * Exchanges the code in the fragment for a token. Without one, or if it is not good, goes on with the token that the tab
 * has: the console ends that session if it does not know the token.
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
  }
  session.value = token() === null ? 'ended' : 'open';
}

/** Forgets a token that the console no longer accepts. */
export function endSession(): void {
  sessionStorage.removeItem(KEY);
  session.value = 'ended';
}
