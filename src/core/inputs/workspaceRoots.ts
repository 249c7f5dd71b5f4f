import { type Disposable, toDisposable } from '../base/disposable.ts';
import { methodNotFound } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import type { JsonObject } from '../base/json.ts';
import type { Session, SessionFeature } from '../session/session.ts';
import { encodeRoots } from '../wire/roots.ts';

export interface RootsOptions {
  /** Names and absolute paths of the open folders. */
  folders(): readonly { readonly name: string; readonly path: string }[];
  /** Fires when folders are opened or closed. */
  readonly onDidChangeFolders?: Event<void> | undefined;
  /** An untrusted workspace does not reveal its folders. */
  isTrusted(): boolean;
}

const CHANGED = 'notifications/roots/list_changed';

/**
 * Tells a server the open folders (MCP "Roots"). Some servers then allow access to these only, instead of the folders
 * on their command line. A window without a folder declares no roots, so that such servers keep theirs.
 */
export class Roots implements SessionFeature {
  readonly #options: RootsOptions;
  #isDeclared = false;

  readonly requests = {
    'roots/list': (): JsonObject => {
      const roots = this.#roots;
      if (roots.length === 0 && !this.#isDeclared) throw methodNotFound('roots/list');
      return encodeRoots({ roots });
    },
  };

  constructor(options: RootsOptions) {
    this.#options = options;
  }

  get capabilities(): JsonObject {
    return this.#roots.length === 0 ? {} : { roots: { listChanged: true } };
  }

  started(session: Session): Disposable {
    let sent = JSON.stringify(this.#roots);
    this.#isDeclared = this.#roots.length > 0;
    // A stateless server asks for the roots with each of its requests. The dialect has no roots.
    if (!this.#isDeclared || session.codec.lacks(CHANGED, 'toServer')) return toDisposable(() => undefined);
    const changes = this.#options.onDidChangeFolders?.(() => {
      const now = JSON.stringify(this.#roots);
      if (now === sent) return;
      sent = now;
      session.notify(CHANGED);
    });
    return toDisposable(() => changes?.dispose());
  }

  get #roots(): readonly { readonly uri: string; readonly name: string }[] {
    if (!this.#options.isTrusted()) return [];
    return this.#options.folders().flatMap(({ name, path }) => {
      const uri = fileUri(path);
      return uri === undefined ? [] : [{ uri, name }];
    });
  }
}

const DRIVE = /^[A-Za-z]:(?=[\\/]|$)/;

/** An absolute path of any system as a `file:` URI. `undefined` for other paths. */
export function fileUri(path: string): string | undefined {
  const plain = withoutDeviceMark(path);
  if (DRIVE.test(plain)) return `file:///${plain.slice(0, 2)}${encodePath(slashed(plain.slice(2)) || '/')}`;
  if (plain.startsWith('\\\\')) {
    const [server = '', ...rest] = slashed(plain.slice(2)).split('/');
    return server === '' ? undefined : `file://${encodeSegment(server)}${encodePath(`/${rest.join('/')}`)}`;
  }
  return plain.startsWith('/') ? `file://${encodePath(plain)}` : undefined;
}

/** `\\?\C:\x` and `\\?\UNC\server\x` are other names of `C:\x` and `\\server\x`. */
function withoutDeviceMark(path: string): string {
  if (!path.startsWith('\\\\?\\')) return path;
  const rest = path.slice(4);
  return /^UNC\\/i.test(rest) ? `\\\\${rest.slice(4)}` : rest;
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

function encodePath(path: string): string {
  return path.split('/').map(encodeSegment).join('/');
}

function encodeSegment(segment: string): string {
  // Half of a surrogate pair is legal in a file name, but UTF-8 cannot encode it.
  return encodeURIComponent(segment.replace(/\p{Surrogate}/gu, '\uFFFD'));
}
