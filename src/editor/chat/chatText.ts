/** Text of somebody else's within an answer: none of it is markdown. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~-]/g, '\\$&');
}
