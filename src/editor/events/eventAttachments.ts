import { cleanLine, type ContentBlock, type InboundEvent, type JsonObject } from '../../core/index.ts';
import { resourceName } from '../offers/resourceName.ts';

/** A block of an event that can be opened separately. */
interface Attachment {
  /** Index of the block in the content. */
  readonly block: number;
  readonly label: string;
  readonly opens:
    | { readonly kind: 'file'; readonly name: string; bytes(): Uint8Array }
    /** A resource, if the server lists it. */
    | { readonly kind: 'resource'; readonly uri: string };
}

export function attachmentsOf({ content }: Pick<InboundEvent, 'content'>): readonly Attachment[] {
  return content.flatMap((each, block) => {
    const opens = openable(each, block);
    return opens === undefined ? [] : [{ block, label: labelOf(opens), opens }];
  });
}

function labelOf(opens: Attachment['opens']): string {
  return cleanLine(opens.kind === 'file' ? opens.name : opens.uri, 200);
}

function openable(block: ContentBlock, number: number): Attachment['opens'] | undefined {
  switch (block.type) {
    case 'image':
    case 'audio':
      return base64File(resourceName(`${block.type}-${number + 1}`, block.mimeType, false), block.data);
    case 'resource':
      return resourceFile(block.resource);
    case 'resource_link':
      return { kind: 'resource', uri: block.uri };
    default:
      return undefined;
  }
}

function resourceFile({ uri, mimeType, text, blob }: JsonObject): Attachment['opens'] | undefined {
  const isText = typeof text === 'string';
  const name = resourceName(stringOf(uri) ?? '', stringOf(mimeType), isText);
  if (isText) return { kind: 'file', name, bytes: () => new TextEncoder().encode(text) };
  return typeof blob === 'string' ? base64File(name, blob) : undefined;
}

function base64File(name: string, data: string): Attachment['opens'] {
  return { kind: 'file', name, bytes: () => Buffer.from(data, 'base64') };
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
