import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { Text } from './text.tsx';

/** A command line that does the same as the view, with a button that copies it. */
export function Command({ line, label = 'As a command' }: { line: string; label?: string }): VNode {
  return (
    <div class="command">
      <code>
        {line.split(' ').flatMap((word, index) => [
          index > 0 && ' ',
          <span class="word">
            <Text of={word} />
          </span>,
        ])}
      </code>
      <CopyButton text={line} label={`Copy: ${label}`} />
    </div>
  );
}

/** A button that copies a command: short, for toolbars. The command is in its title. */
export function CopyCommand({ line }: { line: string }): VNode {
  return <CopyButton text={line} label="Copy as svc command" wide />;
}

function CopyButton(props: { text: string; label: string; wide?: boolean }): VNode {
  const [state, setState] = useState<'' | 'Copied' | 'Copying was refused by the browser'>('');
  const copy = () =>
    navigator.clipboard.writeText(props.text).then(
      () => setState('Copied'),
      () => setState('Copying was refused by the browser'),
    );
  return (
    <button
      type="button"
      class={props.wide ? 'copy' : 'copy icon-only'}
      title={props.text}
      aria-label={props.wide ? undefined : props.label}
      onClick={copy}
      onBlur={() => setState('')}
    >
      <Icon name={state === 'Copied' ? 'check' : 'copy'} />
      {props.wide && <span>{state || props.label}</span>}
      {!props.wide && (
        <span class="visually-hidden" role="status">
          {state}
        </span>
      )}
    </button>
  );
}
