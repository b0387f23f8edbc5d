import { render } from 'preact';
import { App } from './app.tsx';
import { restoreAbout } from './data/about.ts';
import { endSession, openSession } from './data/session.ts';

const open = () => openSession().catch(endSession);
// Until then, what the document has stands in for the page.
open().then(() => {
  restoreAbout();
  const place = document.getElementById('console')!;
  place.replaceChildren();
  render(<App />, place);
});
// A new address in the tab of an old one changes only the fragment: the page is not loaded again.
addEventListener('hashchange', open);
