/** Files of the workspace that become part of what a server's process runs. */
export interface WorkspaceUse {
  readonly what: 'folder' | 'program' | 'envFile' | 'variable' | 'argument' | 'module' | 'unchecked';
  /** Of the variable. */
  readonly name?: string | undefined;
  /** As the settings write it; with `unchecked`, what was not looked at. */
  readonly text: string;
  /** It follows from the working folder, so that it needs no answer of its own. */
  readonly isImplied?: boolean | undefined;
}
