import type {
  AuthBrowser,
  AuthPrompt,
  CancellationToken,
  Elicitor,
  FieldValue,
  FormAnswer,
  FormField,
  FormQuestion,
  SignInQuestion,
  UrlAnswer,
  UrlQuestion,
} from '../core/index.ts';
import type { Dialog } from './dialog.ts';

/** Maximum invalid answers. */
const MAX_TRIES = 20;
const NOBODY =
  'This question needs a terminal. Run the command in one, or answer with a program ("mcpl host --control").';

/** Asks the user of the terminal what a server asks. */
export function terminalElicitor(dialog: Dialog): Elicitor {
  return {
    form: (question, token) => fillIn(dialog, question, token),
    url: (question, token) => visit(dialog, question, token),
    finish: async (question, token) => {
      if (!dialog.isInteractive) return 'cancel';
      const typed = await dialog.ask(`Press Enter when you are done at ${question.host}, or type "cancel": `, token);
      return typed?.trim() === '' ? 'continue' : 'cancel';
    },
    finished: ({ server }) => dialog.say(`The server "${server}" says that the page is complete.`),
  };
}

async function fillIn(dialog: Dialog, question: FormQuestion, token: CancellationToken): Promise<FormAnswer> {
  const { server, message, form, remarks } = question;
  dialog.say(`The server "${server}" asks: ${message}`);
  for (const remark of remarks) dialog.say(`! ${remark}`);
  if (!dialog.isInteractive) {
    dialog.say(NOBODY);
    return { kind: 'cancel' };
  }
  const values = new Map<string, FieldValue>();
  for (const field of leaves(form.fields)) {
    const value = await enter(dialog, field, question, token);
    if (value === undefined) return { kind: 'cancel' };
    if (value !== '') values.set(field.id, value);
  }
  const decision = await decide(dialog, `Send this to "${server}"?`, token);
  return decision === 'yes' ? { kind: 'accept', values: Object.fromEntries(values) } : { kind: decision };
}

/** An empty text leaves a field without a value. `undefined` ends the form. */
async function enter(
  dialog: Dialog,
  field: LeafField,
  { values, errors }: FormQuestion,
  token: CancellationToken,
): Promise<FieldValue | undefined> {
  const shown = values[field.id];
  const [lines, prompt] = fieldPrompt(field, shown);
  const error = errors[field.id];
  if (error !== undefined) dialog.say(`! ${error}`);
  for (const line of lines) dialog.say(line);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const typed = await dialog.ask(prompt, token);
    if (typed === undefined) return undefined;
    if (typed === '') return shown ?? '';
    const entry = fieldEntry(field, typed);
    if (entry.kind === 'value') return entry.value;
    dialog.say(`! ${entry.problem}`);
  }
  return undefined;
}

function leaves(fields: readonly FormField[]): readonly LeafField[] {
  return fields.flatMap((field) => (field.kind === 'group' ? leaves(field.fields) : [field]));
}

async function visit(dialog: Dialog, question: UrlQuestion, token: CancellationToken): Promise<UrlAnswer> {
  const { server, message, url, host, remarks } = question;
  dialog.say(`The server "${server}" wants you to visit a page: ${message}\n  ${url}\n  Its host is ${host}.`);
  for (const remark of remarks) dialog.say(`! ${remark}`);
  if (!dialog.isInteractive) {
    dialog.say(NOBODY);
    return 'cancel';
  }
  const decision = await decide(dialog, 'Open it in a browser, if you trust it. Did you open it?', token);
  return decision === 'yes' ? 'accept' : decision;
}

async function decide(
  dialog: Dialog,
  question: string,
  token: CancellationToken,
): Promise<'yes' | 'decline' | 'cancel'> {
  const typed = await dialog.ask(`${question} (yes; no to refuse; Enter to leave it open) `, token);
  if (/^\s*(y|yes)\s*$/i.test(typed ?? '')) return 'yes';
  return /^\s*(n|no)\s*$/i.test(typed ?? '') ? 'decline' : 'cancel';
}

const REASONS: Readonly<Record<SignInQuestion['reason'], string>> = {
  first: 'needs you to sign in.',
  again: 'needs you to sign in again.',
  moreScopes: 'wants more rights than it has.',
  otherIssuer: 'now uses another authorization server.',
  otherServer: 'is now at another address.',
};

