import type { Display, Place } from './display.ts';
import { Element, type MessageView } from './view.ts';

const current: { display: Display | undefined } = { display: undefined };
const waiting = new Set<Slot>();

/** `<svc-slot surface="home">`: a place of the page for the messages of a surface. Empty, it takes no room. */
class Slot extends Element implements Place {
  static readonly observedAttributes = ['surface'];
  readonly #root = this.attachShadow({ mode: 'open' });
  #on: Display | undefined;

  get surface(): string {
    return this.getAttribute('surface') ?? '';
  }

  connectedCallback(): void {
    waiting.add(this);
    this.enter();
  }

  disconnectedCallback(): void {
    waiting.delete(this);
    this.#leave();
  }

  /** What is shown belongs to the surface before. */
  attributeChangedCallback(_: string, before: string | null, now: string | null): void {
    if (!this.#on || before === now) return;
    this.#leave();
    this.enter();
  }

  #leave(): void {
    this.#on?.remove(this);
    this.#on = undefined;
    this.fill(undefined);
  }

  /** Joins the display, once there is one. */
  enter(): void {
    this.#on = current.display;
    this.#on?.add(this);
  }

  fill(view: MessageView | undefined): void {
    this.#root.replaceChildren(...(view ? [view] : []));
  }
}

/** Defines the element, and gives its slots to the display of an app. */
export function defineSlot(display: Display): void {
  current.display = display;
  if (customElements.get('svc-slot')) for (const slot of waiting) slot.enter();
  else customElements.define('svc-slot', Slot);
}
