const HOUR = 3_600_000;

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** Minutes ahead of UTC, by the quarter of an hour since 1970. */
  readonly offsets: Map<number, number>;
}

const zones = new Map<string, Zone>();
/** Maximum number of offsets that are kept per zone. */
const MAX_OFFSETS = 50_000;

/** Minutes that `zone` is ahead of UTC at the local time `wall` (its fields read as UTC); undefined where skipped. */
export function zoneOffset(wall: number, zone: string): number | undefined {
  // The offset of the day before or after yields the same local time, unless the clock skips it. The larger offset is
  // the earlier of two instants.
  const candidates = [offsetAt(wall - 24 * HOUR, zone), offsetAt(wall + 24 * HOUR, zone)];
  const fitting = candidates.filter((minutes) => offsetAt(wall - minutes * 60_000, zone) === minutes);
  return fitting.length === 0 ? undefined : Math.max(...fitting);
}

/** Returns whether a time zone is known, such as `Europe/Berlin`. */
export function isTimeZone(zone: string): boolean {
  // The first format of a process takes 30 ms.
  if (zone === 'UTC') return true;
  try {
    zoneNamed(zone);
    return true;
  } catch {
    return false;
  }
}

/** Minutes ahead of UTC at an instant. Cached per quarter of an hour, as zones change only at these times. */
function offsetAt(instant: number, zone: string): number {
  const { format, offsets } = zoneNamed(zone);
  const quarter = Math.floor(instant / (HOUR / 4));
  const cached = offsets.get(quarter);
  if (cached !== undefined) return cached;
  if (offsets.size >= MAX_OFFSETS) offsets.clear();
  const at = quarter * (HOUR / 4);
  const parts = Object.fromEntries(format.formatToParts(at).map((part) => [part.type, part.value]));
  const local = Date.UTC(
    Number(parts.year),
    Number(parts.month) - 1,
    Number(parts.day),
    Number(parts.hour),
    Number(parts.minute),
    Number(parts.second),
  );
  const minutes = (local - at) / 60_000;
  offsets.set(quarter, minutes);
  return minutes;
}

function zoneNamed(name: string): Zone {
  let zone = zones.get(name);
  if (!zone) {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    zone = { format, offsets: new Map() };
    zones.set(name, zone);
  }
  return zone;
}
