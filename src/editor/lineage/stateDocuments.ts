import * as vscode from 'vscode';
import {
  type CheckpointDetail,
  type Disposable,
  type Host,
  HostError,
  isJsonArray,
  type LineageKey,
  messageOf,
  parseJson,
} from '../../core/index.ts';
import { SCHEMES } from '../shared/ids.ts';
import { hasState, noStateText } from './pageRows.ts';
import { idText, titleText } from './lineageText.ts';
import { plainLine, plainText } from '../shared/plainText.ts';

/** The editor does not pass documents above 50 MB to extensions. */
const LONGEST = 48_000_000;

/** States of checkpoints as documents. */
export class StateDocuments implements Disposable {
  readonly #host: Pick<Host, 'lineages'>;
  /** States computed to check whether they can be shown, until the editor requests them. */
  readonly #made = new Map<number, string>();

  constructor(host: Pick<Host, 'lineages'>) {
    this.#host = host;
  }

  async open(rowId: number): Promise<void> {
    const uri = await this.#uri(rowId);
    await vscode.commands.executeCommand('vscode.open', uri, { preview: true });
  }

  /** Compares two states in the diff editor. */
  async compare(before: number, after: number): Promise<void> {
    const [left, right] = await Promise.all([this.#detail(before), this.#detail(after)]);
    const uris = [await this.#uri(before), await this.#uri(after)] as const;
    const title = `${titleText(left.node)} ↔ ${titleText(right.node)} (${setText(right)})`;
    await vscode.commands.executeCommand('vscode.diff', ...uris, title, { preview: true });
  }

  /** Also for tabs restored after a window reload. */
  async text(uri: vscode.Uri): Promise<string> {
    const rowId = rowIdIn(uri);
    if (rowId === undefined) return GONE;
    const made = this.#made.get(rowId);
    this.#made.delete(rowId);
    if (made !== undefined) return made;
    try {
      return (await this.#state(rowId)).text;
    } catch (error) {
      return `${plainText(messageOf(error))}\n`;
    }
  }

  dispose(): void {
    this.#made.clear();
  }

  async #uri(rowId: number): Promise<vscode.Uri> {
    const { detail, text } = await this.#state(rowId);
    const uri = uriOf(detail, rowId);
    // An open document is not requested again, because the state at a checkpoint never changes.
    const isOpen = vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
    if (!isOpen) this.#made.set(rowId, text);
    return uri;
  }

  async #state(rowId: number): Promise<{ readonly detail: CheckpointDetail; readonly text: string }> {
    const detail = await this.#detail(rowId);
    const text = hasState(detail) ? await this.#host.lineages.state(rowId, 'pretty') : undefined;
    if (text === undefined) throw failure(noStateText(detail), NEXT);
    if (text.length <= LONGEST) return { detail, text };
    throw failure(
      vscode.l10n.t('The state at {0} is too large to be shown.', titleText(detail.node)),
      vscode.l10n.t('Export the lineage to read it elsewhere.'),
    );
  }

  async #detail(rowId: number): Promise<CheckpointDetail> {
    const detail = await this.#host.lineages.checkpoint(rowId);
    if (detail !== undefined) return detail;
    throw failure(vscode.l10n.t('The checkpoint is no longer there.'), NEXT);
  }
}

const GONE = 'The checkpoint is no longer there.\n';
const NEXT = 'Choose another one in the Lineage view.';

function failure(message: string, suggestion: string): HostError {
  return new HostError('INVALID_ARGUMENTS', message, { layer: 'host', suggestion });
}

/** The path is for display, and its extension selects the language. The query identifies the state. */
function uriOf(detail: CheckpointDetail, rowId: number): vscode.Uri {
  const name = `${idText(detail.node)} (${setText(detail)})`.replace(/[^\w.()# -]+/g, '-');
  const server = detail.server.replace(/[^\w.-]+/g, '-');
  return vscode.Uri.from({ scheme: SCHEMES.state, path: `/${server}/${name}.json`, query: JSON.stringify([rowId]) });
}

function setText({ server, featureSet }: LineageKey): string {
  return plainLine(featureSet === '' ? server : featureSet, 60);
}

function rowIdIn({ query }: vscode.Uri): number | undefined {
  try {
    const value = parseJson(query);
    const [rowId] = isJsonArray(value) ? value : [];
    return typeof rowId === 'number' ? rowId : undefined;
  } catch {
    return undefined;
  }
}
