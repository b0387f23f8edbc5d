const HOUR = 3_600_000;

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();

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
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** Minutes ahead of UTC at an instant. Cached per quarter of an hour, as zones change only at these times. */
function offsetAt(instant: number, zone: string): number {
  const quarter = Math.floor(instant / (HOUR / 4));
  const key = `${zone} ${quarter}`;
  const cached = offsets.get(key);
  if (cached !== undefined) return cached;
  if (offsets.size > 50_000) offsets.clear();
  const at = quarter * (HOUR / 4);
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map((part) => [part.type, part.value]),
  );
  const local = Date.UTC(
    Number(parts.year),
    Number(parts.month) - 1,
    Number(parts.day),
    Number(parts.hour),
    Number(parts.minute),
    Number(parts.second),
  );
  const minutes = (local - at) / 60_000;
  offsets.set(key, minutes);
  return minutes;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}
