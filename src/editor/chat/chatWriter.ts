import * as vscode from 'vscode';
import { plainText } from '../shared/plainText.ts';

/** Steps are told this often at most: more cannot be read, and the editor keeps each of them. */
const STEP_MS = 500;

/** An answer as it comes to be. */
export class ChatWriter {
  readonly stream: vscode.ChatResponseStream;
  #isBetween = false;
  #lastStep = '';
  #steppedAt = 0;

  constructor(stream: vscode.ChatResponseStream) {
    this.stream = stream;
  }

  /** What the model says. */
  text(delta: string): void {
    if (delta === '') return;
    this.stream.markdown(this.#isBetween ? `\n\n${delta}` : delta);
    this.#isBetween = false;
  }

  /** The next words are of another round. */
  separate(): void {
    this.#isBetween = true;
  }

  /**
   * Our own words. With another right than the answer's, the editor keeps them apart: no comment or fence that was left
   * open in the answer can hide them.
   */
  own(words: string): void {
    this.stream.markdown(new vscode.MarkdownString(words, true));
    this.#isBetween = true;
  }

  /** What can be done, beside each other as links: buttons would stand there large, in a column, for ever. */
  links(commands: readonly vscode.Command[]): void {
    const links = commands.map(({ title, command, arguments: given = [] }) => {
      return `[${title}](command:${command}?${encodeURIComponent(JSON.stringify(given))})`;
    });
    const markdown = new vscode.MarkdownString(`\n\n${links.join(' &nbsp;·&nbsp; ')}\n\n`);
    // Of these commands alone, and the titles are ours.
    markdown.isTrusted = { enabledCommands: commands.map(({ command }) => command) };
    this.stream.markdown(markdown);
    this.#isBetween = true;
  }

  step(words: string): void {
    this.#lastStep = words;
    this.#steppedAt = Date.now();
    this.stream.progress(plainText(words, 200));
  }

  /** How far a step is, of which there may be many. */
  progress(words: string): void {
    if (words === this.#lastStep || Date.now() - this.#steppedAt < STEP_MS) return;
    this.step(words);
  }
}
