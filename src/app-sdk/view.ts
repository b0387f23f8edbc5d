import type { Message, MessageAction } from '../../types/app.d.mts';
import { STYLES } from './styles.ts';

/** What a view shows, and what it tells of. */
export interface ViewParts {
  readonly message: Message;
  readonly action: MessageAction | undefined;
  /** Origins to which an action may lead, besides https of this page's own and paths. */
  readonly allowed: readonly string[];
  readonly labels: { readonly action: string; readonly close: string };
  readonly seenMs: number;
  readonly onOpened: () => void;
  readonly onDismissed: () => void;
  /** `follow` leads to where the action leads, if it leads anywhere. */
  readonly onClicked: (follow: (() => void) | undefined) => void;
}

let sheet: CSSStyleSheet | undefined;

/** Constructed once: a strict Content-Security-Policy admits no style elements or attributes. */
function styles(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
  }
  return sheet;
}

/** Makes an element with a part by which the page styles it. Text stays text. */
function make<K extends keyof HTMLElementTagNameMap>(tag: K, part: string, text?: string) {
  const element = document.createElement(tag);
  element.setAttribute('part', part);
  if (text !== undefined) {
    element.textContent = text;
    element.dir = 'auto';
  }
  return element;
}

/** What elements extend; where there is no page, as on a server that renders one, the module can still be imported. */
export const Element = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/** `<svc-message>`: one message as a card, embedded, a modal or over the whole screen. */
export class MessageView extends Element {
  readonly #parts: ViewParts;
  #observer: IntersectionObserver | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #box: HTMLElement | undefined;
  /** What had the focus before this message. */
  #before: EventTarget | null = null;

  constructor(parts: ViewParts) {
    super();
    this.#parts = parts;
    this.addEventListener('focusin', ({ relatedTarget }) => {
      this.#before = relatedTarget;
    });
  }

  connectedCallback(): void {
    if (!this.#box) this.#build();
    const box = this.#box!;
    const texts = box.firstElementChild as HTMLElement;
    if (box instanceof HTMLDialogElement && !box.open) box.showModal();
    // What is too long is scrolled, also with the keyboard.
    if (texts.scrollHeight > texts.clientHeight) {
      texts.tabIndex = 0;
      texts.setAttribute('role', 'group');
      texts.setAttribute('aria-labelledby', 'title');
    }
    this.#watch(box);
  }

  disconnectedCallback(): void {
    this.#observer?.disconnect();
    clearTimeout(this.#timer);
  }

  /** Leaves the page, and gives the focus, if it has it, back to where it was. */
  leave(): void {
    const before = this.matches(':focus-within') ? this.#before : null;
    if (this.#box instanceof HTMLDialogElement) this.#box.close();
    this.remove();
    if (before instanceof HTMLElement) before.focus();
  }

  #build(): void {
    const { message, action, labels } = this.#parts;
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [styles()];
    const isDialog = message.format === 'modal' || message.format === 'full-screen';
    const box = make(isDialog ? 'dialog' : 'section', 'message');
    box.className = message.format;
    box.setAttribute('aria-labelledby', 'title');
    const title = make('p', 'title', message.title);
    title.id = 'title';
    const body = make('p', 'body', message.body);
    if (isDialog) {
      box.setAttribute('aria-describedby', 'body');
      body.id = 'body';
      // Escape, and the gesture for going back.
      box.addEventListener('cancel', (event) => {
        event.preventDefault();
        this.#parts.onDismissed();
      });
    }
    const open = make('button', 'action', action?.label ?? labels.action);
    open.type = 'button';
    open.onclick = () => this.#parts.onClicked(this.#follow());
    const close = make('button', 'close', '×');
    close.type = 'button';
    close.setAttribute('aria-label', labels.close);
    close.onclick = () => this.#parts.onDismissed();
    const texts = make('div', 'texts');
    texts.append(title, body);
    box.append(texts, open, close);
    root.append(box);
    this.#box = box;
  }

  /** What follows the action's URL; undefined if it has none, or one that is not allowed. */
  #follow(): (() => void) | undefined {
    const url = allowedUrl(this.#parts.action?.url, this.#parts.allowed);
    return url === undefined ? undefined : () => location.assign(url);
  }

  /** Tells once that at least half of the message was visible for a while. */
  #watch(box: HTMLElement): void {
    let opened = false;
    let half = false;
    const changed = () => {
      clearTimeout(this.#timer);
      if (!half || opened) return;
      this.#timer = setTimeout(() => {
        if (document.visibilityState === 'hidden') return changed();
        opened = true;
        this.#observer?.disconnect();
        this.#parts.onOpened();
      }, this.#parts.seenMs);
    };
    this.#observer = new IntersectionObserver(
      (entries) => {
        const { isIntersecting, intersectionRatio, intersectionRect } = entries.at(-1)!;
        // Of what is larger than the screen, half of the screen counts.
        const screen = innerWidth * innerHeight;
        const area = intersectionRect.width * intersectionRect.height;
        half = isIntersecting && (intersectionRatio >= 0.5 || area >= screen / 2);
        changed();
      },
      { threshold: [0, 0.1, 0.25, 0.5, 0.75, 1] },
    );
    this.#observer.observe(box);
  }
}

/** A URL to which an action may lead: a path of this origin, or https of an origin that is allowed. */
function allowedUrl(url: string | undefined, allowed: readonly string[]): string | undefined {
  if (url === undefined) return undefined;
  try {
    const { protocol, origin, href, username } = new URL(url, location.href);
    if (username !== '' || !/^https?:$/.test(protocol)) return undefined;
    if (origin === location.origin) return href;
    return protocol === 'https:' && allowed.includes(origin) ? href : undefined;
  } catch {
    return undefined;
  }
}

if (globalThis.customElements && !customElements.get('svc-message'))
  customElements.define('svc-message', MessageView);
