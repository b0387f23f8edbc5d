import type { VNode } from 'preact';
import { Text } from './text.tsx';

export interface PreviewedMessage {
  readonly format: string;
  readonly title: string;
  readonly body: string;
}

/**
 * A message as an app would render it, in the frame of a phone: a card in the feed, a modal above it, embedded in a page, or
 * over the whole screen. What it says is read as one; the frame is decoration.
 */
export function MessagePreview({ message }: { message: PreviewedMessage }): VNode {
  const { format, title, body } = message;
  return (
    <figure class={`phone ${FORMATS.has(format) ? format : 'card'}`}>
      <div class="screen">
        <div class="app-bar" aria-hidden="true" />
        <div class="feed" aria-hidden="true">
          <span />
          <span />
        </div>
        <div class="message">
          <p class="message-title">
            <Text of={title} />
          </p>
          <p>
            <Text of={body} />
          </p>
          <span class="call" aria-hidden="true">
            Open
          </span>
        </div>
        <div class="feed rest" aria-hidden="true">
          <span />
          <span />
          <span />
        </div>
      </div>
      <figcaption class="visually-hidden">As {format} in an app</figcaption>
    </figure>
  );
}

const FORMATS: ReadonlySet<string> = new Set(['card', 'modal', 'embedded', 'full-screen']);
