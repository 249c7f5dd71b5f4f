import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { isJsonObject, parseJson } from '../../core/index.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };
/** Usually one for the authorization server and one for the server. */
const MAX_NONCES = 16;

interface ProofRequest {
  readonly method: string;
  readonly url: URL;
  readonly accessToken: string;
  /** Also binds the proof to the message (MCP profile of DPoP), because all messages use one address. */
  readonly body?: string | undefined;
}

/** A key to which tokens are bound (RFC 9449), and proofs of possession. */
export class ProofKey {
  /** Signature algorithm of proofs. */
  static readonly algorithm = 'ES256';
  readonly #pair: oauth.CryptoKeyPair;
  readonly #nonces = new Map<string, string>();
  /** The private key as a JWK in JSON, stored with the token. */
  readonly exported: string;

  private constructor(pair: oauth.CryptoKeyPair, exported: string) {
    this.#pair = pair;
    this.exported = exported;
  }

  static async generate(): Promise<ProofKey> {
    const pair = await oauth.generateKeyPair(ProofKey.algorithm, { extractable: true });
    return new ProofKey(pair, JSON.stringify(await crypto.subtle.exportKey('jwk', pair.privateKey)));
  }

  /** Rejects if the text is no such key. */
  static async import(exported: string): Promise<ProofKey> {
    const jwk = parseJson(exported);
    if (!isJsonObject(jwk)) throw new Error('no JWK');
    const key = createPrivateKey({ key: { ...jwk }, format: 'jwk' });
    const publicJwk = createPublicKey(key).export({ format: 'jwk' });
    const privateKey = await crypto.subtle.importKey('jwk', key.export({ format: 'jwk' }), ALGORITHM, true, ['sign']);
    const publicKey = await crypto.subtle.importKey('jwk', publicJwk, ALGORITHM, true, ['verify']);
    return new ProofKey({ privateKey, publicKey }, exported);
  }

  /** For token endpoint requests. */
  handleFor(url: URL, extra: Readonly<Record<string, string>> = {}): oauth.DPoPHandle {
    const nonce = this.#nonces.get(url.origin);
    return oauth.DPoP({}, this.#pair, {
      [oauth.modifyAssertion]: (_header, payload) => {
        Object.assign(payload, extra, nonce === undefined ? {} : { nonce });
      },
    });
  }

  /** A new proof for one request to a server. */
  async prove({ method, url, accessToken, body }: ProofRequest): Promise<string> {
    const digest = body === undefined ? undefined : createHash('sha256').update(body).digest('base64');
    const extra = digest === undefined ? {} : { content_digest: `sha-256=:${digest}:` };
    let proof = '';
    await oauth.protectedResourceRequest(accessToken, method, url, undefined, null, {
      DPoP: this.handleFor(url, extra),
      [oauth.allowInsecureRequests]: true,
      // Only the header is needed; the transport sends the request.
      [oauth.customFetch]: (_url, { headers }) => {
        proof = headers['dpop'] ?? '';
        return Promise.resolve(new Response());
      },
    });
    return proof;
  }

  /** Stores the nonce for the next proof to this origin (RFC 9449 §8, §9). */
  takeNonce(url: URL, nonce: string | readonly string[] | undefined): void {
    if (typeof nonce !== 'string' || nonce === '') return;
    this.#nonces.delete(url.origin);
    this.#nonces.set(url.origin, nonce);
    const [oldest] = this.#nonces.keys();
    if (this.#nonces.size > MAX_NONCES && oldest !== undefined) this.#nonces.delete(oldest);
  }
}
