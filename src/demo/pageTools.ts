import { BOOK } from './demoFeatureSets.ts';
import { type Change, MAX_PAGE, MAX_PAGES, type OpenBook, type PageBook } from './pageBook.ts';
import { closed, type Fields, type Schema } from './schema.ts';
import { ADDS, type DemoTool, READS, type ToolContext, type ToolOutcome } from './tool.ts';

type Work = (book: OpenBook) => { readonly text: string; readonly change: Change } | string;

const TEXT: Schema = { type: 'string', title: 'Text', minLength: 1, maxLength: MAX_PAGE };
const ID: Schema = { type: 'integer', title: 'Page', description: 'Its number, as list_pages shows it.', minimum: 1 };
const MAX_SHOWN = 200;

/** Tools on pages that the host keeps (MCPL §8.3, §8.4). */
export function pageTools(book: PageBook): readonly DemoTool[] {
  return [addPage(book), editPage(book), removePage(book), listPages(book)];
}

function addPage(book: PageBook): DemoTool {
  return {
    name: 'add_page',
    title: 'Add Page',
    description: 'Adds a page to the end of the book.',
    featureSet: BOOK,
    annotations: ADDS,
    inputSchema: closed({ text: TEXT }, 'text'),
    run: (args, context) =>
      changed(book, context, ({ pages, nextId }) => {
        if (pages.length >= MAX_PAGES) return 'The book is full. Remove a page first.';
        const page = { id: nextId, text: String(args['text']) };
        const change = {
          pages: [...pages, page],
          nextId: nextId + 1,
          patch: [{ op: 'add', path: '/pages/-', value: page }],
        };
        return { text: `Added page ${nextId}.`, change };
      }),
  };
}

function editPage(book: PageBook): DemoTool {
  return {
    name: 'edit_page',
    title: 'Edit Page',
    description: 'Writes a page of the book anew.',
    featureSet: BOOK,
    annotations: { ...ADDS, destructiveHint: true, idempotentHint: true },
    inputSchema: closed(
      {
        page: ID,
        text: TEXT,
        wrongPatch: {
          type: 'boolean',
          title: 'Wrong Patch',
          description: 'Whether to answer with a difference that does not fit, as a server with a mistake would.',
          default: false,
        },
      },
      'page',
      'text',
    ),
    run: ({ page, text, wrongPatch }, context) =>
      changed(book, context, ({ pages }) => {
        const at = pages.findIndex(({ id }) => id === page);
        if (at < 0) return noSuch(page);
        const edited = pages.map((each) => (each.id === page ? { ...each, text: String(text) } : each));
        const path = wrongPatch === true ? `/chapters/${at}/text` : `/pages/${at}/text`;
        const change = { pages: edited, patch: [{ op: 'replace', path, value: text }] };
        return { text: `Wrote page ${String(page)} anew.`, change };
      }),
  };
}

function removePage(book: PageBook): DemoTool {
  return {
    name: 'remove_page',
    title: 'Remove Page',
    description: 'Takes a page out of the book.',
    featureSet: BOOK,
    annotations: { ...ADDS, destructiveHint: true, idempotentHint: true },
    inputSchema: closed({ page: ID }, 'page'),
    run: ({ page }, context) =>
      changed(book, context, ({ pages }) => {
        const at = pages.findIndex(({ id }) => id === page);
        if (at < 0) return noSuch(page);
        const change = { pages: pages.toSpliced(at, 1), patch: [{ op: 'remove', path: `/pages/${at}` }] };
        return { text: `Removed page ${String(page)}.`, change };
      }),
  };
}

function listPages(book: PageBook): DemoTool {
  return {
    name: 'list_pages',
    title: 'List Pages',
    description: 'Shows the pages of the book. It changes nothing, and so makes no checkpoint.',
    featureSet: BOOK,
    annotations: READS,
    inputSchema: closed({}),
    run: (_args, { state }) => {
      const opened = book.open(state);
      if (opened === undefined) return NO_BOOK;
      const { pages } = opened;
      const lines = pages.map(({ id, text }) => `${id}: ${shortened(text)}`);
      return { text: lines.join('\n') || 'The book is empty.', structured: { pages } };
    },
  };
}

const NO_BOOK: ToolOutcome = {
  text: 'What the host sent along as the state is not a book of this server. Nothing was changed.',
  isError: true,
};

function changed(book: PageBook, { state }: ToolContext, work: Work): ToolOutcome {
  const opened = book.open(state);
  if (opened === undefined) return NO_BOOK;
  const done = work(opened);
  if (typeof done === 'string') return { text: done, isError: true };
  const structured: Fields = { pages: done.change.pages.length };
  return { text: done.text, structured, state: book.close(opened, done.change) };
}

function noSuch(page: unknown): string {
  return `There is no page ${String(page)}. List the pages to see their numbers.`;
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
