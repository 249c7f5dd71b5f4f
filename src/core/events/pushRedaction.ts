import { isJsonObject, type JsonObject } from '../base/json.ts';
import { mapTexts } from '../base/jsonTexts.ts';
import type { ContentBlock } from '../model/content.ts';

type Redact = (text: string) => string;

/** Removes secrets from content. It is shown, stored, and read by models whose answers other servers see. */
export function redactContent(content: readonly ContentBlock[], redact: Redact): readonly ContentBlock[] {
  return content.map((block) => redactBlock(block, redact));
}

export function redactObject(value: JsonObject, redact: Redact): JsonObject | undefined {
  const clean = mapTexts(value, redact);
  return isJsonObject(clean) ? clean : undefined;
}

function redactBlock(block: ContentBlock, redact: Redact): ContentBlock {
  switch (block.type) {
    case 'text': {
      const text = redact(block.text);
      return text === block.text ? block : { ...block, text };
    }
    case 'image':
    case 'audio':
      return redact(block.mimeType) === block.mimeType ? block : { ...block, mimeType: 'application/octet-stream' };
    case 'resource': {
      const resource = redactObject(block.resource, redact);
      return resource === block.resource ? block : { ...block, resource: resource ?? {} };
    }
    case 'resource_link':
      return { ...block, uri: redact(block.uri), name: redact(block.name) };
    case 'unknown':
      return { type: 'unknown', value: mapTexts(block.value, redact) };
  }
}
