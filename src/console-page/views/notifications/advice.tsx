import type { VNode } from 'preact';
import { svcCommand } from '../../data/about.ts';
import { CommandButton } from '../../parts/command.tsx';

interface Hint {
  /** What to do, as a sentence. */
  readonly words: string;
  /** A view in which that is done, and what its link says. */
  readonly view?: readonly [href: string, title: string];
  /** A command that does it, and what the button says that opens it. */
  readonly command?: readonly [word: string, ...words: readonly string[]];
  /** It cannot be triggered again with success. */
  readonly final?: true;
}

const CATALOG = ['/catalog', 'Catalog'] as const;

/** What to do about failures, by how their reasons begin. */
const HINTS: readonly (readonly [prefix: string, hint: Hint])[] = [
  [
    'no_address',
    {
      words: 'Store an address of the user, or send it on a channel that reaches the user.',
      command: ['Store addresses', 'users', 'import', 'users.csv'],
    },
  ],
  ['uncertain', { words: 'Look at the provider whether it was sent before you trigger it again.' }],
  ['suppressed: bounce', { words: 'The address is dead: store another one.' }],
  ['suppressed', { words: 'Do not send it again: only the user can allow it.', final: true }],
  ['opted_out', { words: 'Do not send it again as marketing: only the user can allow it.', final: true }],
  ['not_opted_in', { words: 'Ask the user first, and store the consent.' }],
  ['expired', { words: 'Look below at what held it back, or allow more time.', view: CATALOG }],
  ['ended', { words: 'Set a later end of the template.', view: CATALOG }],
  [
    'the template cannot be filled',
    {
      words: 'A variable of its text is missing: give it in the trigger.',
      command: ['Try the text', 'notifications', 'preview', '--template', 'TEMPLATE', '--channel', 'CHANNEL'],
    },
  ],
  ['the template', { words: 'Write the text of the template for this channel.', view: CATALOG }],
  ['the user no longer exists', { words: 'There is nothing to do: the user was deleted.', final: true }],
];

/** Of what a provider said itself. */
const OF_PROVIDER: Hint = {
  words: 'The provider said so: look at its settings and at how it does.',
  view: ['/service', 'Service'],
};

const hintOf = (failure: string): Hint =>
  HINTS.find(([prefix]) => failure.startsWith(prefix))?.[1] ?? OF_PROVIDER;

/** False where triggering it again changes nothing. */
export const canSucceed = (failure: string): boolean => !hintOf(failure).final;

/** What to do about a failure: a sentence, and where there is one, the view or the command for it. */
export function Advice({ of }: { of: string }): VNode {
  const { words, view, command } = hintOf(of);
  const [word, ...line] = command ?? [''];
  return (
    <span class="advice">
      {words} {view && <a href={view[0]}>{view[1]}</a>}
      {command && (
        <CommandButton word={word} line={svcCommand(...line)}>
          By this command, with what is yours in it:
        </CommandButton>
      )}
    </span>
  );
}
