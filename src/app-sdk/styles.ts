/** The style sheet of a message. A page changes it by the custom properties, and by the parts. */
export const STYLES = `
:host { display: block; }
* { box-sizing: border-box; }
.card, .embedded, dialog {
  color: var(--svc-color, #1b1f24);
  background: var(--svc-background, #fff);
  font: var(--svc-font, 16px/1.5 system-ui, sans-serif);
  border: var(--svc-border, 1px solid #8a929b);
  border-radius: var(--svc-radius, 12px);
  padding: 1rem;
  position: relative;
  overflow-wrap: anywhere;
}
.embedded { border-inline-width: 0; border-radius: 0; }
:host([floating]) { position: fixed; inset-block-end: 1rem; inset-inline-end: 1rem; width: min(24rem, calc(100vw - 2rem)); z-index: 2147483000; }
dialog { position: fixed; inset: 0; margin: auto; width: min(30rem, calc(100vw - 2rem)); max-height: calc(100dvh - 2rem); overflow: hidden; }
dialog[open] { display: flex; flex-direction: column; gap: .5rem; }
dialog::backdrop { background: rgb(0 0 0 / .55); }
.full-screen { width: 100vw; max-width: none; height: 100dvh; max-height: none; border: 0; border-radius: 0; justify-content: center; }
[part=texts] { overflow: auto; max-height: 60dvh; padding-inline-end: 2.5rem; border-radius: 4px; }
p { margin: 0 0 .5rem; white-space: pre-line; }
[part=title] { font-weight: 700; font-size: 1.15em; }
button { font: inherit; cursor: pointer; min-width: 44px; min-height: 44px; }
[part=action] { align-self: start; color: var(--svc-accent-color, #fff); background: var(--svc-accent, #0b57d0); border: 1px solid transparent; border-radius: 8px; padding: .4rem 1rem; max-width: 100%; }
[part=close] { position: absolute; inset-block-start: .25rem; inset-inline-end: .25rem; color: inherit; background: transparent; border: 0; border-radius: 8px; font-size: 1.4rem; line-height: 1; }
:focus-visible { outline: 3px solid var(--svc-focus, #0b57d0); outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  .card, .embedded, dialog { color: var(--svc-color, #e8eaed); background: var(--svc-background, #1f2226); border-color: #747b83; }
  [part=action] { color: var(--svc-accent-color, #06224f); background: var(--svc-accent, #a8c7fa); }
  :focus-visible { outline-color: var(--svc-focus, #a8c7fa); }
}
@media (prefers-reduced-motion: no-preference) {
  .card, .embedded, dialog { animation: in .2s ease-out; }
  @keyframes in { from { opacity: 0; transform: translateY(8px); } }
}
`;
