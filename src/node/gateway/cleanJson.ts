import { isJsonArray, isJsonObject, type Json, mapTexts, type Redact } from '../../core/index.ts';

/**
 * Serializes a message or a batch for a client, without secrets. Most messages have none, which one search of the text
 * shows. Only strings are changed, never numbers or the id, because digits may look like a secret.
 */
export function cleanJson(message: Json, redact: Redact): string {
  const text = JSON.stringify(message);
  return redact(text) === text ? text : JSON.stringify(cleanMessage(message, redact));
}

function cleanMessage(message: Json, redact: Redact): Json {
  if (isJsonArray(message)) return message.map((each) => cleanMessage(each, redact));
  const clean = mapTexts(message, redact);
  if (!isJsonObject(message) || !isJsonObject(clean) || message['id'] === undefined) return clean;
  return { ...clean, id: message['id'] };
}
