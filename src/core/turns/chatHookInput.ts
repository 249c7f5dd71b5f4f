import { isJsonObject, type Json } from '../base/json.ts';

/** The input of a chat hook: one JSON object on standard input. */
export type ChatHookInput =
  | { readonly kind: 'prompt'; readonly session: string; readonly prompt: string }
  | { readonly kind: 'stop'; readonly session: string; readonly transcript: string | undefined };

/** Maximum length of a prompt. A server that needs more can offer a tool. */
const LONGEST_PROMPT = 256_000;
const LONGEST_PATH = 4_096;
/** The session becomes a conversation id and must match a file name. */
const SESSION = /^[\w-][\w.-]{0,199}$/;

/** Returns `undefined` for other hooks and for missing members. */
export function decodeChatHook(input: Json): ChatHookInput | undefined {
  if (!isJsonObject(input)) return undefined;
  const { hook_event_name: event, session_id: session, prompt, transcript_path: path } = input;
  if (typeof session !== 'string' || !SESSION.test(session)) return undefined;
  if (event === 'Stop') return { kind: 'stop', session, transcript: transcriptOf(session, path) };
  if (event !== 'UserPromptSubmit' || typeof prompt !== 'string') return undefined;
  return prompt.length > LONGEST_PROMPT ? undefined : { kind: 'prompt', session, prompt };
}

/** The transcript must have the session's name and be in a folder of this name. No other file is opened. */
function transcriptOf(session: string, path: Json | undefined): string | undefined {
  if (typeof path !== 'string' || path.length > LONGEST_PATH || path.includes('\0')) return undefined;
  const [folder, name] = path.split(/[\\/]/).slice(-2);
  return folder === 'transcripts' && name === `${session}.jsonl` ? path : undefined;
}
