/** Workspace files that a server's process executes or reads. */
export interface WorkspaceUse {
  readonly what: 'folder' | 'program' | 'envFile' | 'variable' | 'argument' | 'module' | 'unchecked';
  /** Name of the variable. */
  readonly name?: string | undefined;
  /** The text in the settings. For `unchecked`, the text that was not analyzed. */
  readonly text: string;
  /** Follows from the working folder, so it needs no separate prompt. */
  readonly isImplied?: boolean | undefined;
}
