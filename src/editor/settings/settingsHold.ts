/** Looks at an unchanged configuration before it is taken as it is. */
const MAX_LOOKS = 5;

/**
 * Decides whether settings wait. An invalid file is one reason. The other is a file that was just corrected: until the
 * editor has read it again, the configuration is still the part that it read from the invalid file.
 */
export class SettingsHold {
  #whenBroken: string | undefined;
  #looks = 0;

  /** Takes the configuration as text. Call it about once per second while it returns true. */
  mustWait(isBroken: boolean, configuration: string): boolean {
    if (isBroken) {
      this.#whenBroken = configuration;
      this.#looks = 0;
      return true;
    }
    if (this.#whenBroken === configuration && ++this.#looks < MAX_LOOKS) return true;
    this.#whenBroken = undefined;
    return false;
  }
}
