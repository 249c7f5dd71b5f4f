import type * as vscode from 'vscode';
import type { Event, Host, Logger, ProtocolTrace, PushPolicy, StartQuestion, Tool } from '../../core/index.ts';
import type { SettingPlace } from './treeNode.ts';

/** What a command may be given, or nothing (then it asks). A tree node is given too: it has these members as well. */
export interface Target {
  readonly server: string;
  readonly tool?: string;
  /** The URI of a resource. */
  readonly resource?: string;
  /** The URI template of resources. */
  readonly template?: string;
  readonly prompt?: string;
  readonly featureSet?: string;
  /** The host's own id of a push event. */
  readonly event?: string;
}

/** A tool of a server. */
export interface ToolTarget {
  readonly server: string;
  readonly tool: string;
}

/** Changes one member of one server's entry; everything else in the settings stays as it is. */
export interface SettingsWriter {
  setEnabled(server: string, enabled: boolean): Promise<void>;
  /** Whether models are offered the tool. */
  setToolOffered(server: string, tool: string, offered: boolean): Promise<void>;
  /**
   * Whether models may call the tool without being asked. No question follows: the person just said so. `seen` is the
   * definition that the person saw; absent: the one that it has now.
   */
  setToolAutoApproved(server: string, tool: string, autoApproved: boolean, seen?: Tool): Promise<void>;
  /** Which feature sets are on. No question follows: the person just said so. */
  setFeatureSets(server: string, names: readonly string[], on: boolean): Promise<void>;
  /** Which model the server gets, as `inference.model` says it; `undefined` for none in particular. */
  setModel(server: string, model: string | undefined): Promise<void>;
  /** What becomes of the push events of one feature set; only for less than was granted before. */
  setPushPolicy(server: string, featureSet: string, policy: Exclude<PushPolicy, 'infer'>): Promise<void>;
  /** Writes a new entry: into workspace settings, in an empty window the user's. Rejects when the id is taken. */
  add(server: string, entry: Readonly<Record<string, unknown>>, place?: 'workspace' | 'user'): Promise<void>;
  /** Takes the entry out, and offers to put it back. */
  remove(server: string): Promise<void>;
}

export interface LogChannels {
  showServer(server: string): void;
  showHost(): void;
}

/** Where failures are told: what happened, to which server, and the next step as buttons. */
export interface FailureNotices {
  /** `what` is a sentence without its full stop, such as `The server "files" did not stop`. */
  show(what: string, error: unknown, options?: FailureOptions): void;
}

export interface FailureOptions {
  readonly server?: string | undefined;
  readonly retry?: (() => void) | undefined;
}

/** Questions whether a server may start that nobody has answered yet. */
export interface Questions {
  readonly waiting: readonly StartQuestion[];
  /** Shows a waiting question again, since toasts hide themselves; false when none waits. */
  showAgain(server: string): boolean;
}

/** What a server asked and nobody has answered yet. */
export interface WaitingQuestion {
  readonly server: string;
  /** In a few words; may hold the server's own. */
  readonly label: string;
}

export interface ServerQuestions {
  readonly onDidChange: Event<void>;
  readonly waiting: readonly WaitingQuestion[];
  /** Shows the questions of a server again, or of all, since toasts hide themselves; false when none waits. */
  showAgain(server?: string): boolean;
}

/** Where the trace of each server is. */
export interface Traces {
  trace(server: string): ProtocolTrace | undefined;
}

/** Who is signed in to servers with a URL. */
export interface Accounts {
  /** Forgets the tokens of the server at that address; false where nobody was signed in. */
  signOut(url: string): Promise<boolean>;
}

/** What `${input:}` remembers. */
export interface InputMemory {
  remembered(): Promise<readonly string[]>;
  forget(id: string): Promise<void>;
}

/** Asks, by quick pick, for what a command was not given. `undefined`: the person turned away. */
export interface Picker {
  server(argument: unknown, placeHolder: string, accepts?: (id: string) => boolean): Promise<string | undefined>;
  tool(
    argument: unknown,
    placeHolder: string,
    accepts?: (server: string, tool: string) => boolean,
  ): Promise<ToolTarget | undefined>;
}

/** What every part of the editor's side is given. */
export interface EditorServices {
  readonly host: Host;
  readonly log: Logger;
  readonly settings: SettingsWriter;
  readonly logs: LogChannels;
  readonly failures: FailureNotices;
  readonly pick: Picker;
  readonly questions: Questions;
  /** What servers that run ask. */
  readonly asked: ServerQuestions;
  readonly traces: Traces;
  readonly accounts: Accounts;
  readonly inputs: InputMemory;
  readonly extensionUri: vscode.Uri;
  /** Opens the settings file that defines the server, at its entry. */
  openServerSettings(server: string): Promise<void>;
  /** Opens the settings at one member of `mcpl.servers`. */
  openSetting(setting: SettingPlace): Promise<void>;
}
