import { cleanLine, textForModels } from '../base/cleanText.ts';
import { blockText, type ContentBlock } from '../model/content.ts';
import type { InjectionPosition } from '../model/mcpl.ts';
import type { Injection } from '../wire/mcpl/hooks.ts';
import type { Participant } from '../mcpl/participant.ts';

/** An accepted injection with its position. */
export interface Placed {
  readonly server: string;
  readonly namespace: string;
  readonly position: InjectionPosition;
  readonly content: readonly ContentBlock[];
}

interface Admitted {
  readonly placed: readonly Placed[];
  /** A sentence each. */
  readonly remarks: readonly string[];
}

type Injector = Pick<Participant, 'server' | 'settings'>;
type Image = ContentBlock & { readonly type: 'image' };

const MAX_INJECTIONS = 20;
const MAX_NAMESPACE = 100;
/** In characters. */
const MAX_TEXT = 32 * 1024;
const MAX_TEXT_OF_SERVER = 128 * 1024;
const MAX_IMAGES = 5;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/**
 * The injections that one server may add to one turn: at positions that its settings allow, within fixed limits (MCPL
 * §13.4).
 */
export function admitInjections({ server, settings }: Injector, injections: readonly Injection[]): Admitted {
  const allowance = new Allowance(server);
  const allowed = settings.hooks.positions;
  const placed: Placed[] = [];
  for (const injection of injections.slice(0, MAX_INJECTIONS)) {
    const position = positionFor(injection.position, allowed);
    if (position === undefined) {
      allowance.remark(`may not add context at "${injection.position}": that part was left out`);
      continue;
    }
    if (position !== injection.position)
      allowance.remark(`may not add context at "${injection.position}": it was put before the message instead`);
    const content = allowance.take(injection.content);
    const namespace = cleanLine(injection.namespace, MAX_NAMESPACE);
    if (content.length > 0) placed.push({ server, namespace, position, content });
  }
  if (injections.length > MAX_INJECTIONS)
    allowance.remark(`added ${injections.length} pieces of context: the first ${MAX_INJECTIONS} were used`);
  return { placed, remarks: allowance.remarks };
}

/** Text for the system prompt is also useful as context of the message. */
function positionFor(wanted: InjectionPosition, allowed: readonly InjectionPosition[]): InjectionPosition | undefined {
  if (allowed.includes(wanted)) return wanted;
  return wanted === 'system' && allowed.includes('beforeUser') ? 'beforeUser' : undefined;
}

class Allowance {
  readonly #server: string;
  readonly #remarks = new Set<string>();
  #text = MAX_TEXT_OF_SERVER;
  #images = MAX_IMAGES;

  constructor(server: string) {
    this.#server = server;
  }

  get remarks(): readonly string[] {
    return [...this.#remarks];
  }

  /** Each remark appears once. */
  remark(what: string): void {
    this.#remarks.add(`"${this.#server}" ${what}.`);
  }

  /** The content of one injection, with placeholders for blocks that a model cannot read. */
  take(content: readonly ContentBlock[]): readonly ContentBlock[] {
    const taken: ContentBlock[] = [];
    let left = MAX_TEXT;
    for (const block of content) {
      if ('audience' in block && block.audience === 'user') continue;
      if (isImage(block)) {
        if (this.#takesImage(block)) taken.push(block);
        continue;
      }
      const text = this.#takeText(blockText(block), left);
      left -= text.length;
      if (text !== '') taken.push({ type: 'text', text });
    }
    return taken;
  }

  #takeText(text: string, left: number): string {
    const room = Math.min(left, this.#text);
    const clean = room > 0 ? textForModels(text, room) : '';
    if (text.length > room) this.remark('added more text than allowed: the rest was left out');
    this.#text -= clean.length;
    return clean;
  }

  #takesImage({ data }: Image): boolean {
    if (this.#images === 0) {
      this.remark(`added more than ${MAX_IMAGES} images: the rest was left out`);
      return false;
    }
    if (Math.floor((data.length * 3) / 4) > MAX_IMAGE_BYTES) {
      this.remark('added an image of more than 5 MB: it was left out');
      return false;
    }
    this.#images--;
    return true;
  }
}

function isImage(block: ContentBlock): block is Image {
  return block.type === 'image' && block.mimeType.startsWith('image/');
}
