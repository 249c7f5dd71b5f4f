/** A server's report about events sent at a steady rate. */
export interface PaceReport {
  readonly sent: number;
  readonly accepted: number;
  readonly refused: number;
  /** Unexpected or repeated answers. */
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
 * Whether all servers were asked before the first one could answer, and the spread of these times. In milliseconds of
 * one clock.
 */
export const askedTogether = (
  times: readonly number[],
  answerAfterMs: number,
): { readonly spread: number; readonly beforeAnyAnswer: boolean } => {
  if (times.length === 0) return { spread: 0, beforeAnyAnswer: true };
  const spread = Math.max(...times) - Math.min(...times);
  return { spread, beforeAnyAnswer: times.length === 1 || spread < answerAfterMs };
};
