import type { PlacedContext, TurnResult } from '../hostTypes.ts';
import type { ContentBlock } from '../model/content.ts';
import type { ModelMessage } from '../model/inference.ts';
import { INJECTION_POSITIONS, type InjectionPosition } from '../model/mcpl.ts';
import { attributeText, withoutOurTags } from '../base/delimiters.ts';
import type { Placed } from './injectionLimits.ts';

/** Grouped by position, otherwise in the original order (MCPL §10.8). */
function inOrder(placed: readonly Placed[]): readonly Placed[] {
  return INJECTION_POSITIONS.flatMap((position) => placed.filter((one) => one.position === position));
}

/** The server and position of each injection. */
export function injectors(placed: readonly Placed[]): TurnResult['injectedBy'] {
  return inOrder(placed).map(({ server, namespace, position }) => ({ server, namespace, position }));
}

/** The same as messages, for callers with their own conversation format. */
export function asMessages(placed: readonly Placed[]): readonly PlacedContext[] {
  return INJECTION_POSITIONS.flatMap((position) =>
    messageOf(placed, position).map((message) => ({ position, message })),
  );
}

/**
 * Adds the injections to a conversation. There is no system role, so `system` becomes the first message. The others go
 * before and after the user's last message.
 */
export function withInjections(messages: readonly ModelMessage[], placed: readonly Placed[]): readonly ModelMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const user = last === -1 ? messages.length : last;
  return [
    ...messageOf(placed, 'system'),
    ...messages.slice(0, user),
    ...messageOf(placed, 'beforeUser'),
    ...messages.slice(user, user + 1),
    ...messageOf(placed, 'afterUser'),
    ...messages.slice(user + 1),
  ];
}

function messageOf(placed: readonly Placed[], position: InjectionPosition): readonly ModelMessage[] {
  const blocks = placed.filter((one) => one.position === position).flatMap(delimited);
  return blocks.length === 0 ? [] : [{ role: 'user', content: joined(blocks) }];
}

/** MCPL §13.4: the model sees the origin, and no text can fake another one. */
function delimited({ server, namespace, content }: Placed): readonly ContentBlock[] {
  const named = namespace === '' ? '' : ` namespace="${attributeText(namespace)}"`;
  return [
    { type: 'text', text: `<context server="${attributeText(server)}"${named}>` },
    // Join texts first, because a tag could be split across several.
    ...joined(content).map((block) => (block.type === 'text' ? { ...block, text: withoutOurTags(block.text) } : block)),
    { type: 'text', text: '</context>' },
  ];
}

/** Joins adjacent texts. */
function joined(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const all: ContentBlock[] = [];
  let texts: string[] = [];
  const flush = (): void => {
    if (texts.length > 0) all.push({ type: 'text', text: texts.join('\n') });
    texts = [];
  };
  for (const block of blocks) {
    if (block.type === 'text') texts.push(block.text);
    else {
      flush();
      all.push(block);
    }
  }
  flush();
  return all;
}
