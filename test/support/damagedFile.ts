import { readFileSync, writeFileSync } from 'node:fs';

const PAGE = 4_096;

/** Overwrites the middle one of the database pages that contain `text`. Rows before and after it stay readable. */
export function damagePages(file: string, text: string): void {
  const bytes = readFileSync(file);
  const holding: number[] = [];
  for (let start = 0; start < bytes.length; start += PAGE)
    if (bytes.subarray(start, start + PAGE).includes(text)) holding.push(start);
  const middle = holding[Math.floor(holding.length / 2)] ?? 0;
  bytes.fill(0xa5, middle, middle + PAGE);
  writeFileSync(file, bytes);
}
