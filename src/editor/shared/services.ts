import type * as vscode from 'vscode';
import type { Clock, Event, Host, Logger, ProtocolTrace, PushPolicy, StartQuestion, Tool } from '../../core/index.ts';
import type { NotificationButton } from './notify.ts';
import type { SettingTarget } from './treeNode.ts';

/** The argument of a command, or nothing to make it ask. Tree nodes have these members too. */
export interface Target {
  readonly server: string;
  readonly tool?: string;
  /** URI of a resource. */
  readonly resource?: string;
  /** URI template of resources. */
  readonly template?: string;
  readonly prompt?: string;
  readonly featureSet?: string;
  /** The host's id of a push event. */
  readonly event?: string;
}

/** A tool of a server. */
export interface ToolTarget {
  readonly server: string;
  readonly tool: string;
}

/** Changes one member of a server's entry, and keeps everything else. */
export interface SettingsWriter {
  setEnabled(server: string, enabled: boolean): Promise<void>;
  /** Whether models are offered the tool. */
  setToolOffered(server: string, tool: string, offered: boolean): Promise<void>;
  /**
   * Whether models may call the tool without a prompt. Causes no prompt, because the user just decided. `seen` is the
   * definition that the user saw; default: the current one.
   */
  setToolAutoApproved(server: string, tool: string, autoApproved: boolean, seen?: Tool): Promise<void>;
  /** Switches feature sets. Causes no prompt, because the user just decided. */
  setFeatureSets(server: string, names: readonly string[], on: boolean): Promise<void>;
  /** Sets the server's model (`inference.model`). `undefined` removes it. */
  setModel(server: string, model: string | undefined): Promise<void>;
  /** Sets the push policy of a feature set, only to a more restrictive value. */
  setPushPolicy(server: string, featureSet: string, policy: Exclude<PushPolicy, 'infer'>): Promise<void>;
  /** Adds an entry to workspace settings, or to user settings in an empty window. Rejects if the id exists. */
  add(server: string, entry: Readonly<Record<string, unknown>>, target?: 'workspace' | 'user'): Promise<void>;
  /** Removes the entry and offers to undo it. */
  remove(server: string): Promise<void>;
}

export interface LogChannels {
  showServer(server: string): void;
  showHost(): void;
}

/** Reports failures: the problem, its server, and the next step as buttons. */
export interface FailureNotices {
  /** `what` is a sentence without its full stop, such as `The server "files" did not stop`. */
  show(what: string, error: unknown, options?: FailureOptions): void;
}

export interface FailureOptions {
  readonly server?: string | undefined;
  readonly retry?: (() => void) | undefined;
}

/** Open start prompts. */
export interface Questions {
  readonly waiting: readonly StartQuestion[];
  /** Shows an open prompt again, because notifications disappear. Returns false if there is none. */
  showAgain(server: string): boolean;
}

/** An open question of a server. */
export interface WaitingQuestion {
  readonly server: string;
  /** A short label, which may contain server text. */
  readonly label: string;
}

export interface ServerQuestions {
  readonly onDidChange: Event<void>;
  readonly waiting: readonly WaitingQuestion[];
  /** Shows the open questions of a server, or of all, again. Returns false if there are none. */
  showAgain(server?: string): boolean;
}

/** The traces of servers. */
interface Traces {
  trace(server: string): ProtocolTrace | undefined;
}

/** The signed-in accounts. */
interface Accounts {
  /** Removes the tokens for that address. Resolves with false if there were none. */
  signOut(url: string): Promise<boolean>;
}

/** The stored answers to `${input:}`. */
export interface InputMemory {
  remembered(): Promise<readonly string[]>;
  forget(id: string): Promise<void>;
}

/** Shown instead of an empty quick pick: what is missing, and a button for the next step. */
export interface EmptyList {
  readonly text: string;
  readonly action?: NotificationButton;
}

/**
 * Asks for missing arguments with a quick pick. `undefined` if the user cancelled. `nothing` is shown if `accepts`
 * leaves no entry. Without any server or tool, the picker says that.
 */
export interface Picker {
  server(
    argument: unknown,
    placeHolder: string,
    accepts?: (id: string) => boolean,
    nothing?: EmptyList,
  ): Promise<string | undefined>;
  tool(
    argument: unknown,
    placeHolder: string,
    accepts?: (server: string, tool: string) => boolean,
    nothing?: EmptyList,
  ): Promise<ToolTarget | undefined>;
}

/** The services of all editor parts. */
export interface EditorServices {
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: SettingsWriter;
  readonly logs: LogChannels;
  readonly failures: FailureNotices;
  readonly pick: Picker;
  readonly questions: Questions;
  /** Questions of running servers. */
  readonly asked: ServerQuestions;
  readonly traces: Traces;
  readonly accounts: Accounts;
  readonly inputs: InputMemory;
  readonly extensionUri: vscode.Uri;
  /** Opens settings at the server's entry. */
  openServerSettings(server: string): Promise<void>;
  /** Opens settings at a member of `mcpl.servers`. */
  openSetting(setting: SettingTarget): Promise<void>;
}
