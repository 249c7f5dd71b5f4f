/** One challenge of a `WWW-Authenticate` header (RFC 9110 §11.6.1). */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** Names in lower case. The first of two of the same name counts. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** What a server says of its protection, out of all the challenges that this host understands. */
export interface AuthChallenge {
  /** Whether only tokens that are bound to a key are taken. */
  readonly demandsProof: boolean;
  readonly resourceMetadata: string | undefined;
  /** `undefined` where the server names none. */
  readonly scopes: readonly string[] | undefined;
  readonly error: string | undefined;
}

const MAX_HEADER = 16 * 1024;
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/y;
/** Credentials that are one word, as of `Negotiate`. */
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=\s*(?:,|$))/y;
/** Many servers do not quote addresses. */
const BARE = /[^\s,"]+/y;
const SPACES = /[ \t]*/y;

/** Every challenge in these header values. What cannot be read ends the reading; what came before counts. */
export function parseChallenges(values: readonly string[]): readonly Challenge[] {
  return values.flatMap((value) => new ChallengeReader(value.slice(0, MAX_HEADER)).read());
}

/** `undefined` where no challenge is one of OAuth. */
export function authChallenge(values: readonly string[]): AuthChallenge | undefined {
  const challenges = parseChallenges(values).filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop');
  if (challenges.length === 0) return undefined;
  const first = (name: string): string | undefined =>
    challenges.map(({ parameters }) => parameters[name]).find((value) => value !== undefined);
  const scope = first('scope');
  return {
    demandsProof: challenges.every(({ scheme }) => scheme === 'dpop'),
    resourceMetadata: first('resource_metadata'),
    scopes: scope === undefined ? undefined : splitScopes(scope),
    error: first('error'),
  };
}

/** The words of a `scope`, each once. */
export function splitScopes(text: string): readonly string[] {
  return [...new Set(text.split(/[\s]+/).filter((scope) => scope !== ''))];
}

class ChallengeReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly Challenge[] {
    const challenges: Challenge[] = [];
    for (;;) {
      this.#skipCommas();
      const scheme = this.#take(TOKEN);
      if (scheme === undefined) return challenges;
      const parameters: Record<string, string> = {};
      challenges.push({ scheme: scheme.toLowerCase(), parameters });
      if (!this.#readParameters(parameters)) return challenges;
    }
  }

  /** Stops before what may be the next scheme; false where the text makes no sense any more. */
  #readParameters(parameters: Record<string, string>): boolean {
    this.#take(SPACES);
    if (this.#take(TOKEN68) !== undefined) return true;
    for (;;) {
      this.#skipCommas();
      const start = this.#at;
      const name = this.#take(TOKEN)?.toLowerCase();
      if (name === undefined) return this.#at >= this.#text.length;
      this.#take(SPACES);
      if (this.#text[this.#at] !== '=') {
        this.#at = start;
        return true;
      }
      this.#at++;
      this.#take(SPACES);
      const value = this.#value();
      if (value === undefined) return false;
      if (!Object.hasOwn(parameters, name)) parameters[name] = value;
    }
  }

  #value(): string | undefined {
    if (this.#text[this.#at] !== '"') return this.#take(BARE);
    return this.#take(QUOTED)
      ?.slice(1, -1)
      .replace(/\\([\s\S])/g, '$1');
  }

  #skipCommas(): void {
    this.#take(SPACES);
    while (this.#text[this.#at] === ',') {
      this.#at++;
      this.#take(SPACES);
    }
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0];
    if (match !== undefined) this.#at += match.length;
    return match;
  }
}