/** Asks the user of the terminal whether to sign in. */
export function terminalSignIn(dialog: Dialog): { readonly authPrompt: AuthPrompt; readonly authBrowser: AuthBrowser } {
  return {
    authPrompt: {
      consent: async ({ server, reason, resource, issuer, scopes }, token) => {
        dialog.say(`The server "${server}" ${REASONS[reason]}`);
        dialog.say(`  For: ${resource}\n  At:  ${issuer}`);
        if (scopes.length > 0) dialog.say(`  Rights: ${scopes.join(' ')}`);
        if (!dialog.isInteractive) {
          dialog.say('Signing in needs a terminal. Run the command in one, or give a token with --header.');
          return false;
        }
        return (await decide(dialog, 'Sign in?', token)) === 'yes';
      },
      askClient: async ({ issuer, redirectUri }, token) => {
        if (!dialog.isInteractive) return undefined;
        dialog.say(`${issuer} only signs in clients that are registered with it, for ${redirectUri} here.`);
        const clientId = (await dialog.ask('The id of such a client (Enter if there is none): ', token))?.trim() ?? '';
        return clientId === '' ? undefined : { clientId };
      },
    },
    authBrowser: {
      open: (url) => {
        dialog.say(`Open this address in a browser on this machine to sign in:\n  ${url}`);
        return Promise.resolve(true);
      },
    },
  };
}

type LeafField = Exclude<FormField, { kind: 'group' }>;

type Entry =
  { readonly kind: 'value'; readonly value: FieldValue } | { readonly kind: 'wrong'; readonly problem: string };

/** The prompt for a field: lines to show, and the start of the input line. */
function fieldPrompt(field: LeafField, shown: FieldValue | undefined): readonly [readonly string[], string] {
  const facts = [wordFor(field), ...(field.required ? ['required'] : [])].join(', ');
  const options = 'options' in field ? field.options.map(({ label }, index) => `  ${index + 1}. ${label}`) : [];
  const lines = [...(field.description === '' ? [] : [`  ${field.description}`]), ...options];
  const preset = shown === undefined || shown === '' ? '' : ` [${shownText(shown, field)}]`;
  return [lines, `${field.label} (${facts})${preset}: `];
}

function wordFor(field: LeafField): string {
  switch (field.kind) {
    case 'boolean':
      return 'yes or no';
    case 'choice':
      return `1 to ${field.options.length}`;
    case 'choices':
      return `some of 1 to ${field.options.length}, such as 1,2`;
    case 'list':
      return `${field.item.kind}s with commas between them`;
    case 'json':
      return 'JSON';
    case 'number':
      return field.integer ? 'whole number' : 'number';
    case 'text':
      return field.format ?? 'text';
  }
}

function shownText(value: FieldValue, field: LeafField): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const parts = typeof value === 'string' ? [value] : value;
  // Options are stored by index and shown from one.
  return ('options' in field ? parts.map((index) => String(Number(index) + 1)) : parts).join(',');
}

/** Parses typed input into a form value. It is validated later, with the other fields. */
function fieldEntry(field: LeafField, typed: string): Entry {
  switch (field.kind) {
    case 'boolean':
      if (/^(y|yes|true)$/i.test(typed)) return { kind: 'value', value: true };
      if (/^(n|no|false)$/i.test(typed)) return { kind: 'value', value: false };
      return { kind: 'wrong', problem: 'Answer yes or no.' };
    case 'choice':
      return chosen(field.options.length, [typed], ([index = '']) => index);
    case 'choices':
      return chosen(field.options.length, split(typed), (indexes) => indexes);
    case 'list':
      return { kind: 'value', value: split(typed) };
    case 'number':
    case 'json':
    case 'text':
      return { kind: 'value', value: typed };
  }
}

function split(typed: string): readonly string[] {
  return typed.split(',').map((part) => part.trim());
}

function chosen(count: number, typed: readonly string[], valueOf: (indexes: readonly string[]) => FieldValue): Entry {
  const numbers = typed.map((part) => (/^\d{1,6}$/.test(part.trim()) ? Number(part) : 0));
  if (numbers.some((number) => number < 1 || number > count))
    return { kind: 'wrong', problem: `Enter a number from 1 to ${count}.` };
  return { kind: 'value', value: valueOf(numbers.map((number) => String(number - 1))) };
}
