import { render } from 'preact';
import { App } from './app.tsx';
import { openSession, session } from './data/session.ts';
import { restoreScheme } from './parts/sidebar.tsx';

restoreScheme();
render(<App />, document.getElementById('console')!);
openSession().catch(() => {
  session.value = 'ended';
});
