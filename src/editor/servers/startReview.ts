import type * as vscode from 'vscode';
import {
  type CancellationToken,
  type StartAnswer,
  type StartQuestion,
  startTitle,
  wholeQuestion,
} from '../../core/index.ts';
import type { QuestionView } from '../../webview/form/questionMessages.ts';
import { QuestionPanel } from '../questions/questionPanel.ts';

/** The page with a complete start prompt. */
export interface StartReview {
  readonly answer: Promise<StartAnswer>;
  reveal(): void;
}

const NO_FIELDS = { fields: [], complete: true } as const;

/** Shows everything that the user must know before a server starts. Closing the page starts nothing. */
export function reviewStart(extensionUri: vscode.Uri, question: StartQuestion, token: CancellationToken): StartReview {
  const name = `Start ${question.server.slice(0, 40)}?`;
  const panel = new QuestionPanel(extensionUri, { name, view: startView(question), form: NO_FIELDS }, token);
  panel.reveal();
  return { answer: panel.answer.then(({ kind }) => ANSWERS[kind]), reveal: () => panel.reveal() };
}

const ANSWERS: { readonly [K in 'accept' | 'decline' | 'cancel']: StartAnswer } = {
  accept: 'start',
  decline: 'dontStart',
  cancel: 'dismissed',
};

function startView(question: StartQuestion): QuestionView {
  return {
    title: startTitle(question),
    message: 'Check all of this before you start it. Text in quotation marks comes from the settings.',
    remarks: wholeQuestion(question),
    blocks: [],
    fields: [],
    noFields: '',
    values: {},
    errors: {},
    accept: 'Start',
    decline: "Don't Start",
    readFirst: true,
    cancelHint: 'Closes the question and starts nothing (Escape)',
  };
}
