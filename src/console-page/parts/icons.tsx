import type { VNode } from 'preact';

/** Paths of the icons, on a field of 16 by 16, drawn as lines. */
const PATHS = {
  overview: 'M2 2h5v5H2ZM9 2h5v5H9ZM2 9h5v5H2ZM9 9h5v5H9Z',
  live: 'M1 8h3l2-5 3.5 10L12 8h3',
  user: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14c.6-2.8 2.7-4 5.5-4s4.9 1.2 5.5 4',
  decision: 'M8 1.5v5M8 6.5c0 3-4.5 2.5-4.5 7M8 6.5c0 3 4.5 2.5 4.5 7M5.8 3.5 8 1.3l2.2 2.2',
  content: 'M2 14V8M6 14V3M10 14v-4M14 14V5.5',
  message: 'M2 2.5h12v9H7L4 14v-2.5H2Z',
  bell: 'M3.5 11.5V7a4.5 4.5 0 0 1 9 0v4.5l1 1h-11ZM6.5 14.5h3',
  hook: 'M5.5 6.5a3 3 0 1 1 4.8 0L12 9.5M6 7l-2 3.5M7 12h5M4 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM13 13.5a1.8 1.8 0 1 0 0-3.6',
  gauge: 'M2 12a6.5 6.5 0 1 1 12 0M8 11l3-4.5',
  import: 'M8 2v8M4.5 7 8 10.5 11.5 7M2 11v3h12v-3',
  warn: 'M8 2 1.5 13.5h13ZM8 6.5v3.5M8 11.8v.4',
  server: 'M2 2.5h12v4.5H2ZM2 9h12v4.5H2ZM4.5 4.8h.4M4.5 11.2h.4',
  catalog: 'M3 2h8.5L13 3.5V14H3ZM5.5 5.5h5M5.5 8h5M5.5 10.5h3',
  copy: 'M5.5 5.5h8v8h-8ZM10.5 5V2.5h-8v8H5',
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.8 10.8 14 14',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.6-3.9L13.5 5.5M13.5 2v3.5H10',
  menu: 'M2 4h12M2 8h12M2 12h12',
  back: 'M13 8H3M7 4 3 8l4 4',
  moon: 'M13.5 9.5A6 6 0 1 1 6.5 2.5a5 5 0 0 0 7 7Z',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  pause: 'M5.5 3v10M10.5 3v10',
  play: 'M4.5 2.5v11l9-5.5Z',
  trash: 'M2.5 4h11M6 4V2h4v2M4 4v10h8V4M6.5 7v4.5M9.5 7v4.5',
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing that repeats the word beside it: never read aloud. */
export function Icon({ name }: { name: IconName }): VNode {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
