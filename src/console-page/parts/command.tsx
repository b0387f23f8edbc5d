import type { ComponentChildren, VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { escapedJson, Text } from './text.tsx';

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

/** A button for what the page leaves to a command: it opens that command, with what it does. */
export function CommandButton(props: { word: string; line: string; children: ComponentChildren }): VNode {
  const { word, line, children } = props;
  const id = useId();
  return (
    <>
      <button type="button" class="opens-command" popovertarget={id}>
        {word}…
      </button>
      <div class="meaning" popover="auto" id={id}>
        <p>{children}</p>
        <Command line={line} label={word} />
      </div>
    </>
  );
}

/** A button that copies a command: short, for toolbars. The command is in its title. */
export function CopyCommand({ line }: { line: string }): VNode {
  return <CopyButton text={line} label="Copy as svc command" wide />;
}

/** A value as indented JSON, with a button that copies it. `label` says what is copied. */
export function Json({ of, label }: { of: unknown; label: string }): VNode {
  const text = escapedJson(of);
  return (
    <div class="command json">
      <pre>
        <Text of={text} />
      </pre>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
  );
}

/** A button that copies a text, which is in its title. */
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
