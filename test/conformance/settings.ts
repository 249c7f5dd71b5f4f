import type { Json, JsonObject } from '../../src/core/index.ts';

/** The suite's authorization servers accept this address as a client id without reading it. */
const METADATA_DOCUMENT = 'https://conformance-test.local/client-metadata.json';

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** The settings that a user would write with the scenario's credentials. */
const authOf = (scenario: string, context: JsonObject): JsonObject => {
  const client = { clientId: text(context['client_id']) };
  const withSecret = { ...client, clientSecret: text(context['client_secret']) };
  switch (scenario) {
    case 'auth/pre-registration':
      return withSecret;
    case 'auth/client-credentials-basic':
      return { ...withSecret, flow: 'clientCredentials' };
    case 'auth/client-credentials-jwt':
      return {
        ...client,
        flow: 'clientCredentials',
        privateKey: text(context['private_key_pem']),
        algorithm: text(context['signing_algorithm']),
      };
    case 'auth/enterprise-managed-authorization':
      return {
        ...withSecret,
        flow: 'enterprise',
        identityProvider: {
          tokenEndpoint: text(context['idp_token_endpoint']),
          clientId: text(context['idp_client_id']),
          idToken: text(context['idp_id_token']),
        },
      };
    case 'auth/wif-jwt-bearer':
      return { ...client, flow: 'workloadIdentity', assertion: text(context['valid_jwt']) };
    default:
      return { clientMetadataUrl: METADATA_DOCUMENT };
  }
};

/** The entry of `mcpl.servers` for a scenario. */
export const entryFor = (scenario: string, version: string, url: string, context: JsonObject): JsonObject => ({
  url,
  protocol: { era: version >= '2026-07-28' ? 'modern' : 'legacy' },
  ...(scenario.startsWith('auth/') ? { auth: authOf(scenario, context) } : {}),
});
