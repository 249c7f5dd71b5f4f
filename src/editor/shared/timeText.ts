const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Length of `2026-11-18 `. */
const DAY_LENGTH = 11;

/** `now`, `3 min`, `2 h`, `5 d` */
export function ageText(at: number, now: number): string {
  const age = now - at;
  if (age < MINUTE) return 'now';
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`;
  return age < DAY ? `${Math.floor(age / HOUR)} h` : `${Math.floor(age / DAY)} d`;
}

export function agoText(at: number, now: number): string {
  const age = ageText(at, now);
  return age === 'now' ? 'just now' : `${age} ago`;
}

/** `16:04:21`, or with the day if it is not the day of `start`. */
export function clockText(at: number, start: number): string {
  const text = timeText(at);
  const day = timeText(start).slice(0, DAY_LENGTH);
  return text.startsWith(day) ? text.slice(day.length) : text;
}

/** `2026-11-18 16:04:21`, in local time. */
export function timeText(at: number): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}
