import { isJsonObject, type Json } from '../base/json.ts';

/** What the chat of the editor hands to a hook of a plugin: one JSON object on its standard input. */
export type ChatHookInput =
  | { readonly kind: 'prompt'; readonly session: string; readonly prompt: string }
  | { readonly kind: 'stop'; readonly session: string; readonly transcript: string | undefined };

/** Of the person's words; a server that reads more of them than this has a tool for it. */
const LONGEST_PROMPT = 256_000;
const LONGEST_PATH = 4_096;
/** It becomes the id of a conversation, and the name of a file is compared with it. */
const SESSION = /^[\w-][\w.-]{0,199}$/;

/** Undefined for what is neither of the two hooks, or lacks what they must have. */
export function decodeChatHook(input: Json): ChatHookInput | undefined {
  if (!isJsonObject(input)) return undefined;
  const { hook_event_name: event, session_id: session, prompt, transcript_path: path } = input;
  if (typeof session !== 'string' || !SESSION.test(session)) return undefined;
  if (event === 'Stop') return { kind: 'stop', session, transcript: transcriptOf(session, path) };
  if (event !== 'UserPromptSubmit' || typeof prompt !== 'string') return undefined;
  return prompt.length > LONGEST_PROMPT ? undefined : { kind: 'prompt', session, prompt };
}

/** The chat keeps it in a file of the session's name, in a folder of this name: no other file is ever opened. */
function transcriptOf(session: string, path: Json | undefined): string | undefined {
  if (typeof path !== 'string' || path.length > LONGEST_PATH || path.includes('\0')) return undefined;
  const [folder, name] = path.split(/[\\/]/).slice(-2);
  return folder === 'transcripts' && name === `${session}.jsonl` ? path : undefined;
}
