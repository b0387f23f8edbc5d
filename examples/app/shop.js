const find = (selector) => document.querySelector(selector);
const post = async (path) => (await fetch(path, { method: 'POST' })).json();
let last;
/** Adds a step of the loop, with the milliseconds since the step before. */
function step(kind, text) {
  const now = performance.now();
  find('#loop').appendChild(document.createElement('li')).textContent = `${kind}: ${text} (${Math.round(now - (last ?? now))} ms)`;
  last = now;
}
const visits = JSON.parse(sessionStorage.visits ?? '[]'); // Those before the last reload.
function count(...more) {
  visits.push(...more);
  sessionStorage.visits = JSON.stringify(visits);
  find('#choices').replaceChildren();
  for (const id of ['kettle', 'lamp', 'mug']) {
    const some = [visits.slice(0, 25), visits.slice(-25), visits.filter(({ tapped }) => tapped)];
    const row = find('#choices').insertRow();
    row.insertCell().textContent = id;
    for (const part of some) row.insertCell().textContent = part.filter(({ contentId }) => contentId === id).length;
  }
}
async function arrive() {
  const app = svc.createApp({
    ...(await post('/visitor')),
    user: async () => (await post('/token')).token,
    onAction: (message) => step('tap', message.contentId),
  });
  app.start();
  for (const button of document.querySelectorAll('.products button'))
    button.onclick = async () => {
      last = performance.now();
      await app.track('product_viewed', { product: button.textContent });
      await app.flush();
    };
}
arrive().then(() => count());
new EventSource('/loop').onmessage = ({ data }) => {
  const { kind, text, ...visit } = JSON.parse(data);
  if (kind === 'visit') return count(visit);
  step(kind, text);
  if (kind !== 'decision') return;
  const slot = document.createElement('svc-slot');
  slot.setAttribute('surface', 'shop');
  const appeared = () => slot.shadowRoot.childElementCount && step('message', visit.contentId);
  new MutationObserver(appeared).observe(slot.shadowRoot, { childList: true });
  find('#place').replaceChildren(slot);
};
find('#hundred').onclick = () => post('/visits');
find('#again').onclick = () => location.reload();
