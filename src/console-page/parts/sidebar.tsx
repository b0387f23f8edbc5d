import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { about } from '../data/about.ts';
import { reach } from '../data/api.ts';
import { chooseScheme } from '../data/scheme.ts';
import { Badge } from './badge.tsx';
import { Icon, type IconName } from './icons.tsx';
import { keysListed } from './keys.tsx';
import { bytes, ENGINES } from './numbers.ts';
import { keptRange } from './range.tsx';
import { Id, Text } from './text.tsx';

export interface NavItem {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
}

/** The views, and at the foot which service is shown and whether it answers. */
export function Sidebar({ items }: { items: readonly NavItem[] }): VNode {
  const { path, query } = useLocation();
  const [open, setOpen] = useState(false);
  return (
    <header class={open ? 'sidebar open' : 'sidebar'}>
      <a class="skip" href="#main">
        Skip to the view
      </a>
      <div class="brand">
        <a href="/">
          <span class="mark">svc</span> console
        </a>
        <ModeBadge />
        <button type="button" class="menu quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="menu" /> Menu
        </button>
      </div>
      <nav aria-label="Views">
        <ul>
          {items.map((item) => (
            <li>
              <a
                href={`${item.path}${keptRange(query)}`}
                aria-current={isWithin(path, item.path) ? 'page' : undefined}
                onClick={() => setOpen(false)}
              >
                <Icon name={item.icon} /> {item.title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <ServiceNote />
    </header>
  );
}

export const isWithin = (path: string, view: string) => path === view || path.startsWith(`${view}/`);

const MODES = {
  test: ['warn', 'a test workspace: notifications are written to the outbox, no provider is called'],
  live: [
    'good',
    'a live workspace: notifications go to the providers of the service, those of a channel without one to the outbox',
  ],
} as const;

/** The mode of the workspace, in the part of the frame that narrow screens show too. */
function ModeBadge(): VNode | null {
  const mode = about.value?.workspace.mode;
  if (!mode) return null;
  const [tone, words] = MODES[mode];
  return (
    <span class="mode" title={words}>
      <Badge tone={tone}>{mode}</Badge>
    </span>
  );
}

const REACH = {
  ok: ['good', 'connected'],
  failing: ['bad', 'the service answers with an error'],
  unreachable: ['bad', 'the service does not answer'],
  stopped: ['bad', 'the console does not answer'],
} as const;

function ServiceNote(): VNode {
  const now = about.value;
  const [tone, words] = REACH[reach.value];
  return (
    <div class="service">
      <p role="status">
        <span class={`light ${tone}`} aria-hidden="true" /> {words}
      </p>
      {now && (
        <>
          <p class="address" title={now.baseUrl || undefined}>
            <Text of={now.local ? 'on this machine' : now.baseUrl.replace(/^https?:\/\//, '')} />
          </p>
          <p class="workspace">
            <Id of={now.workspace.id} short />
            {now.workspace.region !== null && (
              <>
                {' · '}
                <Text of={now.workspace.region} />
              </>
            )}
          </p>
          <p class="store">
            {now.store && `${ENGINES[now.store.engine]} ${bytes(now.store.bytes)} · `}
            <Text of={`svc ${now.version}`} />
          </p>
          <p class="badges">
            {now.profile !== '' && (
              <Badge>
                <Text of={now.profile} />
              </Badge>
            )}
            {!now.write && <Badge>read-only</Badge>}
          </p>
        </>
      )}
      <button
        type="button"
        class="keys-button icon-only quiet"
        aria-label="Keys"
        title="Keys"
        onClick={() => {
          keysListed.value = true;
        }}
      >
        ?
      </button>
      <SchemeButton />
    </div>
  );
}

function SchemeButton(): VNode {
  const [, count] = useState(0);
  const again = () => count((n) => n + 1);
  const prefersDark = matchMedia('(prefers-color-scheme: dark)');
  const preferred = prefersDark.matches ? 'dark' : 'light';
  const other = (document.documentElement.dataset.scheme ?? preferred) === 'dark' ? 'light' : 'dark';
  const change = () => {
    chooseScheme(other);
    again();
  };
  useEffect(() => {
    prefersDark.addEventListener('change', again);
    return () => prefersDark.removeEventListener('change', again);
  }, []);
  return (
    <button
      type="button"
      class="scheme icon-only quiet"
      aria-label={`Use the ${other} scheme`}
      onClick={change}
    >
      <Icon name={other === 'dark' ? 'moon' : 'sun'} />
    </button>
  );
}
