import * as vscode from 'vscode';
import { plainText } from '../shared/plainText.ts';

/** Minimum interval between progress steps, because the editor stores each of them. */
const STEP_MS = 500;

/** Writes an answer while it is created. */
export class ChatWriter {
  readonly stream: vscode.ChatResponseStream;
  #isBetween = false;
  #lastStep = '';
  #steppedAt = 0;

  constructor(stream: vscode.ChatResponseStream) {
    this.stream = stream;
  }

  /** Appends the model's text. */
  text(delta: string): void {
    if (delta === '') return;
    this.stream.markdown(this.#isBetween ? `\n\n${delta}` : delta);
    this.#isBetween = false;
  }

  /** Starts a new round. */
  separate(): void {
    this.#isBetween = true;
  }

  /**
   * Appends the extension's own text. Its different trust level makes the editor render it separately, so that unclosed
   * Markdown in the answer cannot hide it.
   */
  own(words: string): void {
    this.stream.markdown(new vscode.MarkdownString(words, true));
    this.#isBetween = true;
  }

  /** Shows commands as links in a row, because buttons are large and stay in a column. */
  links(commands: readonly vscode.Command[]): void {
    const links = commands.map(({ title, command, arguments: given = [] }) => {
      return `[${title}](command:${command}?${encodeURIComponent(JSON.stringify(given))})`;
    });
    const markdown = new vscode.MarkdownString(`\n\n${links.join(' &nbsp;·&nbsp; ')}\n\n`);
    // Only these commands are enabled, and their titles are fixed.
    markdown.isTrusted = { enabledCommands: commands.map(({ command }) => command) };
    this.stream.markdown(markdown);
    this.#isBetween = true;
  }

  step(words: string): void {
    this.#lastStep = words;
    this.#steppedAt = Date.now();
    this.stream.progress(plainText(words, 200));
  }

  /** Reports progress of a step, with a rate limit. */
  progress(words: string): void {
    if (words === this.#lastStep || Date.now() - this.#steppedAt < STEP_MS) return;
    this.step(words);
  }
}
