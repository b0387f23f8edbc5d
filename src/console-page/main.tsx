import { render } from 'preact';
import { App } from './app.tsx';
import { openSession, session } from './data/session.ts';
import { restoreScheme } from './parts/sidebar.tsx';

restoreScheme();
render(<App />, document.getElementById('console')!);
const open = () =>
  openSession().catch(() => {
    session.value = 'ended';
  });
open();
// A new address in the tab of an old one changes only the fragment: the page is not loaded again.
addEventListener('hashchange', open);
