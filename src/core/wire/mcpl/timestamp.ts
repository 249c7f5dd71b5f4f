/** Date and time in the two forms of ISO 8601, which a text must not mix. */
const FORMS = [
  /^([+-]\d{6}|\d{4})-(?:(\d\d)-(\d\d)|W(\d\d)-[1-7]|(\d{3}))(?:T(\d\d)(?::(\d\d)(?::(\d\d))?)?(?:[.,](\d+))?(?:Z|[+-](\d\d)(?::(\d\d))?)?)?$/,
  /^([+-]\d{6}|\d{4})(?:(\d\d)(\d\d)|W(\d\d)[1-7]|(\d{3}))(?:T(\d\d)(?:(\d\d)(?:(\d\d))?)?(?:[.,](\d+))?(?:Z|[+-](\d\d)(?:(\d\d))?)?)?$/,
] as const;

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Whether a text is an ISO 8601 date, optionally with time: calendar, week or ordinal date, extended or basic form. */
export function isIsoTimestamp(text: string): boolean {
  for (const form of FORMS) {
    const parts = form.exec(text);
    if (parts !== null) return isDate(parts) && isTime(parts);
  }
  return false;
}

type Parts = readonly (string | undefined)[];

function isDate([, year, month, day, week, ordinal]: Parts): boolean {
  const leap = isLeapYear(Number(year));
  if (month !== undefined && day !== undefined) {
    const most = Number(month) === 2 && !leap ? 28 : (DAYS[Number(month) - 1] ?? 0);
    return isIn(day, 1, most);
  }
  return week === undefined ? isIn(ordinal, 1, leap ? 366 : 365) : isIn(week, 1, 53);
}

/** Allows 24:00:00 and leap seconds (60). */
function isTime([
  ,
  ,
  ,
  ,
  ,
  ,
  hour = '0',
  minute = '0',
  second = '0',
  fraction = '0',
  zoneHour = '0',
  zone = '0',
]: Parts): boolean {
  if (Number(hour) === 24) return Number(minute) + Number(second) + Number(fraction) === 0;
  return isIn(hour, 0, 23) && isIn(minute, 0, 59) && isIn(second, 0, 60) && isIn(zoneHour, 0, 23) && isIn(zone, 0, 59);
}

function isIn(digits: string | undefined, least: number, most: number): boolean {
  const value = Number(digits);
  return value >= least && value <= most;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
