import { createPrivateKey, type KeyObject, type webcrypto } from 'node:crypto';
import type { PrivateKey } from 'oauth4webapi';
import { isJsonObject, signInFailed } from '../../core/index.ts';
import { readJson } from '../http/httpBody.ts';

interface KeyKind {
  readonly algorithm: string;
  readonly parameters: webcrypto.RsaHashedImportParams | webcrypto.EcKeyImportParams | { readonly name: string };
}

const rsa = (name: string, bits: string): webcrypto.RsaHashedImportParams => ({ name, hash: `SHA-${bits}` });
const ec = (namedCurve: string): webcrypto.EcKeyImportParams => ({ name: 'ECDSA', namedCurve });

const KINDS: readonly KeyKind[] = [
  { algorithm: 'ES256', parameters: ec('P-256') },
  { algorithm: 'ES384', parameters: ec('P-384') },
  { algorithm: 'ES512', parameters: ec('P-521') },
  ...['256', '384', '512'].flatMap((bits) => [
    { algorithm: `RS${bits}`, parameters: rsa('RSASSA-PKCS1-v1_5', bits) },
    { algorithm: `PS${bits}`, parameters: rsa('RSA-PSS', bits) },
  ]),
  { algorithm: 'Ed25519', parameters: { name: 'Ed25519' } },
];

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** The private key from settings, for `private_key_jwt`. Rejects with a suggestion for the settings. */
export async function importClientKey(text: string, named: string | undefined): Promise<PrivateKey> {
  const jwk = readJson(text);
  const isJwk = isJsonObject(jwk);
  let key: KeyObject;
  try {
    key = isJwk ? createPrivateKey({ key: { ...jwk }, format: 'jwk' }) : createPrivateKey(text);
  } catch {
    throw unusable('is neither a PEM text nor a JWK');
  }
  const given = isJwk && typeof jwk['alg'] === 'string' ? jwk['alg'] : undefined;
  const algorithm = (named ?? given ?? algorithmOf(key))?.replace('EdDSA', 'Ed25519');
  const kind = KINDS.find((candidate) => candidate.algorithm === algorithm);
  if (kind === undefined) throw unusable(`cannot sign by ${algorithm ?? 'any known algorithm'}`);
  const kid = isJwk && typeof jwk['kid'] === 'string' ? { kid: jwk['kid'] } : {};
  try {
    const der = key.export({ type: 'pkcs8', format: 'der' });
    return { key: await crypto.subtle.importKey('pkcs8', der, kind.parameters, false, ['sign']), ...kid };
  } catch {
    throw unusable(`is not one for ${kind.algorithm}`);
  }
}

function algorithmOf(key: KeyObject): string | undefined {
  switch (key.asymmetricKeyType) {
    case 'ec':
      return CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''];
    case 'rsa':
      return 'RS256';
    case 'rsa-pss':
      return 'PS256';
    case 'ed25519':
      return 'Ed25519';
    default:
      return undefined;
  }
}

function unusable(why: string): Error {
  return signInFailed(`The private key in the settings ${why}.`, "Correct `auth.privateKey` in the server's settings.");
}
