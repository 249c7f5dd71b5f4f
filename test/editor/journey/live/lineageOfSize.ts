import { createHash } from 'node:crypto';
import { endLine, type FileNode, headerLine, nodeLine } from '../../../../src/node/store/files/lineageFile.ts';

/** Distance to the start of a branch. */
const BACK = 12;
const PAGES = 8;
const SECOND = 1_000;

/** An export of the demo server's book with this many checkpoints. */
export function lineageOfSize(count: number, now: number): string {
  const hash = createHash('sha256');
  const lines: string[] = [];
  const add = (line: string): void => {
    lines.push(line);
    hash.update(line).update('\n');
  };
  add(headerLine({ server: 'state', featureSet: 'state.book', keeper: 'host', count }));
  for (let nth = 0; nth < count; nth++) add(nodeLine(checkpoint(nth, count, now)));
  lines.push(endLine({ count, sha256: hash.digest('hex') }));
  return `${lines.join('\n')}\n`;
}

export const nameOfNth = (nth: number): string => `page-${String(nth).padStart(8, '0')}`;

function checkpoint(nth: number, count: number, now: number): FileNode {
  const page = (nth % PAGES) + 1;
  const text = `Draft ${nth} of page ${page}`;
  return {
    checkpoint: nameOfNth(nth),
    copy: 1,
    parent: parentOf(nth),
    parentName: undefined,
    link: nth === 0 ? 'none' : 'named',
    form: nth === 0 ? 'data' : 'patch',
    problem: undefined,
    isPruned: false,
    at: now - (count - nth) * SECOND,
    tool: nth === 0 ? 'add_page' : 'edit_page',
    args: JSON.stringify({ page, text }),
    conversation: undefined,
    name: nth % 97 === 50 ? `chapter ${Math.floor(nth / 97) + 1}` : undefined,
    isPinned: nth % 97 === 50,
    isHead: nth === count - 1,
    isBlocking: false,
    body: { kind: nth === 0 ? 'data' : 'patch', text: JSON.stringify(nth === 0 ? book() : difference(nth, text)) },
  };
}

/** Mostly the previous one. Sometimes an earlier one, and for a while two alternating drafts. */
function parentOf(nth: number): number | undefined {
  if (nth === 0) return undefined;
  const back = nth % 30 === 0 ? BACK : nth % 100 > 70 && nth % 100 < 90 ? 2 : 1;
  const parent = nth - back;
  return isBroken(parent) ? parent - 1 : parent;
}

/** Like a mistake of the server. */
function isBroken(nth: number): boolean {
  return nth % 211 === 100;
}

function book(): object {
  const pages = Array.from({ length: PAGES }, (_, at) => ({ id: at + 1, text: `Page ${at + 1}` }));
  return { checkpoint: nameOfNth(0), nextId: PAGES + 1, pages };
}

function difference(nth: number, text: string): readonly object[] {
  return [
    { op: 'replace', path: isBroken(nth) ? '/chapters/0' : `/pages/${nth % PAGES}/text`, value: text },
    { op: 'replace', path: '/checkpoint', value: nameOfNth(nth) },
  ];
}
