/** One challenge of a `WWW-Authenticate` header (RFC 9110 §11.6.1). */
interface Challenge {
  /** Lower case. */
  readonly scheme: string;
  /** Names in lower case. The first of duplicate parameters wins. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The server's demands, from all OAuth challenges of a response. */
export interface AuthChallenge {
  /** Whether the server only accepts tokens bound to a key. */
  readonly demandsProof: boolean;
  readonly resourceMetadata: string | undefined;
  /** `undefined` if the server names none. */
  readonly scopes: readonly string[] | undefined;
  readonly error: string | undefined;
}

const MAX_HEADER = 16 * 1024;
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/y;
/** Credentials in a single word, as for `Negotiate`. */
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=\s*(?:,|$))/y;
/** Many servers do not quote addresses. */
const BARE = /[^\s,"]+/y;
const SPACES = /[ \t]*/y;

/**
 * All challenges in these header values. Parsing stops at the first syntax error and keeps the challenges before it.
 */
export function parseChallenges(values: readonly string[]): readonly Challenge[] {
  return values.flatMap((value) => new ChallengeReader(value.slice(0, MAX_HEADER)).read());
}

/** Returns `undefined` without an OAuth challenge. */
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

/** The distinct words of a `scope`. */
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

  /** Stops before the next scheme. Returns false at a syntax error. */
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
