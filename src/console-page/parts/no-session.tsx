import type { VNode } from 'preact';
import { about, svcCommand } from '../data/about.ts';
import { Command } from './command.tsx';

/** What a page without a valid token shows: how to get a new code. */
export function NoSession(): VNode {
  return (
    <main class="no-session">
      <h1>This page needs a new code</h1>
      <p>
        A code opens the console once, within five minutes. This one was used, has expired, or is of a console
        that was stopped. Run this, and open the address that it prints:
      </p>
      <Command line={svcCommand('console')} />
      {!about.value && (
        <p class="note">
          Where no profile is chosen, add --profile with its name: --profile local is the service of this
          machine.
        </p>
      )}
    </main>
  );
}
