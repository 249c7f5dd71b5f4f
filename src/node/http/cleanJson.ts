import { isJsonArray, isJsonObject, type Json, mapTexts, type Redact } from '../../core/index.ts';

/**
 * A message for a client as JSON, or a batch of them, without secrets. Most have none: one search of the text finds that
 * out. A number may read like a secret, so only the texts of a message are changed, and never its id.
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
