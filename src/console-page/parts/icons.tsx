import type { VNode } from 'preact';

/** Paths of the icons, on a field of 16 by 16, drawn as lines. */
const PATHS = {
  overview: 'M2 2h5v5H2ZM9 2h5v5H9ZM2 9h5v5H2ZM9 9h5v5H9Z',
  live: 'M1 8h3l2-5 3.5 10L12 8h3',
  user: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14c.6-2.8 2.7-4 5.5-4s4.900 1.200 5.500 4',
  decision:
    'M8 1.500v5M8 6.500c0 3-4.500 2.500-4.500 7M8 6.500c0 3 4.500 2.500 4.500 7M5.800 3.500 8 1.300l2.200 2.200',
  content: 'M2 14V8M6 14V3M10 14v-4M14 14V5.500',
  message: 'M2 2.500h12v9H7L4 14v-2.500H2Z',
  bell: 'M3.500 11.500V7a4.500 4.500 0 0 1 9 0v4.500l1 1h-11ZM6.500 14.500h3',
  hook: 'M5.500 6.500a3 3 0 1 1 4.800 0L12 9.500M6 7l-2 3.500M7 12h5M4 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM13 13.500a1.800 1.800 0 1 0 0-3.600',
  gauge: 'M2 12a6.500 6.500 0 1 1 12 0M8 11l3-4.500',
  import: 'M8 2v8M4.500 7 8 10.500 11.500 7M2 11v3h12v-3',
  warn: 'M8 2 1.500 13.500h13ZM8 6.500v3.500M8 11.800v.4',
  server: 'M2 2.500h12v4.500H2ZM2 9h12v4.500H2ZM4.500 4.800h.4M4.500 11.200h.4',
  catalog: 'M3 2h8.500L13 3.500V14H3ZM5.500 5.500h5M5.500 8h5M5.500 10.500h3',
  copy: 'M5.500 5.500h8v8h-8ZM10.500 5V2.500h-8v8H5',
  check: 'M3 8.500 6.500 12 13 4.500',
  close: 'M3.500 3.500l9 9M12.500 3.500l-9 9',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.800 10.800 14 14',
  refresh: 'M13.500 8a5.500 5.500 0 1 1-1.600-3.900L13.500 5.500M13.500 2v3.500H10',
  menu: 'M2 4h12M2 8h12M2 12h12',
  back: 'M13 8H3M7 4 3 8l4 4',
  moon: 'M13.500 9.500A6 6 0 1 1 6.500 2.500a5 5 0 0 0 7 7Z',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  pause: 'M5.500 3v10M10.500 3v10',
  play: 'M4.500 2.500v11l9-5.500Z',
  trash: 'M2.500 4h11M6 4V2h4v2M4 4v10h8V4M6.500 7v4.500M9.500 7v4.500',
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
