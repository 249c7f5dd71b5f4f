/** What a server says of the events that it sent at a steady rate. */
export interface PaceReport {
  readonly sent: number;
  readonly accepted: number;
  readonly refused: number;
  /** Answers to nothing, or second ones. */
  readonly unasked: number;
}

const isReport = (value: unknown): value is PaceReport =>
  typeof value === 'object' &&
  value !== null &&
  ['sent', 'accepted', 'refused', 'unasked'].every((key) => typeof Reflect.get(value, key) === 'number');

export const readPaceReport = (text: string): PaceReport => {
  const value: unknown = JSON.parse(text);
  if (!isReport(value)) throw new Error(`This is no report of a server: ${text}`);
  return value;
};

export const sumOfReports = (reports: readonly PaceReport[]): PaceReport => {
  const sum = (key: keyof PaceReport): number => reports.reduce((total, report) => total + report[key], 0);
  return { sent: sum('sent'), accepted: sum('accepted'), refused: sum('refused'), unasked: sum('unasked') };
};

/**
 * By the times at which servers were asked, in milliseconds of one clock: whether all of them were before the first of
 * them can have answered, and how far apart they were.
 */
export const askedTogether = (
  times: readonly number[],
  answerAfterMs: number,
): { readonly spread: number; readonly beforeAnyAnswer: boolean } => {
  if (times.length === 0) return { spread: 0, beforeAnyAnswer: true };
  const spread = Math.max(...times) - Math.min(...times);
  return { spread, beforeAnyAnswer: times.length === 1 || spread < answerAfterMs };
};
