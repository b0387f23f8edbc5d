import type { VNode } from 'preact';
import { Component } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { LocationProvider, useLocation } from 'preact-iso/router';
import { about, faultsOn, refreshAbout, svcCommand } from './data/about.ts';
import { reach } from './data/api.ts';
import { session } from './data/session.ts';
import { Command } from './parts/command.tsx';
import { useKeptFocus } from './parts/focus/kept-focus.ts';
import { Keys } from './parts/keys.tsx';
import { NoSession } from './parts/no-session.tsx';
import { counted } from './parts/numbers.ts';
import { isWithin, Sidebar } from './parts/sidebar.tsx';
import { Empty, Failure, Loading } from './parts/states.tsx';
import { ViewHead } from './parts/view.tsx';
import { VIEWS } from './views/views.ts';

const ABOUT_EVERY_MS = 5000;

/** The whole page: the sidebar and the view that the URL names. */
export function App(): VNode {
  if (session.value === 'ended') return <NoSession />;
  return (
    <LocationProvider>
      <Shell />
    </LocationProvider>
  );
}

function Shell(): VNode {
  const { path, route } = useLocation();
  const views = VIEWS.filter(({ shown }) => shown?.() ?? true);
  const view = VIEWS.find((candidate) => isWithin(path, candidate.path));
  useLayoutEffect(() => {
    refreshAbout();
    const timer = setInterval(() => document.visibilityState === 'visible' && refreshAbout(), ABOUT_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (path === '/') route(views[0]!.path, true);
  });
  useKeptFocus();
  // Readers of the keyboard and of a screen reader begin at the title of a view that they have come to, and where the link
  // that they followed is gone.
  const last = useRef({ view, path });
  useEffect(() => {
    const { view: before, path: from } = last.current;
    last.current = { view, path };
    if (view !== before || (path !== from && document.activeElement === document.body))
      document.getElementById('view-title')?.focus();
  }, [view, path]);
  return (
    <>
      <Keys views={views} />
      <Sidebar items={views} />
      <main id="main" tabIndex={-1}>
        {reach.value === 'stopped' && <Stopped />}
        {reach.value === 'unreachable' && <Unreachable />}
        {path !== '/faults' && <FaultsOn />}
        <Guard key={view?.path}>
          {view && about.value && <view.component />}
          {view && !about.value && <Loading what="the console" />}
          {!view && path !== '/' && <Unknown />}
        </Guard>
      </main>
    </>
  );
}

/** What to do once the console is gone: the page cannot come back without another address. */
function Stopped(): VNode {
  return (
    <div class="stopped" role="alert">
      <p>
        The console does not answer; what you see is from before. Start it again, and open the address that it
        prints:
      </p>
      <Command line={svcCommand('console', '--open')} label="start the console" />
    </div>
  );
}

/** Says in every view that the service fails on purpose. Nothing while no rule is on. */
function FaultsOn(): VNode | null {
  const n = faultsOn();
  if (n === 0) return null;
  return (
    <p class="faults-on">
      <span>
        <strong>{counted(n, 'fault is', 'faults are')} on</strong>: the service misbehaves on purpose.
      </span>{' '}
      <a href="/faults">Faults</a>
    </p>
  );
}

/** What to do while the service is gone: the page asks for it again by itself. */
function Unreachable(): VNode {
  const { hostname, port } = new URL(about.value?.baseUrl || 'http://unknown');
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return (
    <div class="stopped" role="alert">
      <p>
        The service does not answer; what you see is from before. It is asked again by itself
        {isHere ? ', once you have started it as before, such as by:' : '.'}
      </p>
      {isHere && <Command line={`svc serve --port ${port}`} label="start the service" />}
    </div>
  );
}

function Unknown(): VNode {
  return (
    <>
      <ViewHead title="Unknown page" />
      <Empty title="The console has no view at this address.">
        <p>Choose one beside this text.</p>
      </Empty>
    </>
  );
}

/** Keeps a defect of one view from taking the page away. */
class Guard extends Component<object, { error?: Error }> {
  static override getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    return error ? (
      <Failure error={error} retry={() => this.setState({ error: undefined })} />
    ) : (
      this.props.children
    );
  }
}
