import { type Clock, systemClock } from './systemClock.ts';
import { Consolidation } from './consolidation.ts';
import { Elevation } from './elevation.ts';
import { BOOK, CONSOLIDATION, FILES_EDIT, LEDGER, type Part, PROACTIVE, setNamesOf } from './demoFeatureSets.ts';
import { FileAccess } from './fileAccess.ts';
import { fileTools } from './fileTools.ts';
import { Hooks } from './inferenceHooks.ts';
import { Ledger } from './ledger.ts';
import { ledgerTools } from './ledgerTools.ts';
import { MemoryBook } from './memoryBook.ts';
import { memoryTools } from './memoryTools.ts';
import { Methods } from './requestHandlers.ts';
import { Outgoing } from './outgoing.ts';
import { PageBook } from './pageBook.ts';
import { pageTools } from './pageTools.ts';
import { Protocol } from './protocol.ts';
import { Reminders } from './reminders.ts';
import { randomMark, Rollbacks } from './rollbacks.ts';
import { Switches } from './switches.ts';
import { notesTools } from './noteTools.ts';

interface DemoOptions {
  readonly parts: readonly Part[];
  readonly write: (message: object) => void;
  readonly log: (line: string) => void;
  readonly clock?: Clock;
  readonly newId?: () => string;
  /** Returns the unique part of a checkpoint name. */
  readonly newMark?: () => string;
  /** Base folder for relative paths. */
  readonly folder?: string;
}

export interface Demo {
  receive(line: string): void;
  end(): void;
}

/** The server on one connection. Its memory ends with the connection. */
export function createDemo({
  parts,
  write,
  log,
  clock = systemClock,
  newId,
  newMark = randomMark,
  folder = process.cwd(),
}: DemoOptions): Demo {
  const switches = new Switches(setNamesOf(parts));
  const outgoing = new Outgoing(write, clock);
  const ask = outgoing.request;
  const book = new MemoryBook();
  const reminders = new Reminders({
    clock,
    ask,
    log,
    isOn: () => switches.isOn(PROACTIVE),
    ...(newId === undefined ? {} : { newId }),
  });
  const consolidation = new Consolidation({ clock, ask, book, log, isOn: () => switches.isOn(CONSOLIDATION) });
  const access = new FileAccess(folder);
  const elevation = new Elevation({ ask, clock, access });
  switches.onChange(() => {
    if (!switches.isOn(FILES_EDIT)) access.forget();
    reminders.switched();
    consolidation.consider();
  });
  const pages = new PageBook({ newMark, keepsItself: () => !switches.isMcpl });
  const ledger = new Ledger({ newMark, log });
  const rollbacks = new Rollbacks(switches, { [BOOK]: pages, [LEDGER]: ledger });
  const methods = new Methods({
    parts,
    switches,
    tools: [
      ...(parts.includes('notes') ? notesTools(() => new Date(clock.now())) : []),
      ...(parts.includes('memory') ? memoryTools({ book, reminders, consolidation }) : []),
      ...(parts.includes('files') ? fileTools({ access, elevation }) : []),
      ...(parts.includes('state') ? [...pageTools(pages), ...ledgerTools(ledger)] : []),
    ],
    rollbacks,
    hooks: new Hooks({ book, reminders, consolidation, isOn: (name) => switches.isOn(name), log }),
    notify: (method, params) => write({ jsonrpc: '2.0', method, params }),
  });
  const protocol = new Protocol(write, {
    request: (request) => methods.handle(request),
    notification: (method, params) =>
      method === 'inference/chunk' ? outgoing.chunk(params) : methods.hear(method, params),
    answer: (message) => outgoing.settle(message),
  });
  return {
    receive: (line) => protocol.receive(line),
    end: () => {
      reminders.end();
      consolidation.end();
      outgoing.end();
      protocol.end();
    },
  };
}
